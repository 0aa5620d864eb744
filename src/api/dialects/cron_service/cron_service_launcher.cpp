// The route of the cron service's launcher: starts a version of a stored workflow once for each key.
//
// The specification sends the arguments as JSON and reads `started`. The service itself and its command line send them
// in the query and read only the status, so there a run that does not start is an error.
#include <array>
#include <boost/json/object.hpp>

#include "api/contract/idempotency.hpp"
#include "api/contract/json_values.hpp"
#include "api/contract/problem.hpp"
#include "api/dialects/cron_service/cron_service.hpp"
#include "api/handlers.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "base/crypto/sha256.hpp"
#include "base/errors.hpp"
#include "base/text/parse_integer.hpp"
#include "engine/usecases/immediate_start.hpp"

namespace belfry::api::cron_service {

namespace {

using boost::json::object;

std::vector<Member> launch_arguments() {
    return {{"workflow_id", name_text(), "Name of the workflow to start.", Presence::required},
            {"version", integer(1), "Version of the workflow. Defaults to the newest."},
            {"user_id", text(255), "User on whose behalf the run executes."},
            {"scheduled_for", their_instant(), "Planned time of the run. UTC if it has no offset.", Presence::required},
            {"idempotency_key", checked_text("idempotency-key", &check_request_key),
             "Key under which the run starts only once.", Presence::required}};
}

ShapePtr launch_shape() {
    static const auto shape = [] {
        auto members = launch_arguments();
        members.push_back({"input", anything(), "Input of the run."});
        // Members that a delivery of Belfry adds, so that one Belfry can launch runs on another.
        for (const auto* const name : {"meta", "dag", "tenant", "runId", "instance_id", "schedule", "node", "taskKind",
                                       "action", "queue", "metadata", "attempt", "callback"}) {
            members.push_back({name, anything(), "Ignored."});
        }
        return record("CronServiceLaunch", std::move(members));
    }();
    return shape;
}

// An argument may be in the query or in the body. The body is checked as a whole afterwards.
std::vector<Member> query_arguments() {
    auto members = launch_arguments();
    for (auto& member : members) member.presence = Presence::optional;
    return members;
}

Result<Json> arguments_of(const Call& call) {
    auto all = call.body;
    auto& members = all.get_object();
    for (const auto& [name, value] : call.query.pairs()) {
        if (value.empty()) continue;
        if (members.contains(name))
            return in_field(invalid("is in the query and in the body; send it once"), '?' + name);
        const auto number = name == "version" ? parse_integer(value) : std::nullopt;
        members[name] = number ? Json(*number) : Json(value);
    }
    if (auto errors = check(all, *launch_shape()); !errors.empty()) return combine_errors(std::move(errors));
    return all;
}

Response started(const std::string& run_id) {
    return json_response(object{
        {"started", true}, {"run_id", run_id}, {"reason", nullptr}, {"message", "Workflow started successfully"}});
}

Result<Response> not_started(const Call& call, const std::string& run_id, Error why) {
    if (call.request.body.empty()) return why;
    const auto reason = public_message(why);
    return json_response(object{
        {"started", false}, {"run_id", or_null(run_id)}, {"reason", reason}, {"message", "Workflow not started"}});
}

// The key alone identifies a start: a repeated request returns the same run.
Result<Response> launch(engine::Schedules& schedules, engine::Workflows& workflows, store::StoreReader& reader,
                        const Call& call) {
    const auto arguments = arguments_of(call);
    if (!arguments) return arguments.error();
    const Values values(*arguments);
    const auto workflow = *values.text("workflow_id");
    const auto version = values.integer("version");
    if (const auto found = workflows.get(call.tenant(), workflow, version); !found) {
        if (found.error().code != ErrorCode::not_found) return found.error();
        return not_started(call, {}, in_field(found.error(), "/workflow_id"));
    }
    model::Target target{.kind = workflow, .version = version};
    if (const auto* const input = values.any("input")) target.input = *input;
    for (const auto* const name : {model::kUserId, "scheduled_for"}) {
        if (const auto said = values.text(name)) target.metadata[name] = *said;
    }
    auto context = call.context();
    const auto key = *values.text("idempotency_key");
    context.request = model::RequestKey{
        key, sha256_hex(workflow + '\n' + std::to_string(version.value_or(0)) + '\n' + *values.text("scheduled_for"))};
    const auto run =
        engine::start_now(reader, schedules, {.tenant = call.tenant(), .target = std::move(target)}, context);
    static constexpr std::array kNames{FieldName{model::kRequestKeyField, "/idempotency_key"},
                                       FieldName{"/target", "/workflow_id"}};
    if (!run) return renamed(run.error(), kNames);
    if (run->run.dispatch == model::DispatchStatus::skipped)
        return not_started(call, run->run.id, {ErrorCode::conflict, std::string(name_of(*run->run.reason))});
    return started(run->run.id);
}

ShapePtr launch_answer() {
    return answer_record("CronServiceLaunched", {{"started", boolean(), "Whether the run was started."},
                                                 {"run_id", or_null(text()), "Unique identifier of the run."},
                                                 {"reason", or_null(text()), "Why the run was not started."},
                                                 {"message", text(), "What happened, in words."}});
}

}  // namespace

void add_launcher_routes(const AddRoute& add, engine::Schedules& schedules, engine::Workflows& workflows,
                         store::StoreReader& reader) {
    add({.method = "POST",
         .pattern = "/run-launcher/start",
         .operation = "cronServiceLaunch",
         .summary = "Start a workflow once under an idempotency key.",
         .details = "The arguments are in the query or in the body. Without a body, a run that does not start is an "
                    "error; with one, `started` is false.",
         .permission = model::Permission::operate,
         .query = query_arguments(),
         .body = launch_shape(),
         .body_presence = Presence::optional,
         .handler_checks_body = true,
         .answers = {{200, launch_answer()}},
         .handler = [&schedules, &workflows, &reader](const Call& call) {
             return launch(schedules, workflows, reader, call);
         }});
}

}  // namespace belfry::api::cron_service
