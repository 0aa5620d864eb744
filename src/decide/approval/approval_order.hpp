// Which of two approval policies requires less, and whether a change loosens approvals. Pure.
//
// "Not weaker" is a partial order: it is reflexive and transitive, and the union of two policies (gate.hpp) requires
// everything that either of them requires. A caller without the permission `approve` cannot write a weaker policy:
// docs/adr/0024-loosening-approvals.md.
#pragma once

#include "decide/schedule/compiled_schedule.hpp"
#include "model/schedule/policy.hpp"
#include "model/workflow/workflow.hpp"

namespace belfry::decide {

// Whether `after` starts a run or a node without an approval that `before` required, no longer requires one for a
// node that failed for good, or gives approvers more time.
[[nodiscard]] bool is_weaker(const model::ApprovalPolicy& after, const model::ApprovalPolicy& before);

// Whether a schedule requires less than before (null: it is new): its policy is weaker, or it gets another assignee
// and its runs need no approval, although by default runs of assignees need one. `assignment` is the one that the
// schedule names: its policy applies to its own assignee.
[[nodiscard]] bool loosens(const CompiledSchedule& after, const CompiledSchedule* before,
                           const model::WorkflowAssignment* assignment);

// The same for an assignment.
[[nodiscard]] bool loosens(const model::WorkflowAssignment& after, const model::WorkflowAssignment* before);

// Whether the version `after` requires less than `before`: its policy is weaker, or a node that needed approval no
// longer does.
[[nodiscard]] bool loosens(const model::Workflow& after, const model::Workflow& before);

}  // namespace belfry::decide
