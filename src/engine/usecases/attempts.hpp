// Ends attempts, for workers and for the reaper, and takes reports of their usage.
#pragma once

#include <span>

#include "engine/telemetry/observer.hpp"
#include "store/task_store.hpp"

namespace belfry::engine {

// Returns one result per report: the plan, or the error.
[[nodiscard]] Result<std::vector<Result<decide::AttemptPlan>>> end_attempts(
    store::TaskStore& store, Observer& observer, std::span<const store::AttemptReport> reports, Instant now);
[[nodiscard]] Result<std::vector<Result<decide::AttemptPlan>>> report_usage(store::TaskStore& store, Observer& observer,
                                                                            std::span<const store::UsageReport> reports,
                                                                            Instant now);

}  // namespace belfry::engine
