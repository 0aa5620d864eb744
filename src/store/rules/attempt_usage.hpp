// What the attempts of a run have used, and for whom it counts. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "decide/facts.hpp"
#include "model/run/task.hpp"
#include "store/task_store.hpp"

namespace belfry::store {

// The assignee that the attempt's usage counts for; empty: none.
[[nodiscard]] std::string assignee_of_attempt(const decide::Facts& facts, const std::string& node);

// Usage of the attempts of a run, by node and attempt number.
using UsageByAttempt = std::map<std::pair<std::string, int>, model::Usage>;
[[nodiscard]] std::optional<model::Usage> used_by_all(const UsageByAttempt& attempts);
[[nodiscard]] std::optional<model::Usage> used_by_node(const UsageByAttempt& attempts, const std::string& node);
// Completes the facts with usage, whether or not the attempt reports any.
void tell_of_usage(decide::Facts& facts, const UsageByAttempt& attempts, const model::LeaseRef& lease,
                   const std::optional<model::Usage>& report);

// The stores handle both kinds of reports alike: they check the lease, keep the usage, and write what the planner
// decides, which does not ask how a continuing attempt ended.
[[nodiscard]] std::vector<AttemptReport> as_attempt_reports(std::span<const UsageReport> reports);
[[nodiscard]] AttemptPlanner as_attempt_planner(const UsagePlanner& planner);

}  // namespace belfry::store
