#include "store/rules/claimed_task.hpp"

#include "model/identity.hpp"
#include "model/run/run_key.hpp"
#include "model/schedule/cause.hpp"

namespace belfry::store {

model::Task task_of(const Claimed& claimed) {
    const auto& [run, definition, workflow_run, node, attempt, lease_until, assignee, ready_at] = claimed;
    model::Task task;
    task.run_id = run.id;
    task.schedule_id = definition.id;
    task.tenant = definition.tenant;
    task.schedule_name = definition.name;
    task.idempotency_key = model::idempotency_key(definition, run.slot);
    task.instance_id = model::instance_id(definition.name, run.slot);
    task.target = definition.target;
    task.node = node;
    task.kind = definition.target.type == model::TargetType::task ? model::kind_of_task(definition.target.kind)
                                                                  : model::NodeKind::task;
    task.task_kind = definition.target.kind;
    task.assignee = assignee;
    task.input = run.input;
    task.slot = run.slot;
    task.attempt = attempt;
    task.lease_until = lease_until;
    task.timeout = definition.retry.timeout;
    task.ready_at = ready_at;
    task.queue = definition.target.queue;
    task.created_by = definition.created_by;
    task.immediate = model::is_immediate(definition);
    if (node.empty() || workflow_run == nullptr || workflow_run->workflow == nullptr) return task;
    task.workflow_version = workflow_run->workflow->version;
    task.workflow = workflow_run->workflow;
    // Each node has its own key, so that a receiver distinguishes their work.
    task.idempotency_key += ":" + node;
    if (const auto* const row = workflow_run->find(node)) {
        task.input = row->input;
        task.timeout = row->timeout;
    }
    if (const auto* const described = workflow_run->workflow->find(node)) {
        task.kind = described->kind;
        task.task_kind = described->task_kind.empty() ? described->id : described->task_kind;
        task.action = described->action;
        task.queue = model::named_queue({described, definition.target, workflow_run->workflow.get()});
    }
    return task;
}

}  // namespace belfry::store
