// How an attempt at a run's task ends: with another attempt later, or with the end of the run. Pure.
#pragma once

#include <variant>

#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

// As its worker tells it, or the reaper of a lease that ran out.
struct AttemptEnd {
    model::ExecutionStatus status = model::ExecutionStatus::succeeded;
    std::optional<model::FailureCategory> category = {};  // of a failure, when it is known
    Json result = nullptr;
    std::string error = {};
    friend bool operator==(const AttemptEnd&, const AttemptEnd&) = default;
};

struct Retry {
    Instant ready_at = {};
    friend bool operator==(const Retry&, const Retry&) = default;
};
using AttemptPlan = std::variant<Plan, Retry>;

inline constexpr std::chrono::milliseconds kBackoffMax = std::chrono::hours{1};

// When the next attempt is ready; nothing when the run ends with this one. Only failures and timeouts are retried, as often
// as the policy allows and for the categories that it names. The wait doubles with every attempt, and up to a quarter of it
// is added by a stable hash of the run and the attempt, so that what failed together does not come back together.
[[nodiscard]] std::optional<Instant> retry_at(const model::RetryPolicy& policy, const std::string& run_id, int attempt, const AttemptEnd& end,
                                              Instant now);

// REQUIRES: facts.run is the run, and its `attempts` counts the attempt that ended.
[[nodiscard]] Result<AttemptPlan> plan_attempt_end(const Facts& facts, const AttemptEnd& end, Instant now);

}  // namespace belfry::decide
