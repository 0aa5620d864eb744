#include "store/rules/plan_checks.hpp"

#include <algorithm>

#include "decide/approval/gate.hpp"
#include "model/run/event.hpp"
#include "store/errors.hpp"

namespace belfry::store {

using model::ExecutionStatus;

std::optional<Error> check_events(const decide::Plan& plan, std::int64_t before) {
    for (const auto& event : plan.events) {
        if (event.sequence != ++before) {
            return Error{ErrorCode::corrupt, "event " + std::to_string(event.sequence) + " cannot follow event " +
                                                 std::to_string(before - 1)};
        }
        if (auto error = model::check_payload(event.type, event.payload)) return error;
    }
    if (plan.state.events != before)
        return Error{ErrorCode::corrupt, "the event count of the state does not match the plan"};
    for (const auto& note : plan.notes) {
        const auto type = model::parse_event_type(note.event.type);
        if (!type) return type.error();
        if (auto error = model::check_payload(*type, note.event.payload)) return error;
    }
    return std::nullopt;
}

std::optional<Error> check_new(const decide::Plan& plan) {
    if (plan.revision != 0 || !plan.definition) return moved_on(plan, 0);
    return check_events(plan, 0);
}

namespace {

bool asks_for(const decide::Plan& plan, const std::string& run_id, const std::string& node) {
    return std::ranges::any_of(plan.asks,
                               [&](const auto& asked) { return asked.run_id == run_id && asked.node == node; });
}

std::optional<Error> check_node(const decide::Plan& plan, const std::string& run_id, const model::NodeRun& node) {
    const bool asked = asks_for(plan, run_id, node.node);
    if (node.status == model::NodeStatus::queued && asked) return not_approved(run_id, node.node);
    if (node.status == model::NodeStatus::awaiting_approval && !asked) {
        return Error{ErrorCode::corrupt,
                     "node " + node.node + " of run " + run_id + " would wait, but no approval is requested"};
    }
    return std::nullopt;
}

}  // namespace

std::optional<Error> check_asks(const decide::Plan& plan, const model::ApprovalPolicy& approval,
                                const WalkedBy& workflow) {
    const auto is_gated = [&](const decide::PlannedRun& run) {
        if (decide::is_run_gated(approval, run.workflow_run.has_value())) return true;
        if (!run.workflow_run) return false;
        const auto walked = workflow(*run.workflow_run);
        return !walked || decide::is_run_gated(walked->approval, true);
    };
    const auto check_nodes = [&plan](const std::string& run_id,
                                     const std::optional<decide::WorkflowStart>& workflow_run) -> std::optional<Error> {
        if (!workflow_run) return std::nullopt;
        for (const auto& node : workflow_run->nodes) {
            if (auto error = check_node(plan, run_id, node)) return error;
        }
        return std::nullopt;
    };
    for (const auto* const runs : {&plan.runs, &plan.releases}) {
        for (const auto& run : *runs) {
            const bool asked = asks_for(plan, run.id, {});
            if (run.execution == ExecutionStatus::awaiting_approval && !asked) {
                return Error{ErrorCode::corrupt, "run " + run.id + " would wait, but no approval is requested"};
            }
            if (run.execution != ExecutionStatus::queued) continue;
            if (asked || is_gated(run)) return not_approved(run.id, {});
            if (auto error = check_nodes(run.id, run.workflow_run)) return error;
        }
    }
    for (const auto& start : plan.starts) {
        if (asks_for(plan, start.run_id, {})) return not_approved(start.run_id, {});
        if (auto error = check_nodes(start.run_id, start.workflow_run)) return error;
    }
    for (const auto& change : plan.nodes) {
        if (auto error = check_node(plan, change.run_id, change.node)) return error;
    }
    return std::nullopt;
}

const std::string* newly_assigned(const decide::Plan& plan, const model::Schedule* before) {
    if (!plan.definition || plan.definition->assignment.empty()) return nullptr;
    const auto& named = plan.definition->assignment;
    return before != nullptr && before->assignment == named ? nullptr : &named;
}

}  // namespace belfry::store
