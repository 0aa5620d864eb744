#include "decide/gate.hpp"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <string_view>

namespace belfry::decide {

using model::Approval;
using model::ApprovalMode;
using model::ApprovalWhy;

namespace {

constexpr std::array<std::string_view, 5> kSensitive{"publish", "spend", "delete", "external_message", "schedule_change"};

// Of what nobody can read any more.
const model::ApprovalPolicy kStrictest{.requires_approval = true, .mode = ApprovalMode::every_node};

// The shorter of the two, or the one that is there.
template <typename T>
std::optional<T> least(const std::optional<T>& one, const std::optional<T>& other) {
    if (!one || !other) return one ? one : other;
    return std::min(*one, *other);
}

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

model::ApprovalPolicy united(model::ApprovalPolicy one, const model::ApprovalPolicy& other) {
    static_assert(ApprovalMode::every_node < ApprovalMode::sensitive_actions && ApprovalMode::sensitive_actions < ApprovalMode::on_block);
    one.requires_approval = one.requires_approval || other.requires_approval;
    one.mode = least(one.mode, other.mode);
    for (const auto& gate : other.gates) {
        if (std::ranges::find(one.gates, gate) == one.gates.end()) one.gates.push_back(gate);
    }
    one.expires_after = least(one.expires_after, other.expires_after);
    return one;
}

model::ApprovalPolicy approval_of(const model::Schedule& definition, const model::WorkflowAssignment* assignment) {
    if (definition.assignment.empty()) return definition.approval;
    return united(definition.approval, assignment != nullptr ? assignment->approval : kStrictest);
}

model::ApprovalPolicy approval_of_run(const Facts& facts) {
    if (!facts.run_definition) return facts.schedule->approval;
    return approval_of(*facts.run_definition, facts.run_assignment ? &*facts.run_assignment : nullptr);
}

std::optional<ApprovalWhy> gate_of(const model::ApprovalPolicy& policy, const std::string& action) {
    if (policy.mode == ApprovalMode::every_node) return ApprovalWhy::every_node;
    if (std::ranges::find(policy.gates, action) != policy.gates.end()) return ApprovalWhy::gate;
    const bool sensitive = std::ranges::find(kSensitive, action) != kSensitive.end();
    if (policy.mode == ApprovalMode::sensitive_actions && sensitive) return ApprovalWhy::sensitive_action;
    return std::nullopt;
}

bool is_run_gated(const model::ApprovalPolicy& policy, bool walks) {
    return policy.requires_approval || (!walks && policy.mode == ApprovalMode::every_node);
}

bool may_ask(const model::Schedule& definition) {
    return definition.approval != model::ApprovalPolicy{} || !definition.assignment.empty() || definition.version > 1;
}

Approval ask(const model::ApprovalPolicy& policy, Approval what, Instant now) {
    what.status = model::ApprovalStatus::pending;
    what.requested_at = now;
    what.expires_at = now + policy.expires_after.value_or(model::kApprovalExpiry);
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
            .payload = boost::json::object{
                {"why", name_of(approval.why)}, {"action", or_null(approval.action)}, {"expiresAt", format_instant(approval.expires_at)}}};
}

model::RunEvent decided_event(const Approval& approval) {
    return {.type = "approval.decided",
            .at = approval.decided_at.value_or(approval.requested_at),
            .node = approval.node,
            .payload = boost::json::object{
                {"outcome", name_of(approval.status)}, {"by", or_null(approval.decided_by)}, {"comment", or_null(approval.comment)}}};
}

std::string waited(const Approval& approval) {
    const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(approval.expires_at - approval.requested_at).count();
    return minutes % 60 == 0 ? std::to_string(minutes / 60) + " h" : std::to_string(minutes) + " min";
}

}  // namespace belfry::decide
