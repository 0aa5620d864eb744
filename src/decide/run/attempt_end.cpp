#include "decide/run/attempt_end.hpp"

#include <algorithm>

#include "base/crypto/stable_hash.hpp"

namespace belfry::decide {

using model::ExecutionStatus;

namespace {

bool is_retried(const model::RetryPolicy& policy, const AttemptEnd& end) {
    if (end.final) return false;
    if (end.status != ExecutionStatus::failed && end.status != ExecutionStatus::timed_out) return false;
    if (policy.retry_on.empty()) return true;
    const auto category = category_of(end);
    return category && std::ranges::find(policy.retry_on, *category) != policy.retry_on.end();
}

}  // namespace

bool is_redelivered(model::WorkerLostPolicy policy, int before, const AttemptEnd& end) {
    return end.worker_lost && !end.final && policy == model::WorkerLostPolicy::redeliver && before < kRedeliveriesMax;
}

std::optional<model::FailureCategory> category_of(const AttemptEnd& end) {
    if (end.category) return end.category;
    return end.status == ExecutionStatus::timed_out ? std::optional{model::FailureCategory::timeout} : std::nullopt;
}

std::optional<Instant> retry_at(const model::RetryPolicy& policy, const std::string& run_id, int attempt,
                                const AttemptEnd& end, Instant now) {
    if (end.final || attempt > policy.max_retries || !is_retried(policy, end)) return std::nullopt;
    const int doublings = std::clamp(attempt - 1, 0, 30);
    const Micros backoff = std::min<Micros>(kBackoffMax, Micros{policy.backoff} * (std::int64_t{1} << doublings));
    const Micros wait = std::max(backoff, std::min<Micros>(kBackoffMax, end.retry_after.value_or(Micros{0})));
    const auto share = static_cast<std::int64_t>(stable_hash(run_id, attempt) % 1024);
    return now + wait + wait / 4 * share / 1024;
}

}  // namespace belfry::decide
