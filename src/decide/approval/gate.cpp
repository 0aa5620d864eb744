#include "decide/approval/gate.hpp"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <string_view>

namespace belfry::decide {

using model::Approval;
using model::ApprovalMode;
using model::ApprovalWhy;

namespace {

constexpr std::array<std::string_view, 5> kSensitive{"publish", "spend", "delete", "external_message",
                                                     "schedule_change"};

// For an assignment that does not exist.
const model::ApprovalPolicy kStrictest{.requires_approval = true, .mode = ApprovalMode::every_node};

// The lesser of the two, or the only one.
template <typename T>
std::optional<T> least(const std::optional<T>& one, const std::optional<T>& other) {
    if (!one || !other) return one ? one : other;
    return std::min(*one, *other);
}

// A policy that requires approval without an expiry has the default one.
std::optional<std::chrono::milliseconds> said_expiry(const model::ApprovalPolicy& policy) {
    return asks(policy) ? std::optional(expiry_of(policy)) : policy.expires_after;
}

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

std::span<const std::string_view> sensitive_actions() { return kSensitive; }

bool asks(const model::ApprovalPolicy& policy) {
    return policy.requires_approval || policy.mode || !policy.gates.empty();
}

bool asks_on_block(const model::ApprovalPolicy& policy) {
    return policy.mode == ApprovalMode::on_block || policy.also_on_block;
}

std::chrono::milliseconds expiry_of(const model::ApprovalPolicy& policy) {
    return policy.expires_after.value_or(model::kApprovalExpiry);
}

model::ApprovalPolicy stricter_of(model::ApprovalPolicy one, const model::ApprovalPolicy& other) {
    if (one.expires_after || other.expires_after) one.expires_after = least(said_expiry(one), said_expiry(other));
    static_assert(ApprovalMode::every_node < ApprovalMode::sensitive_actions &&
                  ApprovalMode::sensitive_actions < ApprovalMode::on_block);
    one.requires_approval = one.requires_approval || other.requires_approval;
    const bool on_block = asks_on_block(one) || asks_on_block(other);
    one.mode = least(one.mode, other.mode);
    one.also_on_block = on_block && one.mode != ApprovalMode::on_block;
    for (const auto& gate : other.gates) {
        if (std::ranges::find(one.gates, gate) == one.gates.end()) one.gates.push_back(gate);
    }
    return one;
}

model::ApprovalPolicy approval_of(const model::Schedule& definition, const model::WorkflowAssignment* assignment) {
    if (definition.assignment.empty()) return definition.approval;
    return stricter_of(definition.approval, assignment != nullptr ? assignment->approval : kStrictest);
}

model::ApprovalPolicy with_workflow(const model::ApprovalPolicy& approval, const model::Workflow* workflow) {
    return workflow != nullptr ? stricter_of(approval, workflow->approval) : approval;
}

model::ApprovalPolicy approval_of_new_run(const Facts& facts) {
    return with_workflow(facts.schedule->approval, facts.workflow.get());
}

model::ApprovalPolicy approval_of_run(const Facts& facts) {
    const auto& workflow =
        facts.workflow_run && facts.workflow_run->workflow ? facts.workflow_run->workflow : facts.run_workflow;
    if (!facts.run_definition) return with_workflow(facts.schedule->approval, workflow.get());
    return with_workflow(approval_of(*facts.run_definition, facts.run_assignment ? &*facts.run_assignment : nullptr),
                         workflow.get());
}

std::optional<ApprovalWhy> gate_of(const model::ApprovalPolicy& policy, const std::string& action) {
    if (policy.mode == ApprovalMode::every_node) return ApprovalWhy::every_node;
    if (std::ranges::find(policy.gates, action) != policy.gates.end()) return ApprovalWhy::gate;
    const bool sensitive = std::ranges::find(kSensitive, action) != kSensitive.end();
    if (policy.mode == ApprovalMode::sensitive_actions && sensitive) return ApprovalWhy::sensitive_action;
    return std::nullopt;
}

bool is_run_gated(const model::ApprovalPolicy& policy, bool has_workflow) {
    return policy.requires_approval || (!has_workflow && policy.mode == ApprovalMode::every_node);
}

bool may_ask(const model::Schedule& definition, const model::Workflow* workflow) {
    if (definition.approval != model::ApprovalPolicy{} || !definition.assignment.empty() || definition.version > 1)
        return true;
    return definition.target.type == model::TargetType::workflow && (workflow == nullptr || asks(workflow->approval));
}

Approval ask(const model::ApprovalPolicy& policy, Approval what, Instant now) {
    what.status = model::ApprovalStatus::pending;
    what.requested_at = now;
    what.expires_at = now + expiry_of(policy);
    return what;
}

const Approval* newest_of(std::span<const Approval> approvals, const std::string& node) {
    const Approval* newest = nullptr;
    for (const auto& approval : approvals) {
        if (approval.node == node && (newest == nullptr || approval.attempts >= newest->attempts)) newest = &approval;
    }
    return newest;
}

model::RunEvent requested_event(const Approval& approval) {
    return {.type = "approval.requested",
            .at = approval.requested_at,
            .node = approval.node,
            .payload = boost::json::object{{"why", name_of(approval.why)},
                                           {"action", or_null(approval.action)},
                                           {"expiresAt", format_instant(approval.expires_at)}}};
}

model::RunEvent decided_event(const Approval& approval) {
    return {.type = "approval.decided",
            .at = approval.decided_at.value_or(approval.requested_at),
            .node = approval.node,
            .payload = boost::json::object{{"outcome", name_of(approval.status)},
                                           {"by", or_null(approval.decided_by)},
                                           {"comment", or_null(approval.comment)}}};
}

std::string waited(const Approval& approval) {
    const auto minutes =
        std::chrono::duration_cast<std::chrono::minutes>(approval.expires_at - approval.requested_at).count();
    return minutes % 60 == 0 ? std::to_string(minutes / 60) + " h" : std::to_string(minutes) + " min";
}

}  // namespace belfry::decide
