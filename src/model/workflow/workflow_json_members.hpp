// Member tables of workflows (json_members.hpp).
#pragma once

#include "model/json/json_members.hpp"
#include "model/schedule/schedule_json_members.hpp"
#include "model/workflow/workflow.hpp"

namespace belfry::model {

void visit_members(MaybeConst<WorkflowNode> auto& node, auto&& visit) {
    auto& [id, kind, task_kind, depends_on, input, action, timeout, queue, assignee, retry, connection] = node;
    visit("id", id, {Presence::required});
    visit("kind", kind);
    visit("taskKind", EmptyIsNull{task_kind});
    visit("dependsOn", depends_on);
    visit("input", input);
    visit("action", EmptyIsNull{action});
    visit("timeoutMs", timeout);
    visit("queue", queue);
    visit("assignee", assignee);
    visit("retryPolicy", retry);
    visit("connection", connection);
}

// Without the tenant: the request's path has it, and so does the stored row.
void visit_members(MaybeConst<Workflow> auto& workflow, auto&& visit) {
    auto& [tenant, name, version, description, nodes, queue, connection, timeout, approval, triggers, created_by,
           created_at, cycle] = workflow;
    static_cast<void>(cycle);  // follows from the nodes
    static_cast<void>(tenant);
    visit("name", name, {Presence::required});
    visit("version", version);
    visit("description", description);
    visit("nodes", nodes, {Presence::required});
    visit("queue", queue);
    visit("connection", connection);
    visit("timeoutMs", timeout);
    visit("approvalPolicy", approval);
    visit("triggers", triggers);
    visit("createdBy", created_by);
    visit("createdAt", created_at);
}

}  // namespace belfry::model
