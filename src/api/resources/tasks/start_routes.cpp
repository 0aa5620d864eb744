// Routes that start a workflow or a task once, now, without a schedule.
#include <boost/json/object.hpp>

#include "api/contract/batch.hpp"
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
        if (member.value().is_null() || member.key() == kItemKey) continue;
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

Result<engine::StartRequest> read_start(const Json& body, TargetType type, const std::string& tenant,
                                        const ScheduleLimits& limits) {
    if (Values(body).has(kScheduledAt)) return refuse_later(body.get_object(), type, tenant);
    auto definition = checked_schedule(read_definition(body.get_object(), type), limits);
    if (!definition) return as_start(definition.error());
    return engine::StartRequest{tenant, std::move(definition->target), std::move(definition->labels),
                                std::move(definition->retry)};
}

Result<Response> start(engine::Schedules& schedules, store::StoreReader& reader, const ScheduleLimits& limits,
                       TargetType type, const Call& call) {
    const auto request = read_start(call.body, type, call.tenant(), limits);
    if (!request) return request.error();
    const auto context = context_once(call);
    if (!context) return context.error();
    const auto started = engine::start_now(reader, schedules, *request, *context);
    if (!started) return as_start(started.error());
    const auto json = run_json(reader, started->run, started->schedule);
    if (!json) return json.error();
    auto response = json_response(*json, 201);
    response.headers.emplace_back("Location", tenant_path(call.tenant(), executions(type) + "/" + started->run.id));
    return replayed(std::move(response), started->repeated);
}

// Item by item. Those that are valid share transactions.
Result<Response> start_batch(engine::Schedules& schedules, store::StoreReader& reader, const ScheduleLimits& limits,
                             const ItemCharge& charge, TargetType type, const Shape& item_shape, const Call& call) {
    const auto items = read_items(call);
    if (!items) return items.error();
    if (charge) charge(call.principal, (*items)->size() - 1);
    const auto path = tenant_path(call.tenant(), executions(type));
    boost::json::array answers;
    std::vector<engine::StartCall> calls;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < (*items)->size(); ++i) {
        const auto& item = (**items)[i];
        answers.emplace_back(nullptr);
        if (const auto error = check_item(item, item_shape, i)) {
            answers[i] = item_json(*error);
            continue;
        }
        auto request = read_start(item, type, call.tenant(), limits);
        if (!request) {
            answers[i] = item_json(in_item(request.error(), i));
            continue;
        }
        calls.push_back({std::move(*request), context_of_item(call, item, path)});
        places.push_back(i);
    }
    auto started = engine::start_each(reader, schedules, std::move(calls));
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto& one = started[i];
        auto json = one ? run_json(reader, one->run, one->schedule) : Result<Json>(as_start(one.error()));
        answers[places[i]] =
            json ? item_json(201, "run", std::move(*json), one->repeated) : item_json(in_item(json.error(), places[i]));
    }
    return json_response(boost::json::object{{"items", std::move(answers)}});
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
std::vector<Member> start_members(TargetType type) {
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
    return members;
}

ShapePtr start_shape(TargetType type) {
    return record(type == TargetType::workflow ? "WorkflowStart" : "TaskStart", start_members(type));
}
ShapePtr start_item_shape(TargetType type) {
    auto members = start_members(type);
    members.push_back(item_key_member());
    return record(type == TargetType::workflow ? "WorkflowStartItem" : "TaskStartItem", std::move(members));
}

}  // namespace

void add_start_routes(Routes& routes, engine::Schedules& schedules, store::StoreReader& reader,
                      const ScheduleLimits& limits, const ItemCharge& charge) {
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
        const auto item = start_item_shape(type);
        routes.push_back(
            {.method = "POST",
             .pattern = all + "/batch",
             .operation = workflow ? "startWorkflows" : "startTasks",
             .summary = "Start up to 1,000 " + word + "s once, now.",
             .details = "Each item has its own result: a run, or the problem for which it was not started. Each can "
                        "have its own idempotency key.",
             .group = "Runs",
             .permission = Permission::operate,
             .body = record(workflow ? "WorkflowStarts" : "TaskStarts", {items_member(item)}),
             .handler_checks_body = true,
             .answers = {{200, batch_answer(workflow ? "StartedWorkflows" : "StartedTasks",
                                            {"run", run_shape(), "The run, as the single request returns it."})}},
             .handler = [&schedules, &reader, limits, charge, type, item](const Call& call) {
                 return start_batch(schedules, reader, limits, charge, type, *item, call);
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
