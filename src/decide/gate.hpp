// What has to be approved by a person, and the record that asks for it. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "decide/facts.hpp"
#include "model/approval.hpp"
#include "model/assignment.hpp"
#include "model/policy.hpp"
#include "model/run_event.hpp"

namespace belfry::decide {

// What both want approved: neither can do without what the other asks for. Of two modes the stricter one, of two times the
// shorter one.
[[nodiscard]] model::ApprovalPolicy united(model::ApprovalPolicy one, const model::ApprovalPolicy& other);

// What a schedule wants approved, and what the assignment that it names wants besides, as that is now. Null: there is none; when
// the schedule names one all the same, everything is to be approved.
[[nodiscard]] model::ApprovalPolicy approval_of(const model::Schedule& definition, const model::WorkflowAssignment* assignment);

// What the run that the facts are about wants approved.
[[nodiscard]] model::ApprovalPolicy approval_of_run(const Facts& facts);

// Why somebody must agree before a node with this action begins; nothing: nobody must.
[[nodiscard]] std::optional<model::ApprovalWhy> gate_of(const model::ApprovalPolicy& policy, const std::string& action);

// Whether a run waits as a whole. Of a single task, every node is the run.
[[nodiscard]] bool is_run_gated(const model::ApprovalPolicy& policy, bool walks);

// Whether somebody may have been asked to approve a run of it: an earlier version may have wanted that.
[[nodiscard]] bool may_ask(const model::Schedule& definition);

// A request, as it is written: pending, until its time is over.
[[nodiscard]] model::Approval ask(const model::ApprovalPolicy& policy, model::Approval what, Instant now);

// The newest request for the node, or for the run; null when there was none.
[[nodiscard]] const model::Approval* newest_of(std::span<const model::Approval> approvals, const std::string& node);

// What a run's history says of it. The second also of one that is void.
[[nodiscard]] model::RunEvent requested_event(const model::Approval& approval);
[[nodiscard]] model::RunEvent decided_event(const model::Approval& approval);

// `24 h`, `90 min`: how long it waited for an answer.
[[nodiscard]] std::string waited(const model::Approval& approval);

}  // namespace belfry::decide
