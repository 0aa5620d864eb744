#include "api/workflow_shape.hpp"

#include <algorithm>

#include "api/run_shapes.hpp"
#include "api/schedule_shape.hpp"
#include "model/workflow.hpp"

namespace belfry::api {

namespace {

ShapePtr retry_shape() {
    const auto& members = schedule_request_shape()->members;
    return std::ranges::find(members, "retryPolicy", &Member::name)->shape;
}

ShapePtr node_definition_shape() {
    static const auto shape = record(
        "WorkflowNode",
        {{"id", text(), "Letters, digits, `_` and `-`; unique in the workflow.", Presence::required},
         {"kind", or_null(one_of({"task", "http", "command"})), "Who does it: a worker (`task`, when absent), or the server itself."},
         {"taskKind", or_null(text()), "Of a task: what its worker is asked to do; the id when absent."},
         {"dependsOn", or_null(list_of(text())), "Nodes that must have succeeded before."},
         {"input", anything(), "May refer to what came before: `${nodes.ID.output/path}`, `${input/path}`, `${run.scheduledAt}`."},
         {"action", or_null(text()), "What kind of deed it is: `publish`, `spend`, `delete`, `external_message`, `schedule_change`…"},
         {"timeoutMs", or_null(integer(1)), "How long one attempt may take; the schedule's when absent."},
         {"queue", or_null(text()), "Of a task; the schedule's when absent, then the workflow's."},
         {"assignee", or_null(text()), "The agent or team that alone gets the task; the schedule's when absent."},
         {"retryPolicy", or_null(retry_shape()), "The schedule's when absent."},
         {"connection", or_null(text()), "Of a task: the connection that it is handed over to, or `builtin`; as the schedule says when absent."}});
    return shape;
}

std::vector<Member> definition_members() {
    return {{"name", or_null(text()), "As in the path."},
            {"description", or_null(text()), "For people."},
            {"nodes", list_of(node_definition_shape(), static_cast<std::int64_t>(model::kWorkflowNodesMax)), "The graph.", Presence::required},
            {"queue", or_null(text()), "Of its tasks."},
            {"connection", or_null(text()), "That its tasks are handed over to, or `builtin`; the server's default when absent."},
            {"timeoutMs", or_null(integer(1)), "How long a whole run may take; a week when absent."},
            {"triggers", or_null(list_of(map_of(anything()), static_cast<std::int64_t>(model::kWorkflowTriggersMax))),
             "Schedules that deploying it makes or changes: `type` is `schedule_based`, `name` is optional, the rest as a schedule has it. `enabled: "
             "false` "
             "pauses the schedule, `true` resumes it; without it, a pause of an operator stays."}};
}

const std::vector<Member>& answer_members() {
    static const std::vector<Member> members{{"version", integer(1), "1, 2, 3…; one never changes."},
                                             {"createdBy", or_null(text()), "Who deployed it."},
                                             {"createdAt", instant(), "When."}};
    return members;
}

}  // namespace

ShapePtr workflow_request_shape() {
    auto members = definition_members();
    for (const auto& member : answer_members()) members.push_back({member.name, anything(), "The server says it; not looked at."});
    return record("WorkflowRequest", std::move(members));
}

ShapePtr workflow_shape() {
    auto members = definition_members();
    members.insert(members.end(), answer_members().begin(), answer_members().end());
    return answer_record("Workflow", std::move(members));
}

}  // namespace belfry::api
