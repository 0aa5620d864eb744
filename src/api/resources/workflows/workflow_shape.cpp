#include "api/resources/workflows/workflow_shape.hpp"

#include <algorithm>

#include "api/resources/runs/run_shapes.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "model/workflow/workflow.hpp"

namespace belfry::api {

namespace {

ShapePtr policy_shape(std::string_view name) {
    const auto& members = schedule_request_shape()->members;
    return std::ranges::find(members, name, &Member::name)->shape;
}

ShapePtr node_definition_shape() {
    static const auto shape = record(
        "WorkflowNode",
        {{"id", text(), "Identifier of the node, unique in the workflow: letters, digits, `_` and `-`.",
          Presence::required},
         {"kind", or_null(one_of({"task", "http", "command"})),
          "Who runs the node: a worker (`task`) or the server (`http`, `command`). Defaults to `task`."},
         {"taskKind", or_null(text()), "Kind of the task, which decides what its worker does. Defaults to the id."},
         {"dependsOn", or_null(list_of(text())), "Nodes that must succeed before this one starts."},
         {"input", anything(),
          "Input of the node. It can refer to earlier data: `${nodes.ID.output/path}`, `${input/path}`, "
          "`${run.scheduledAt}`."},
         {"action", or_null(text()),
          "Action of the node: `publish`, `spend`, `delete`, `external_message`, `schedule_change`…"},
         {"timeoutMs", or_null(integer(1)),
          "Maximum duration of an attempt, in milliseconds. Defaults to the schedule's."},
         {"queue", or_null(text()), "Queue of the task. Defaults to the schedule's, then the workflow's."},
         {"assignee", or_null(text()), "Agent or team that alone can claim the task. Defaults to the schedule's."},
         {"retryPolicy", or_null(policy_shape("retryPolicy")), "Retry policy of the node. Defaults to the schedule's."},
         {"connection", or_null(text()),
          "Connection to deliver the task to, or `builtin`. Defaults to the schedule's."}});
    return shape;
}

std::vector<Member> definition_members() {
    return {
        {"name", or_null(text()), "Name of the workflow. Must match the path."},
        {"description", or_null(text()), "Description of the workflow."},
        {"nodes", list_of(node_definition_shape(), static_cast<std::int64_t>(model::kWorkflowNodesMax)),
         "Nodes of the graph.", Presence::required},
        {"queue", or_null(text()), "Queue of the tasks."},
        {"connection", or_null(text()), "Connection to deliver the tasks to, or `builtin`. Defaults to the server's."},
        {"timeoutMs", or_null(integer(1)), "Maximum duration of a run, in milliseconds. Defaults to one week."},
        {"approvalPolicy", or_null(policy_shape("approvalPolicy")),
         "Approvals that every run needs. Schedules and assignments can require more, but not less. Deploying a "
         "version that requires less takes the "
         "permission `approve`."},
        {"triggers", or_null(list_of(map_of(anything()), static_cast<std::int64_t>(model::kWorkflowTriggersMax))),
         "Schedules that the deployment creates or updates. `type` is `schedule_based`, `name` is optional, and the "
         "other members are those of a "
         "schedule. `enabled: false` pauses the schedule and `true` resumes it. Without it, an operator's pause "
         "stays."}};
}

const std::vector<Member>& answer_members() {
    static const std::vector<Member> members{
        {"version", integer(1), "Number of the version: 1, 2, 3… A version never changes."},
        {"createdBy", or_null(text()), "Principal that deployed the version."},
        {"createdAt", instant(), "Time at which the version was deployed."}};
    return members;
}

}  // namespace

ShapePtr workflow_request_shape() {
    auto members = definition_members();
    for (const auto& member : answer_members())
        members.push_back({member.name, anything(), "Set by the server. Ignored in requests."});
    return record("WorkflowRequest", std::move(members));
}

ShapePtr workflow_shape() {
    auto members = definition_members();
    members.insert(members.end(), answer_members().begin(), answer_members().end());
    return answer_record("Workflow", std::move(members));
}

}  // namespace belfry::api
