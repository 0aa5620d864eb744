// How an attempt at a run's task ends: with another attempt later, or with the end of the run. Pure.
#pragma once

#include <variant>

#include "decide/facts.hpp"
#include "decide/plan.hpp"
#include "decide/run/attempt_end.hpp"

namespace belfry::decide {

struct Retry {
    Instant ready_at = {};
    friend bool operator==(const Retry&, const Retry&) = default;
};
using AttemptPlan = std::variant<Plan, Retry>;

// An attempt that reports more usage than a limit allows fails, whatever its status, and no policy retries it.
// REQUIRES: facts.run is the run, its `attempts` counts the attempt that ended, and facts.spending includes its report.
[[nodiscard]] Result<AttemptPlan> plan_attempt_end(const Facts& facts, const AttemptEnd& end, Instant now);

// A running attempt reports its usage: the plan is empty, or ends the attempt because it exceeded a limit. REQUIRES:
// the same.
[[nodiscard]] Result<AttemptPlan> plan_usage_report(const Facts& facts, Instant now);

}  // namespace belfry::decide
