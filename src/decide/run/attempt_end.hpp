// The end of one attempt at a task, and whether another follows. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/text/json.hpp"
#include "decide/schedule/limits.hpp"
#include "model/run/run.hpp"
#include "model/schedule/policy.hpp"

namespace belfry::decide {

// A report from the worker, or from the reaper after a lease ran out.
struct AttemptEnd {
    model::ExecutionStatus status = model::ExecutionStatus::succeeded;
    std::optional<model::FailureCategory> category = {};  // of a failure, if known
    Json result = nullptr;
    std::string error = {};
    std::optional<Micros> retry_after = {};  // the least wait before the next attempt that the worker requests
    std::optional<model::Usage> usage = {};  // since the attempt started; the store adds it to the known usage
    std::optional<TrippedLimit> limit = {};  // the limit that ended it
    bool final = false;                      // no policy may retry it
    bool put_back = false;                   // not attempted: ready again in its old place, whatever the policy
    bool worker_lost = false;                // its lease ended without a report from its worker
    friend bool operator==(const AttemptEnd&, const AttemptEnd&) = default;
};

[[nodiscard]] inline AttemptEnd failed_attempt(std::optional<model::FailureCategory> category, std::string error) {
    return {.status = model::ExecutionStatus::failed, .category = category, .error = std::move(error)};
}

inline constexpr int kRedeliveriesMax = 3;  // of one task, in addition to the retries of its policy

// Whether the task is queued again because its worker was lost; `before` counts the earlier times.
[[nodiscard]] bool is_redelivered(model::WorkerLostPolicy policy, int before, const AttemptEnd& end);

inline constexpr std::chrono::milliseconds kBackoffMax = std::chrono::hours{1};

// A lease that ran out counts as a timeout.
[[nodiscard]] std::optional<model::FailureCategory> category_of(const AttemptEnd& end);

// When the next attempt is ready; empty if the run ends with this one. Only failures and timeouts are retried, as
// often as the policy allows and for the categories that it names. The wait doubles with every attempt. A stable hash
// of the run and the attempt adds up to a quarter, so that tasks that failed together are not retried together. The
// wait is at least as long as the worker requested.
[[nodiscard]] std::optional<Instant> retry_at(const model::RetryPolicy& policy, const std::string& run_id, int attempt,
                                              const AttemptEnd& end, Instant now);

}  // namespace belfry::decide
