// Routes that create, list, read, replace and remove workflow assignments.
#include <boost/json/array.hpp>

#include "api/handlers.hpp"
#include "api/http/preferences.hpp"
#include "api/resources/assignees/assignment_dto.hpp"
#include "engine/usecases/assignments.hpp"
#include "model/schedule/schedule_json.hpp"
#include "store/errors.hpp"

namespace belfry::api {

namespace {

using model::Permission;

Result<model::WorkflowAssignment> read_checked(const Json& body, const ScheduleLimits& limits) {
    auto record = read_assignment(body);
    if (!record) return record;
    if (auto error = check_failure(record->failure)) return *error;
    if (auto error = check_definition_size(model::to_json(*record), limits.definition_max)) return *error;
    return record;
}

Result<Response> assignment_response(const Result<model::WorkflowAssignment>& record, int status = 200) {
    if (!record) return record.error();
    auto response = json_response(api::to_json(*record), status);
    response.headers.push_back(etag(record->version));
    return response;
}

Result<Response> create_assignment(engine::Assignments& assignments, const ScheduleLimits& limits, const Call& call) {
    auto record = read_checked(call.body, limits);
    if (!record) return record.error();
    const auto created = assignments.create(call.tenant(), std::move(*record), call.context());
    auto response = assignment_response(created, 201);
    if (response) response->headers.emplace_back("Location", tenant_path(call.tenant(), "/assignments/" + created->id));
    return response;
}

Result<Response> replace_assignment(engine::Assignments& assignments, const ScheduleLimits& limits, const Call& call) {
    const auto version = expected_version(call);
    if (!version) return version.error();
    auto record = read_checked(call.body, limits);
    if (!record) return record.error();
    record->id = call.at("assignment");
    return assignment_response(assignments.replace(call.tenant(), std::move(*record), *version, call.context()));
}

Result<Response> list_assignments(engine::Assignments& assignments, const Call& call) {
    const auto listing = assignments.list(call.tenant(), read_page(call.query));
    if (!listing) return in_page(listing.error());
    boost::json::array items;
    for (const auto& record : listing->items) items.push_back(api::to_json(record));
    return json_response(page_json(std::move(items), listing->next));
}

Result<Response> remove_assignment(engine::Assignments& assignments, const Call& call) {
    if (auto removed = assignments.remove(call.tenant(), call.at("assignment")); !removed) return removed.error();
    return Response{.status = 204};
}

}  // namespace

Result<Json> with_assignment(engine::Assignments& assignments, const std::string& tenant, const Json& schedule) {
    const auto id = Values(schedule).text("workflowAssignmentId");
    if (!id) return schedule;
    const auto record = assignments.get(tenant, *id);
    if (record) return filled_from(*record, schedule);
    return record.error().code == ErrorCode::not_found ? store::assignment_not_there(*id) : record.error();
}

void add_assignment_routes(Routes& routes, engine::Assignments& assignments, const ScheduleLimits& limits) {
    const std::string all = "/api/tenants/{tenant}/assignments";
    const std::string one = all + "/{assignment}";
    const auto add = [&](Route route) {
        route.group = "Workflow assignments";
        routes.push_back(std::move(route));
    };
    add({.method = "POST",
         .pattern = all,
         .operation = "createAssignment",
         .summary = "Assign a workflow to an agent or a team, with policies that schedules inherit.",
         .details = "A schedule refers to the assignment by `workflowAssignmentId`. When the schedule is written, it "
                    "copies the members that it omits from "
                    "the assignment. The approvals that the assignment requires always apply to its runs, as the "
                    "assignment is at that time.",
         .permission = Permission::write,
         .body = assignment_request_shape(),
         .answers = {{201, assignment_shape()}},
         .handler = [&assignments, limits](const Call& call) { return create_assignment(assignments, limits, call); }});
    add({.method = "GET",
         .pattern = all,
         .operation = "listAssignments",
         .summary = "List workflow assignments, oldest first.",
         .permission = Permission::read,
         .query = page_parameters(),
         .answers = {{200, page_of(assignment_shape())}},
         .handler = [&](const Call& call) { return list_assignments(assignments, call); }});
    add({.method = "GET",
         .pattern = one,
         .operation = "getAssignment",
         .summary = "Retrieve a workflow assignment.",
         .permission = Permission::read,
         .answers = {{200, assignment_shape()}},
         .handler = [&](const Call& call) {
             return assignment_response(assignments.get(call.tenant(), call.at("assignment")));
         }});
    add({.method = "PUT",
         .pattern = one,
         .operation = "replaceAssignment",
         .summary = "Replace the assignee and the policies of a workflow assignment.",
         .details = "Schedules keep the members that they copied when they were written. Changed approval requirements "
                    "apply from their next decision.",
         .permission = Permission::write,
         .headers = {if_match_header()},
         .body = assignment_request_shape(),
         .answers = {{200, assignment_shape()}},
         .handler = [&assignments, limits](const Call& call) {
             return replace_assignment(assignments, limits, call);
         }});
    add({.method = "DELETE",
         .pattern = one,
         .operation = "deleteAssignment",
         .summary = "Remove a workflow assignment that no schedule refers to.",
         .permission = Permission::write,
         .answers = {{204, {}, "The assignment was removed."}},
         .handler = [&](const Call& call) { return remove_assignment(assignments, call); }});
}

}  // namespace belfry::api
