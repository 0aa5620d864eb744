// Runs that failed in the end, and what somebody does about them. Thread-safe.
#pragma once

#include <string>

#include "engine/answered.hpp"
#include "engine/schedules.hpp"
#include "store/store.hpp"

namespace belfry::engine {

// A new run with the input of the one that failed, which is a dead letter no longer; it stays one when the new run is skipped. A
// run that belongs to no schedule of anybody is started again as it was.
[[nodiscard]] Result<Answered<model::Run>> replay(store::Store& store, Schedules& schedules, const std::string& tenant, const std::string& run_id,
                                                  const model::CommandContext& context);

}  // namespace belfry::engine
