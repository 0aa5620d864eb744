// What needs an approval, and the request for it. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "decide/facts.hpp"
#include "model/run/approval.hpp"
#include "model/run/run_event.hpp"
#include "model/schedule/policy.hpp"
#include "model/tenant/assignment.hpp"
#include "model/workflow/workflow.hpp"

namespace belfry::decide {

// The actions to which `sensitive_actions` applies.
[[nodiscard]] std::span<const std::string_view> sensitive_actions();

// Whether the policy requires any approval.
[[nodiscard]] bool asks(const model::ApprovalPolicy& policy);
// Whether an approver decides about a node that failed for good.
[[nodiscard]] bool asks_on_block(const model::ApprovalPolicy& policy);
[[nodiscard]] std::chrono::milliseconds expiry_of(const model::ApprovalPolicy& policy);

// The union of both policies: everything that either of them requires. The stricter of two modes, the shorter of two
// times.
[[nodiscard]] model::ApprovalPolicy stricter_of(model::ApprovalPolicy one, const model::ApprovalPolicy& other);

// The policy of a schedule, combined with the current one of its assignment. Null: the assignment does not exist; if
// the schedule names one nevertheless, everything needs approval.
[[nodiscard]] model::ApprovalPolicy approval_of(const model::Schedule& definition,
                                                const model::WorkflowAssignment* assignment);

// The same, combined with the workflow's policy in the version of the run; null: the run has no workflow.
[[nodiscard]] model::ApprovalPolicy with_workflow(const model::ApprovalPolicy& approval,
                                                  const model::Workflow* workflow);

// The policy for a run that starts now.
[[nodiscard]] model::ApprovalPolicy approval_of_new_run(const Facts& facts);

// The policy for the run of the facts.
[[nodiscard]] model::ApprovalPolicy approval_of_run(const Facts& facts);

// Why a node with this action needs approval before it starts; empty: it needs none.
[[nodiscard]] std::optional<model::ApprovalWhy> gate_of(const model::ApprovalPolicy& policy, const std::string& action);

// Whether a run waits as a whole. For a single task, every_node means the run.
[[nodiscard]] bool is_run_gated(const model::ApprovalPolicy& policy, bool has_workflow);

// Whether a run of the schedule may have a request for approval: an earlier version or the workflow may have required
// it. `workflow` is that of the run; null: unknown.
[[nodiscard]] bool may_ask(const model::Schedule& definition, const model::Workflow* workflow = nullptr);

// A new request: pending, until it expires.
[[nodiscard]] model::Approval ask(const model::ApprovalPolicy& policy, model::Approval what, Instant now);

// The newest request for the node or the run; null if there is none.
[[nodiscard]] const model::Approval* newest_of(std::span<const model::Approval> approvals, const std::string& node);

// The events for a run's history. decided_event() also works for a void request.
[[nodiscard]] model::RunEvent requested_event(const model::Approval& approval);
[[nodiscard]] model::RunEvent decided_event(const model::Approval& approval);

// How long the request waited: `24 h`, `90 min`.
[[nodiscard]] std::string waited(const model::Approval& approval);

}  // namespace belfry::decide
