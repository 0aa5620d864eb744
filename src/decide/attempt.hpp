// How an attempt at a run's task ends: with another attempt later, or with the end of the run. Pure.
#pragma once

#include <variant>

#include "decide/attempt_end.hpp"
#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

struct Retry {
    Instant ready_at = {};
    bool put_back = false;  // nobody has tried it
    friend bool operator==(const Retry&, const Retry&) = default;
};
using AttemptPlan = std::variant<Plan, Retry>;

// REQUIRES: facts.run is the run, and its `attempts` counts the attempt that ended.
[[nodiscard]] Result<AttemptPlan> plan_attempt_end(const Facts& facts, const AttemptEnd& end, Instant now);

}  // namespace belfry::decide
