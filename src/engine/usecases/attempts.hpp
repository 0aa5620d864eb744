// Ends attempts, for workers and for the reaper.
#pragma once

#include <span>

#include "engine/telemetry/observer.hpp"
#include "store/task_store.hpp"

namespace belfry::engine {

// Returns one result per report: the plan, or the error.
[[nodiscard]] Result<std::vector<Result<decide::AttemptPlan>>> end_attempts(
    store::TaskStore& store, Observer& observer, std::span<const store::AttemptReport> reports, Instant now);

}  // namespace belfry::engine
