// Routes that start a workflow or a task once, now, without a schedule.
#include <boost/json/object.hpp>

#include "api/contract/idempotency.hpp"
#include "api/contract/names.hpp"
#include "api/handlers.hpp"
#include "api/http/preferences.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "engine/usecases/immediate_start.hpp"
#include "engine/usecases/schedules.hpp"
#include "model/schedule/schedule_json.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::Permission;
using model::TargetType;

constexpr const char* kScheduledAt = "scheduledAt";

// Rejects a start at a later time. The error shows the schedule that the client can create instead.
Error refuse_later(const object& body, TargetType type, const std::string& tenant) {
    const auto* const at = body.if_contains(kScheduledAt);
    object target;
    for (const auto& member : body) {
        if (member.key() != kScheduledAt && member.key() != "labels" && member.key() != "retryPolicy")
            target[member.key()] = member.value();
    }
    target["type"] = name_of(type);
    const object example{
        {"name", "once"}, {"spec", object{{"at", boost::json::array{*at}}}}, {"target", std::move(target)}};
    return in_field(
        invalid("this request starts the run now; to start it later, create a schedule with one instant: POST " +
                tenant_path(tenant, "/schedules") + " " + to_text(example)),
        std::string("/") + kScheduledAt);
}

// Reads the target as part of an otherwise valid definition, so that there is one parser of targets.
Result<model::Schedule> read_definition(const object& body, TargetType type) {
    object target;
    object definition{
        {"id", "-"}, {"tenant", "-"}, {"name", "-"}, {"spec", object{{"cron", boost::json::array{"@daily"}}}}};
    for (const auto& member : body) {
        if (member.value().is_null()) continue;
        const bool outer = member.key() == "labels" || member.key() == "retryPolicy";
        (outer ? definition : target)[member.key()] = member.value();
    }
    target["type"] = name_of(type);
    definition["target"] = std::move(target);
    if (auto error = settle_target_retries(definition)) return *error;
    auto schedule = model::schedule_from_json(definition);
    if (schedule && schedule->target.input.is_null()) schedule->target.input = object{};
    return schedule;
}

Error as_start(Error error) {
    constexpr std::string_view kTarget = "/target";
    if (error.field.starts_with(kTarget)) error.field.erase(0, kTarget.size());
    for (auto& other : error.more) other = as_start(std::move(other));
    return error;
}

std::string executions(TargetType type) {
    return type == TargetType::workflow ? "/workflow-executions" : "/task-executions";
}

Result<Response> start(engine::Schedules& schedules, store::StoreReader& reader, const ScheduleLimits& limits,
                       TargetType type, const Call& call) {
    const auto& body = call.body.get_object();
    if (Values(call.body).has(kScheduledAt)) return refuse_later(body, type, call.tenant());
    const auto definition = checked_schedule(read_definition(body, type), limits);
    if (!definition) return as_start(definition.error());
    const engine::StartRequest request{call.tenant(), definition->target, definition->labels, definition->retry};
    const auto context = context_once(call);
    if (!context) return context.error();
    const auto started = engine::start_now(reader, schedules, request, *context);
    if (!started) return as_start(started.error());
    const auto json = run_json(reader, call.tenant(), started->run);
    if (!json) return json.error();
    auto response = json_response(*json, 201);
    response.headers.emplace_back("Location", tenant_path(call.tenant(), executions(type) + "/" + started->run.id));
    return replayed(std::move(response), started->repeated);
}

Result<Response> get(store::StoreReader& reader, TargetType type, const Call& call) {
    const auto run = reader.run(call.tenant(), call.at("run"));
    if (!run) return run.error();
    const auto schedule = reader.schedule({.tenant = call.tenant(), .id = run->schedule_id});
    if (!schedule) return schedule.error();
    if (schedule->definition.target.type != type) {
        return Error{ErrorCode::not_found, "the run is not a " + std::string(name_of(type)) + "; retrieve it at " +
                                               tenant_path(call.tenant(), "/runs/" + run->id)};
    }
    auto json = run_json(reader, call.tenant(), *run);
    if (!json) return json.error();
    return json_response(*json);
}

// The members of a target, and those that only a start has.
ShapePtr start_shape(TargetType type) {
    const bool workflow = type == TargetType::workflow;
    std::vector<Member> members;
    for (auto member : target_shape()->members) {
        const bool other = member.name == "type" || member.name == (workflow ? "taskKind" : "workflowKind") ||
                           (!workflow && member.name == "version");
        if (other) continue;
        if (member.name == (workflow ? "workflowKind" : "taskKind")) member.presence = Presence::required;
        members.push_back(std::move(member));
    }
    for (const auto& member : schedule_request_shape()->members) {
        if (member.name == "labels" || member.name == "retryPolicy") members.push_back(member);
    }
    members.push_back({kScheduledAt, anything(), "Not allowed. To start later, create a schedule with `spec.at`."});
    return record(workflow ? "WorkflowStart" : "TaskStart", std::move(members));
}

}  // namespace

void add_start_routes(Routes& routes, engine::Schedules& schedules, store::StoreReader& reader,
                      const ScheduleLimits& limits) {
    for (const auto type : {TargetType::workflow, TargetType::task}) {
        const bool workflow = type == TargetType::workflow;
        const std::string word = workflow ? "workflow" : "task";
        const auto all = "/api/tenants/{tenant}" + executions(type);
        routes.push_back(
            {.method = "POST",
             .pattern = all,
             .operation = workflow ? "startWorkflow" : "startTask",
             .summary = "Start a " + word + " once, now.",
             .details = "The response is the run: dispatched, or skipped with a reason. To start later or repeatedly, "
                        "create a schedule.",
             .group = "Runs",
             .permission = Permission::operate,
             .headers = {idempotency_key_header(), prefer_header()},
             .body = start_shape(type),
             .answers = {{201, run_shape()}},
             .handler = [&schedules, &reader, limits, type](const Call& call) {
                 return start(schedules, reader, limits, type, call);
             }});
        routes.push_back({.method = "GET",
                          .pattern = all + "/{run}",
                          .operation = workflow ? "getWorkflowExecution" : "getTaskExecution",
                          .summary = "Retrieve a " + word + " that was started.",
                          .group = "Runs",
                          .permission = Permission::read,
                          .answers = {{200, run_shape()}},
                          .handler = [&reader, type](const Call& call) { return get(reader, type, call); }});
    }
}

}  // namespace belfry::api
