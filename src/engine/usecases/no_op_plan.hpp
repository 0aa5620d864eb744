// The plan that leaves a schedule unchanged, for planners that only read. The store returns the plan's state as the
// schedule's, so it contains the current state.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::engine {

[[nodiscard]] inline decide::Plan no_op_plan(const decide::Facts& facts) {
    decide::Plan plan;
    plan.schedule_id = facts.schedule->definition.id;
    plan.revision = facts.state.revision;
    plan.state = facts.state;
    return plan;
}

}  // namespace belfry::engine
