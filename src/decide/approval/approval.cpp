#include "decide/approval/approval.hpp"

#include <algorithm>

#include "base/crypto/sha256.hpp"
#include "base/text/ascii.hpp"
#include "decide/approval/gate.hpp"
#include "decide/plan_builder.hpp"
#include "decide/run/completion.hpp"

namespace belfry::decide {

using model::Approval;
using model::ApprovalStatus;
using model::ExecutionStatus;

namespace {

Error conflict(std::string why) { return {ErrorCode::conflict, std::move(why)}; }

// The named run or node does not wait; the error names a node of the run that does.
Error nothing_waits(const Facts& facts, const std::string& node) {
    if (!node.empty()) return conflict("node " + node + " does not wait for approval");
    for (const auto& approval : facts.approvals) {
        if (approval.status == ApprovalStatus::pending) {
            return conflict("the run itself does not wait for approval, but node " + approval.node +
                            " does: set `node` to it");
        }
    }
    return conflict("the run is " + std::string(name_of(facts.run->execution)) + " and does not wait for approval");
}

Error already_decided(const Approval& approval) {
    const auto what = approval.node.empty() ? std::string("the run") : "node " + approval.node;
    const auto by = approval.decided_by.empty() ? std::string() : " by " + approval.decided_by;
    return conflict(what + " no longer waits: its approval is " + std::string(name_of(approval.status)) + by);
}

std::string refusal_of(const Approval& verdict) {
    if (verdict.status == ApprovalStatus::approved) return {};
    if (verdict.status == ApprovalStatus::expired) return "not approved within " + waited(verdict);
    return "refused" + (verdict.decided_by.empty() ? std::string() : " by " + verdict.decided_by) +
           (verdict.comment.empty() ? std::string() : ": " + verdict.comment);
}

std::optional<Error> answer_run(PlanBuilder& builder, const Approval& verdict) {
    const auto& run = *builder.facts().run;
    if (run.execution != ExecutionStatus::awaiting_approval) return nothing_waits(builder.facts(), {});
    if (verdict.status != ApprovalStatus::approved) {
        return complete(builder, {run.id, run.execution, ExecutionStatus::cancelled, nullptr, refusal_of(verdict)});
    }
    if (!builder.facts().switches.all())
        return conflict("dispatch is switched off, so the run cannot start: it keeps waiting");
    // The workflow was removed while the run waited. A single task of the same name is not what was approved.
    const auto& target = builder.facts().run_target;
    if (target.verdict != TargetCheck::Verdict::ok) {
        return conflict("there is no " + target.detail + " any more: deploy it again, or reject the run");
    }
    // A workflow run has no history before it starts, so both events are recorded now.
    if (builder.facts().run_workflow) {
        builder.note({run.id, requested_event(verdict)});
        builder.note({run.id, decided_event(verdict)});
    }
    return builder.start(run, std::max(builder.now(), run.fire_at));
}

std::optional<Error> answer_node(PlanBuilder& builder, const Approval& verdict) {
    const auto& facts = builder.facts();
    const auto& run = *facts.run;
    if (!facts.workflow_run || !facts.workflow_run->workflow) return nothing_waits(facts, verdict.node);
    builder.note({run.id, decided_event(verdict)});
    auto step = resolve_node(*facts.workflow_run, facts.definition_of_run(),
                             {run.id, run.slot, run.input, builder.now(), {}, approval_of_run(facts)}, verdict.node,
                             refusal_of(verdict), builder.now());
    if (!step) return step.error();
    return advance(builder, run, std::move(*step));
}

Result<Plan> settle(const Facts& facts, const Approval& verdict, Instant now, const model::CommandContext& context) {
    PlanBuilder builder(facts, now, context);
    builder.settle(verdict);
    if (auto error = verdict.node.empty() ? answer_run(builder, verdict) : answer_node(builder, verdict)) return *error;
    return builder.take();
}

}  // namespace

Result<Plan> plan_approval(const Facts& facts, const ApprovalDecision& decision, Instant now,
                           const model::CommandContext& context) {
    const auto* const asked = newest_of(facts.approvals, decision.node);
    if (asked == nullptr) return nothing_waits(facts, decision.node);
    const auto wanted = decision.approved ? ApprovalStatus::approved : ApprovalStatus::rejected;
    if (asked->status == wanted) return PlanBuilder(facts, now, context).take();
    if (asked->status != ApprovalStatus::pending) return already_decided(*asked);
    if (asked->expires_at <= now) return conflict("the approval expired at " + format_instant(asked->expires_at));
    auto verdict = *asked;
    verdict.status = wanted;
    verdict.decided_at = now;
    verdict.decided_by = context.principal;
    verdict.comment = whole_characters(storable(decision.comment), kApprovalCommentMax);
    return settle(facts, verdict, now, context);
}

Result<Plan> plan_approval_expiry(const Facts& facts, const std::string& node, Instant now) {
    const auto* const asked = newest_of(facts.approvals, node);
    if (asked == nullptr) return nothing_waits(facts, node);
    if (asked->status != ApprovalStatus::pending) return already_decided(*asked);
    if (asked->expires_at > now)
        return conflict("the approval does not expire before " + format_instant(asked->expires_at));
    auto verdict = *asked;
    verdict.status = ApprovalStatus::expired;
    verdict.decided_at = now;
    return settle(facts, verdict, now, {});
}

model::RequestKey bypass_key(const std::string& principal, const std::string& what, const std::string& how) {
    const auto who = std::to_string(principal.size()) + ":" + principal;
    return {.key = "bypass " + sha256_hex(who + "/" + what + "/" + how), .fingerprint = "bypass"};
}

void record_bypass(PlanBuilder& builder, const BypassAttempt& attempt, const std::string& principal) {
    const auto or_null = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
    boost::json::object payload{
        {"principal", principal}, {"run", or_null(attempt.run)}, {"node", or_null(attempt.node)}, {"how", attempt.how}};
    if (!attempt.subject.empty()) payload["subject"] = attempt.subject;
    builder.record(model::EventType::approval_bypass_attempt, std::move(payload));
}

Plan plan_bypass_record(const Facts& facts, const BypassAttempt& attempt, Instant now,
                        const model::CommandContext& context) {
    PlanBuilder builder(facts, now, context);
    record_bypass(builder, attempt, context.principal);
    auto plan = builder.take();
    plan.request =
        bypass_key(context.principal, attempt.run.empty() ? facts.schedule->definition.id : attempt.run, attempt.how);
    return plan;
}

bool is_unsupervised(const CompiledSchedule& schedule, const std::optional<model::AssigneeRecord>& assignee) {
    if (!schedule.definition.assignee || schedule.approval.requires_approval) return false;
    return !assignee || !assignee->policies.spending_limit;
}

}  // namespace belfry::decide
