#include "store/rules/attempt_usage.hpp"

namespace belfry::store {

std::string assignee_of_attempt(const decide::Facts& facts, const std::string& node) {
    const auto* const row = facts.workflow_run ? facts.workflow_run->find(node) : nullptr;
    if (row != nullptr && !row->assignee.empty()) return row->assignee;
    const auto& assignee = facts.definition_of_run().assignee;
    return assignee ? assignee->id : std::string();
}

std::optional<model::Usage> used_by_all(const UsageByAttempt& attempts) {
    if (attempts.empty()) return std::nullopt;
    model::Usage sum;
    for (const auto& [attempt, usage] : attempts) sum += usage;
    return sum;
}

std::optional<model::Usage> used_by_node(const UsageByAttempt& attempts, const std::string& node) {
    UsageByAttempt own;
    for (const auto& each : attempts) {
        if (each.first.first == node) own.insert(each);
    }
    return used_by_all(own);
}

void tell_of_usage(decide::Facts& facts, const UsageByAttempt& attempts, const model::LeaseRef& lease,
                   const std::optional<model::Usage>& report) {
    auto& spending = facts.spending;
    spending.others = {};
    spending.attempt = {};
    const std::pair own{lease.node, lease.attempt};
    for (const auto& [attempt, usage] : attempts) (attempt == own ? spending.attempt : spending.others) += usage;
    if (report) spending.attempt = raised(std::move(spending.attempt), *report);
}

std::vector<AttemptReport> as_attempt_reports(std::span<const UsageReport> reports) {
    std::vector<AttemptReport> all;
    for (const auto& report : reports) all.push_back({report.lease, {.usage = report.usage}, {}, report.tenant});
    return all;
}

AttemptPlanner as_attempt_planner(const UsagePlanner& planner) {
    return [&planner](const decide::Facts& facts, const decide::AttemptEnd&) { return planner(facts); };
}

}  // namespace belfry::store
