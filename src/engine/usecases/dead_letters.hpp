// Replays runs that failed for good. Thread-safe.
#pragma once

#include <string>

#include "engine/usecases/idempotent_result.hpp"
#include "engine/usecases/runs.hpp"
#include "engine/usecases/schedules.hpp"

namespace belfry::engine {

// Starts a new run with the input of the failed one, which then is no longer a dead letter. It stays one if the new
// run is skipped. An immediate start has no schedule to trigger and is started anew.
[[nodiscard]] Result<IdempotentResult<model::Run>> replay(store::StoreReader& store, Schedules& schedules, Runs& runs,
                                                          const std::string& tenant, const std::string& run_id,
                                                          const model::CommandContext& context);

}  // namespace belfry::engine
