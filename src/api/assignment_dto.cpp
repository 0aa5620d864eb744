#include "api/assignment_dto.hpp"

#include "api/json_values.hpp"
#include "api/names.hpp"
#include "api/schedule_members.hpp"
#include "api/schedule_shape.hpp"
#include "model/schedule_json.hpp"

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

Json json_of(const model::Assignee& assignee) { return object{{"type", assignee.type}, {"id", assignee.id}}; }

// The same in requests and answers; what a request may leave out an answer has.
std::vector<Member> assignment_members(Presence presence) {
    const auto queue = record("QueuePolicy", {{"mode", or_null(overlap_names()), "What happens when it is due while earlier runs go on."},
                                              {"maxConcurrency", schedule_member("maxConcurrency").shape, "How many runs may go on at once."},
                                              {"priority", or_null(priority_shape()), "Higher ones are claimed first."}});
    std::vector<Member> all{{"workflow", name_text(), "Its name; never changed.", Presence::required},
                            {"assignee", assignee_shape(), "Who does the work.", Presence::required}};
    for (const auto* const slot : {"approvalPolicy", "retryPolicy", "failurePolicy"}) {
        all.push_back(schedule_member(slot));
        all.back().presence = presence;
    }
    all.push_back({"queuePolicy", queue, "How runs queue up; what it leaves open, the schedule says.", presence});
    return all;
}

}  // namespace

ShapePtr assignment_request_shape() {
    static const auto shape = [] {
        auto all = assignment_members(Presence::optional);
        for (const auto* const own : {"id", "createdAt", "version"}) {
            all.push_back({own, anything(), "The server's own; not looked at in a request."});
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
        all.insert(all.begin(), {"id", uuid(), "Never changes; schedules name it.", Presence::required});
        all.push_back({"createdAt", instant(), "When it was made.", Presence::required});
        all.push_back({"version", integer(1), "Also the ETag.", Presence::required});
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
    const auto& queue = record.queue;
    return {{"id", record.id},
            {"workflow", record.workflow},
            {"assignee", json_of(record.assignee)},
            {"approvalPolicy", policy_json(record.approval)},
            {"retryPolicy", policy_json(record.retry)},
            {"failurePolicy", policy_json(record.failure)},
            {"queuePolicy", object{{"mode", queue.mode ? Json(name_of(*queue.mode)) : Json(nullptr)},
                                   {"maxConcurrency", or_null(queue.max_concurrency)},
                                   {"priority", or_null(queue.priority)}}},
            {"createdAt", format_instant(record.created_at)},
            {"version", record.version}};
}

Json filled_from(const model::WorkflowAssignment& assignment, Json schedule) {
    auto& members = schedule.get_object();
    const auto fill = [](object& into, const char* name, Json value) {
        if (!is_said(into, name)) into[name] = std::move(value);
    };
    fill(members, "assignee", json_of(assignment.assignee));
    fill(members, "approvalPolicy", policy_json(assignment.approval));
    fill(members, "retryPolicy", policy_json(assignment.retry));
    fill(members, "failurePolicy", policy_json(assignment.failure));
    const auto& queue = assignment.queue;
    if (queue.mode) fill(members, "overlapPolicy", Json(name_of(*queue.mode)));
    if (queue.max_concurrency) fill(members, "maxConcurrency", *queue.max_concurrency);
    if (auto* const target = members.if_contains("target"); queue.priority && target != nullptr && target->is_object()) {
        fill(target->get_object(), "priority", *queue.priority);
    }
    return schedule;
}

}  // namespace belfry::api
