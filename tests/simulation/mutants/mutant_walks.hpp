// Planted bugs in how a run walks its workflow: the planner is told something else than what the store holds, or what
// it says is written otherwise.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"
#include "simulation/mutants/mutant.hpp"

namespace belfry::sim {

// Whether the bug is one of the planner's at the end of a node's attempt.
[[nodiscard]] bool misleads_walks(Mutant mutant);
// The facts as such a planner sees them. `newest` is the newest version of what the run walks; null: it was removed.
[[nodiscard]] decide::Facts mislead(Mutant mutant, decide::Facts facts, const model::WorkflowPtr& newest);
// Nodes of the plan whose timeout a first lease does not reach have none: only heartbeats show it.
void forget_timeouts(decide::Plan& plan, Micros lease);

}  // namespace belfry::sim
