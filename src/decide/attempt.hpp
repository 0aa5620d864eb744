// How an attempt at a run's task ends: with another attempt later, or with the end of the run. Pure.
#pragma once

#include <variant>

#include "decide/attempt_end.hpp"
#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

struct Retry {
    Instant ready_at = {};
    friend bool operator==(const Retry&, const Retry&) = default;
};
using AttemptPlan = std::variant<Plan, Retry>;

// An attempt that only reports what it uses goes on, and the plan is empty; one that reports more than a limit allows fails,
// whatever else it says, and no policy tries it again.
// REQUIRES: facts.run is the run, its `attempts` counts the attempt that ended, and facts.spending holds what it reports.
[[nodiscard]] Result<AttemptPlan> plan_attempt_end(const Facts& facts, const AttemptEnd& end, Instant now);

}  // namespace belfry::decide
