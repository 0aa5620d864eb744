#include "store/rules/run_rows.hpp"

namespace belfry::store {

using model::ExecutionStatus;

model::Run run_row(const decide::Plan& plan, const decide::PlannedRun& planned, std::int64_t version) {
    model::Run run;
    run.id = planned.id;
    run.schedule_id = plan.schedule_id;
    run.slot = planned.slot;
    run.version = version;
    run.fire_at = planned.fire_at;
    run.decided_at = plan.decided_at;
    run.dispatch = planned.dispatch;
    run.execution = planned.execution;
    run.reason = planned.reason;
    run.detail = planned.detail;
    run.input = planned.input;
    run.trigger_number = planned.trigger_number;
    run.rotation_index_used = planned.rotation_index_used;
    run.overlap = planned.overlap;
    run.range = planned.range;
    // The same plan started the run and then replaced it.
    if (is_terminal(planned.execution)) run.completed_at = plan.decided_at;
    return run;
}

const Json& own_input(const model::Schedule& definition, const std::optional<std::int64_t>& rotation_index) {
    if (rotation_index) {
        const auto index = static_cast<std::size_t>(*rotation_index);
        if (index < definition.inputs_rotation.size()) return definition.inputs_rotation[index];
    }
    return definition.inputs_template.is_null() ? definition.target.input : definition.inputs_template;
}

bool is_of_team(const model::Schedule& definition) {
    return definition.assignee && definition.assignee->type == "team";
}

std::optional<std::int64_t> requested_slot(const decide::Plan& plan) {
    return plan.runs.empty() ? std::nullopt : std::optional(model::slot_number(plan.runs.back().slot));
}

namespace {

// The single task of a run ends like the run. The end of a run cancels its unfinished workflow nodes.
model::NodeStatus status_at_end(const model::NodeRun& node, const model::Run& run) {
    if (!node.node.empty()) return model::NodeStatus::cancelled;
    switch (run.execution) {
        case ExecutionStatus::succeeded: return model::NodeStatus::succeeded;
        case ExecutionStatus::failed: return model::NodeStatus::failed;
        case ExecutionStatus::timed_out: return model::NodeStatus::timed_out;
        default: return model::NodeStatus::cancelled;
    }
}

}  // namespace

void show_progress(model::NodeRun& node, const model::Run& run, const std::optional<model::Lease>& lease) {
    if (is_over(node.status)) return;
    if (is_terminal(run.execution)) {
        node.status = status_at_end(node, run);
        node.completed_at = run.completed_at;
        if (!node.node.empty()) return;
        node.attempts = run.attempts;
        node.started_at = run.started_at;
        node.result = run.result;
        node.error = run.error;
    } else if (lease) {
        node.status = model::NodeStatus::running;
        node.attempts = lease->ref.attempt;
        node.started_at = lease->since;
    }
}

}  // namespace belfry::store
