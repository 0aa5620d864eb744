#include "decide/approval/approval_order.hpp"

#include <algorithm>

#include "decide/approval/gate.hpp"

namespace belfry::decide {

using model::ApprovalMode;
using model::ApprovalPolicy;

namespace {

// Whether every node that waits under `before` also waits under `after`, whatever its action is.
bool holds_nodes(const ApprovalPolicy& after, const ApprovalPolicy& before) {
    if (after.mode == ApprovalMode::every_node) return true;
    if (before.mode == ApprovalMode::every_node) return false;
    const auto waits = [&after](std::string_view action) { return gate_of(after, std::string(action)).has_value(); };
    if (before.mode == ApprovalMode::sensitive_actions && !std::ranges::all_of(sensitive_actions(), waits))
        return false;
    return std::ranges::all_of(before.gates, waits);
}

}  // namespace

bool is_weaker(const ApprovalPolicy& after, const ApprovalPolicy& before) {
    if (!asks(before)) return false;
    if (before.requires_approval && !after.requires_approval) return true;
    if (!holds_nodes(after, before)) return true;
    if (asks_on_block(before) && !asks_on_block(after)) return true;
    return expiry_of(after) > expiry_of(before);
}

bool loosens(const CompiledSchedule& after, const CompiledSchedule* before,
             const model::WorkflowAssignment* assignment) {
    if (before != nullptr && is_weaker(after.approval, before->approval)) return true;
    const auto& assignee = after.definition.assignee;
    if (!assignee || after.approval.requires_approval) return false;
    const bool kept = before != nullptr && before->definition.assignee == assignee;
    return !kept && (assignment == nullptr || assignment->assignee != *assignee);
}

bool loosens(const model::WorkflowAssignment& after, const model::WorkflowAssignment* before) {
    if (before != nullptr && is_weaker(after.approval, before->approval)) return true;
    const bool kept = before != nullptr && before->assignee == after.assignee;
    return !kept && !after.approval.requires_approval;
}

bool loosens(const model::Workflow& after, const model::Workflow& before) {
    if (is_weaker(after.approval, before.approval)) return true;
    if (after.approval.mode == ApprovalMode::every_node) return false;
    // A gated node must keep its id, its work and a gate. Renamed, or removed and added again, it would start without
    // approval.
    return std::ranges::any_of(before.nodes, [&](const model::WorkflowNode& node) {
        if (!gate_of(before.approval, node.action)) return false;
        const auto* const same = after.find(node.id);
        return same == nullptr || !gate_of(after.approval, same->action) || same->kind != node.kind ||
               same->task_kind != node.task_kind;
    });
}

}  // namespace belfry::decide
