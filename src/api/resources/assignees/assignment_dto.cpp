#include "api/resources/assignees/assignment_dto.hpp"

#include "api/contract/names.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "model/schedule/schedule_json.hpp"

namespace belfry::api {

namespace {

using boost::json::object;

bool is_said(const object& members, std::string_view name) {
    const auto* const value = members.if_contains(name);
    return value != nullptr && !value->is_null();
}

bool is_said(const object& members, std::string_view outer, std::string_view inner) {
    const auto* const value = members.if_contains(outer);
    return value != nullptr && value->is_object() && is_said(value->get_object(), inner);
}

// The members of requests and responses. A response has all that are optional in a request.
std::vector<Member> assignment_members(Presence presence) {
    const auto queue = record(
        "QueuePolicy",
        {{"mode", or_null(overlap_names()), "What happens when an occurrence is due while earlier runs are in flight."},
         {"maxConcurrency", schedule_member("maxConcurrency").shape, "Maximum number of runs in flight at once."},
         {"priority", or_null(priority_shape()),
          "Priority of the tasks. Workers claim tasks with a higher priority first."}});
    std::vector<Member> all{{"workflow", name_text(), "Name of the workflow. It never changes.", Presence::required},
                            {"assignee", assignee_shape(), "Agent or team that does the work.", Presence::required}};
    for (const auto* const slot : {"approvalPolicy", "retryPolicy", "failurePolicy"}) {
        all.push_back(schedule_member(slot));
        all.back().presence = presence;
    }
    all.push_back({"queuePolicy", queue, "How runs queue. Members that it omits come from the schedule.", presence});
    return all;
}

}  // namespace

ShapePtr assignment_request_shape() {
    static const auto shape = [] {
        auto all = assignment_members(Presence::optional);
        for (const auto* const own : {"id", "createdAt", "version"}) {
            all.push_back({own, anything(), "Set by the server. Ignored in requests."});
        }
        return with_example(record("WorkflowAssignmentRequest", std::move(all)),
                            Json{{"workflow", "invoice-sync"},
                                 {"assignee", {{"type", "agent"}, {"id", "bo"}}},
                                 {"approvalPolicy", {{"requiresApproval", false}, {"gates", {"publish", "spend"}}}}});
    }();
    return shape;
}

ShapePtr assignment_shape() {
    static const auto shape = [] {
        auto all = assignment_members(Presence::required);
        all.insert(all.begin(), {"id", uuid(), "Unique identifier of the assignment, to which schedules refer.",
                                 Presence::required});
        all.push_back({"createdAt", instant(), "Time at which the assignment was created.", Presence::required});
        all.push_back({"version", integer(1), "Version of the assignment. Also sent as the ETag.", Presence::required});
        return record("WorkflowAssignment", std::move(all));
    }();
    return shape;
}

Result<model::WorkflowAssignment> read_assignment(const Json& body) {
    object given;
    for (const auto& member : body.get_object()) {
        if (!member.value().is_null()) given[member.key()] = member.value();
    }
    given["id"] = "";
    given.erase("createdAt");
    given.erase("version");
    auto read = model::assignment_from_json(given);
    if (!read) return read;
    if (!is_said(given, "approvalPolicy", "requiresApproval")) read->approval.requires_approval = true;
    if (!is_said(given, "retryPolicy", "maxRetries")) read->retry.max_retries = 1;
    return read;
}

object to_json(const model::WorkflowAssignment& record) {
    auto members = model::complete_json(record);
    return std::move(members.get_object());
}

Json filled_from(const model::WorkflowAssignment& assignment, Json schedule) {
    auto& members = schedule.get_object();
    const auto fill = [](object& into, const char* name, Json value) {
        if (!is_said(into, name)) into[name] = std::move(value);
    };
    const auto given = model::complete_json(assignment);
    for (const auto* const name : {"assignee", "approvalPolicy", "retryPolicy", "failurePolicy"})
        fill(members, name, given.at(name));
    const auto& queue = assignment.queue;
    if (queue.mode) fill(members, "overlapPolicy", Json(name_of(*queue.mode)));
    if (queue.max_concurrency) fill(members, "maxConcurrency", *queue.max_concurrency);
    if (auto* const target = members.if_contains("target");
        queue.priority && target != nullptr && target->is_object()) {
        fill(target->get_object(), "priority", *queue.priority);
    }
    return schedule;
}

}  // namespace belfry::api
