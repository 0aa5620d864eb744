#include "store/rules/lease_rules.hpp"

#include <algorithm>

namespace belfry::store {

std::optional<Micros> attempt_time(const AttemptOf& attempt, const decide::RunCaps& caps, Instant now) {
    auto longest = attempt.timeout     ? attempt.timeout
                   : caps.task_timeout ? std::optional<Micros>(*caps.task_timeout)
                                       : std::nullopt;
    if (!attempt.alone) return longest;
    // A first attempt has the full time, no matter how long the task waited in its queue.
    const auto end = attempt.fire_at + caps.timeout;
    const auto left = attempt.again && end > now ? end - now : caps.timeout;
    return longest ? std::min(*longest, left) : left;
}

Instant lease_end(Instant now, Micros lease, const std::optional<Instant>& deadline) {
    return deadline ? std::min(*deadline, now + lease) : now + lease;
}

void tell_of_attempt(decide::Facts& facts, const model::Lease& lease) {
    facts.node = lease.ref.node;
    facts.handed_over = model::is_handed_over(lease.worker);
    if (facts.workflow_run) {
        for (auto& node : facts.workflow_run->nodes) {
            if (node.node != lease.ref.node) continue;
            node.status = model::NodeStatus::running;
            node.attempts = lease.ref.attempt;
            node.started_at = lease.since;
        }
    }
    if (!lease.ref.node.empty()) return;
    facts.run->attempts = lease.ref.attempt;
    facts.run->started_at = lease.since;
}

}  // namespace belfry::store
