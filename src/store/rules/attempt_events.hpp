// The run events of attempts: claimed, transferred, failed with a retry. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "decide/run/attempt.hpp"
#include "model/run/run_event.hpp"
#include "model/run/task.hpp"
#include "store/store.hpp"

namespace belfry::store {

// The run events for claimed nodes, including run.started if they are the run's first.
[[nodiscard]] std::vector<model::RunEvent> claim_events(bool first,
                                                        const std::vector<std::pair<std::string, int>>& nodes,
                                                        const std::string& worker, Instant now);

// The event for a transferred lease. A run without a workflow has no event counter: every delivered attempt has three
// numbers, for its start, for a report about it, and for its end.
[[nodiscard]] model::RunEvent passing_event(const LeaseTransfer& passed, bool again, Instant now);

// The event for a failed attempt of a run's single task, if a retry follows.
[[nodiscard]] model::RunEvent retry_event(const model::Lease& lease, const decide::AttemptEnd& end,
                                          const decide::Retry& retry, Instant now);

}  // namespace belfry::store
