// The plan that leaves a schedule as it is: what a planner answers that only wanted to look. A store hands its state back as
// that of the schedule, so it says what was found.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::engine {

[[nodiscard]] inline decide::Plan nothing(const decide::Facts& facts) {
    decide::Plan plan;
    plan.schedule_id = facts.schedule->definition.id;
    plan.revision = facts.state.revision;
    plan.state = facts.state;
    return plan;
}

}  // namespace belfry::engine
