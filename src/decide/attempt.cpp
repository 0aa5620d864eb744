#include "decide/attempt.hpp"

#include <algorithm>

#include "base/stable_hash.hpp"
#include "decide/completion.hpp"

namespace belfry::decide {

using model::ExecutionStatus;

namespace {

bool is_retried(const model::RetryPolicy& policy, const AttemptEnd& end) {
    if (end.status != ExecutionStatus::failed && end.status != ExecutionStatus::timed_out) return false;
    if (policy.retry_on.empty()) return true;
    const auto category = end.category                               ? end.category
                          : end.status == ExecutionStatus::timed_out ? std::optional{model::FailureCategory::timeout}
                                                                     : std::nullopt;
    return category && std::ranges::find(policy.retry_on, *category) != policy.retry_on.end();
}

}  // namespace

std::optional<Instant> retry_at(const model::RetryPolicy& policy, const std::string& run_id, int attempt, const AttemptEnd& end, Instant now) {
    if (attempt > policy.max_retries || !is_retried(policy, end)) return std::nullopt;
    const int doublings = std::clamp(attempt - 1, 0, 30);
    const Micros wait = std::min<Micros>(kBackoffMax, Micros{policy.backoff} * (std::int64_t{1} << doublings));
    const auto share = static_cast<std::int64_t>(stable_hash(run_id, attempt) % 1024);
    return now + wait + wait / 4 * share / 1024;
}

Result<AttemptPlan> plan_attempt_end(const Facts& facts, const AttemptEnd& end, Instant now) {
    const auto& run = *facts.run;
    if (!is_terminal(run.execution)) {
        if (const auto ready = retry_at(facts.schedule->definition.retry, run.id, run.attempts, end, now)) return AttemptPlan{Retry{*ready}};
    }
    auto plan = plan_completion(facts, {run.id, run.execution, end.status, end.result, end.error}, now);
    if (!plan) return plan.error();
    return AttemptPlan{std::move(*plan)};
}

}  // namespace belfry::decide
