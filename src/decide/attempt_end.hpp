// The end of one attempt at a task, and whether there is another one. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/json.hpp"
#include "decide/limits.hpp"
#include "model/policy.hpp"
#include "model/run.hpp"

namespace belfry::decide {

// As its worker tells it, or the reaper of a lease that ran out. With the status `running` it is no end: its worker only tells
// what it has used so far.
struct AttemptEnd {
    model::ExecutionStatus status = model::ExecutionStatus::succeeded;
    std::optional<model::FailureCategory> category = {};  // of a failure, when it is known
    Json result = nullptr;
    std::string error = {};
    std::optional<Micros> retry_after = {};  // how long at least its worker wants the next attempt to wait
    std::optional<model::Usage> usage = {};  // since the attempt began; the store adds it to what it knows
    std::optional<TrippedLimit> limit = {};  // that put an end to it
    bool final = false;                      // no policy may try it again
    bool put_back = false;                   // nobody has tried it: it is ready again in its old place, whatever the policy says
    bool worker_lost = false;                // its lease ended without a word from its worker
    friend bool operator==(const AttemptEnd&, const AttemptEnd&) = default;
};

inline constexpr int kRedeliveriesMax = 3;  // of one task, beside the retries that its policy allows

// Whether the task is handed out again because its worker was lost; `before` is how often it was already.
[[nodiscard]] bool is_redelivered(model::WorkerLostPolicy policy, int before, const AttemptEnd& end);

inline constexpr std::chrono::milliseconds kBackoffMax = std::chrono::hours{1};

// A lease that ran out is a timeout, whoever tells of it.
[[nodiscard]] std::optional<model::FailureCategory> category_of(const AttemptEnd& end);

// When the next attempt is ready; nothing when the run ends with this one. Only failures and timeouts are retried, as often
// as the policy allows and for the categories that it names. The wait doubles with every attempt, and up to a quarter of it
// is added by a stable hash of the run and the attempt, so that what failed together does not come back together. It is at
// least as long as the worker asked for.
[[nodiscard]] std::optional<Instant> retry_at(const model::RetryPolicy& policy, const std::string& run_id, int attempt, const AttemptEnd& end,
                                              Instant now);

}  // namespace belfry::decide
