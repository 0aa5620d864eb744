// Report an event, and start what waits for it.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/handlers.hpp"
#include "api/idempotency.hpp"
#include "api/json_values.hpp"
#include "api/names.hpp"
#include "api/run_shapes.hpp"
#include "base/name.hpp"
#include "base/uuid.hpp"
#include "engine/event_delivery.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::Permission;

// The sender's own id of the event; one that has none cannot be repeated.
Result<std::string> event_id(const Call& call) {
    if (auto id = call.query.text("id")) return *id;
    const auto key = call.request.header(model::kRequestKeyField);
    if (key.empty() && call.query.text("cursor")) return in_field(invalid("is missing; send the `id` of the answer before with its cursor"), "?id");
    if (key.empty()) return format_uuid(stamp_uuid({system_random(), system_random()}, 4));
    if (auto error = check_request_key(key)) return in_field(*error, model::kRequestKeyField);
    return std::string(key);
}

std::string_view outcome_name(const engine::EventOutcome& outcome) {
    if (outcome.error) return "failed";
    if (!outcome.run) return "filtered";
    return outcome.run->dispatch == model::DispatchStatus::dispatched ? "started" : name_of(outcome.run->dispatch);
}

Json outcome_json(const engine::EventOutcome& outcome) {
    const auto& run = outcome.run;
    const auto detail = outcome.error ? outcome.error->message : run ? run->detail : std::string();
    return object{{"scheduleId", outcome.schedule_id},
                  {"outcome", outcome_name(outcome)},
                  {"reason", run && run->reason ? Json(name_of(*run->reason)) : Json(nullptr)},
                  {"detail", or_null(detail)},
                  {"runId", run ? Json(run->id) : Json(nullptr)},
                  {"repeated", outcome.repeated}};
}

Result<Response> report(engine::Engine& engine, const ScheduleLimits& limits, const Call& call) {
    engine::EventReport report{.tenant = call.tenant()};
    report.event.name = call.at("event");
    if (auto error = name_error(report.event.name)) return in_field(*error, "event");
    auto id = event_id(call);
    if (!id) return id.error();
    report.event.id = std::move(*id);
    report.event.payload = call.body;
    if (const auto size = to_text(call.body).size(); size > limits.input_max) {
        return invalid("the payload has " + std::to_string(size) + " bytes; use at most " + std::to_string(limits.input_max));
    }
    report.after = call.query.text("cursor").value_or("");
    const auto answer = engine::deliver_event(engine.store(), engine.schedules(), report, call.context("event " + report.event.name));
    if (!answer) return in_page(answer.error());
    boost::json::array items;
    for (const auto& outcome : answer->outcomes) items.push_back(outcome_json(outcome));
    return json_response(
        object{{"id", report.event.id}, {"name", report.event.name}, {"items", std::move(items)}, {"nextCursor", or_null(answer->next)}});
}

ShapePtr event_answer_shape() {
    const auto outcome =
        answer_record("EventOutcome", {{"scheduleId", uuid(), "A schedule that waits for the event."},
                                       {"outcome", one_of({"started", "buffered", "skipped", "filtered", "failed"}),
                                        "`filtered`: no filter let the payload pass, and nothing was recorded. `failed`: report the event again."},
                                       {"reason", or_null(reason_names()), "Why the run was skipped."},
                                       {"detail", or_null(text()), "The same in words."},
                                       {"runId", or_null(text()), "The run, dispatched or not."},
                                       {"repeated", boolean(), "An earlier report of the same event had made the run."}});
    return answer_record("EventAnswer", {{"id", text(), "Of the event: as reported, or made by the server."},
                                         {"name", text(), "Of the event."},
                                         {"items", list_of(outcome), "What became of it, by schedule, the oldest first."},
                                         {"nextCursor", or_null(text()), "More schedules wait for it: report it again with this `cursor`."}});
}

}  // namespace

void add_event_report_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits) {
    routes.push_back({.method = "POST",
                      .pattern = "/api/tenants/{tenant}/events/{event}",
                      .operation = "reportEvent",
                      .summary = "Report an event, and start the schedules that wait for it.",
                      .details =
                          "The body is the payload. It starts every schedule of the tenant that has the event in `spec.events` and whose filter lets "
                          "the payload pass, under the guards of a trigger. A report that is repeated with the same id starts nothing twice.",
                      .group = "Runs",
                      .permission = Permission::operate,
                      .query = {{"id", name_text(), "The sender's id of the event; `Idempotency-Key` when absent, or made by the server."},
                                {"cursor", text(), "`nextCursor` of the answer before, with the same id and payload."}},
                      .headers = {idempotency_key_header()},
                      .body = anything(),
                      .body_presence = Presence::optional,
                      .answers = {{200, event_answer_shape()}},
                      .handler = [&engine, limits](const Call& call) { return report(engine, limits, call); }});
}

}  // namespace belfry::api
