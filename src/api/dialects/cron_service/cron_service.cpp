// Routes of the cron service dialect: register, pause, delete and read schedules, and start runs as its launcher does.
#include "api/dialects/cron_service/cron_service.hpp"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/idempotency.hpp"
#include "api/contract/json_values.hpp"
#include "api/contract/problem.hpp"
#include "api/handlers.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "base/crypto/sha256.hpp"
#include "base/text/json_merge.hpp"
#include "engine/explain/forecaster.hpp"
#include "engine/usecases/immediate_start.hpp"

namespace belfry::api::cron_service {

namespace {

using boost::json::object;
using model::Permission;
using Record = store::ScheduleRecord;

constexpr std::size_t kNextTimes = 5;
constexpr std::int64_t kRuns = 20;
constexpr std::int64_t kRunsMax = 500;

Result<Record> create(engine::Schedules& schedules, const ScheduleLimits& limits, const Call& call,
                      const std::string& name) {
    Json body = object{{"name", name}, {"missedGrace", "PT1M"}};
    merge_patch(body, definition_of(call.body));
    auto definition = checked_schedule(read_new_schedule(body, call.tenant(), limits), limits);
    if (!definition) return definition.error();
    auto created = schedules.create(std::move(*definition), call.context());
    if (!created) return created.error();
    return Record(std::move(*created));
}

// Members that an upsert cannot express stay as they are.
Result<Record> change(engine::Schedules& schedules, const spec::ZoneDatabase& zones, const ScheduleLimits& limits,
                      const Call& call, const Record& stored) {
    const store::ScheduleRef ref{.tenant = call.tenant(), .id = stored.definition.id};
    const auto edit = [&](const model::Schedule& definition) -> Result<model::Schedule> {
        const auto whole = patched(definition_of(call.body), {definition, stored.state}, zones);
        if (!whole) return whole.error();
        auto changed = read_changed_schedule(*whole, definition);
        if (!changed) return changed;
        changed->updated_at = {};  // an upsert counts as an update even if nothing changes
        return checked_schedule(std::move(changed), limits);
    };
    auto record = schedules.update(ref, std::nullopt, edit, call.context());
    if (!record || record->state.status != model::ScheduleStatus::paused) return record;
    return schedules.resume(ref, call.context());
}

Result<Record> put(engine::Schedules& schedules, store::StoreReader& reader, const spec::ZoneDatabase& zones,
                   const ScheduleLimits& limits, const Call& call) {
    const auto id = Values(call.body).text("schedule_id");
    if (!id) return create(schedules, limits, call, made_up_name(*Values(call.body).text("workflow_id")));
    const auto stored = reader.schedule({.tenant = call.tenant(), .name = *id});
    if (stored) return change(schedules, zones, limits, call, *stored);
    if (stored.error().code != ErrorCode::not_found) return stored.error();
    auto created = create(schedules, limits, call, *id);
    if (created || created.error().code != ErrorCode::already_exists) return created;
    // Another request created it first: change that one.
    const auto theirs = reader.schedule({.tenant = call.tenant(), .name = *id});
    if (!theirs) return theirs.error();
    return change(schedules, zones, limits, call, *theirs);
}

Result<Response> upsert(engine::Schedules& schedules, store::StoreReader& reader, const spec::ZoneDatabase& zones,
                        const ScheduleLimits& limits, const Call& call) {
    const auto record = put(schedules, reader, zones, limits, call);
    if (!record) return in_their_words(record.error());
    const auto& next = record->state.next_occurrence;
    return json_response(object{{"schedule_id", record->definition.name},
                                {"next_run_at", next ? Json(format_instant(*next)) : Json(nullptr)}});
}

// Has no effect if the schedule is already in the requested state.
Result<Response> set_paused(engine::Schedules& schedules, store::StoreReader& reader, const Call& call,
                            const std::string& id, bool paused) {
    const auto record = living_schedule_called(reader, call.tenant(), id);
    if (!record) return record.error();
    const store::ScheduleRef ref{.tenant = call.tenant(), .id = record->definition.id};
    if (paused || record->state.status == model::ScheduleStatus::paused) {
        const auto changed = paused ? schedules.pause(ref, {}, call.context()) : schedules.resume(ref, call.context());
        if (!changed) return changed.error();
    }
    return Response{204, {}, {}};
}

Result<Response> remove(engine::Schedules& schedules, store::StoreReader& reader, const Call& call) {
    const auto record = living_schedule_called(reader, call.tenant(), call.at("schedule_id"));
    if (!record) return record.error();
    const auto removed = schedules.remove({.tenant = call.tenant(), .id = record->definition.id}, {}, call.context());
    if (!removed) return removed.error();
    return Response{204, {}, {}};
}

Result<Response> get(engine::Forecaster& forecaster, store::StoreReader& reader, const Call& call) {
    const auto record = living_schedule_called(reader, call.tenant(), call.at("schedule_id"));
    if (!record) return record.error();
    std::vector<Instant> next;
    if (record->state.status == model::ScheduleStatus::active) {
        const store::ScheduleRef ref{.tenant = call.tenant(), .id = record->definition.id};
        const auto forecast = forecaster.preview(ref, {.rows = kNextTimes});
        if (!forecast) return forecast.error();
        for (const auto& row : forecast->rows) next.push_back(row.occurrence);
    }
    return json_response(schedule_json(*record, next));
}

Result<Response> runs(store::StoreReader& reader, const Call& call) {
    const auto record = schedule_called(reader, call.tenant(), call.at("schedule_id"));
    if (!record) return record.error();
    const auto limit = static_cast<std::size_t>(call.query.integer("limit").value_or(kRuns));
    const auto listing = reader.runs({.tenant = call.tenant(), .schedule_id = record->definition.id}, {.limit = limit});
    if (!listing) return listing.error();
    if (listing->items.size() < limit && !listing->next.empty()) {
        return in_field(invalid("its last " + std::to_string(limit) + " runs have more than 4 MiB; request fewer"),
                        "?limit");
    }
    boost::json::array items;
    for (const auto& run : listing->items) items.push_back(run_json(run, record->definition));
    return json_response(object{{"schedule_id", record->definition.name}, {"runs", std::move(items)}});
}

// An empty reason means that the run was started.
Response started(const std::string& run_id, const std::string& reason = {}) {
    return json_response(object{{"started", reason.empty()}, {"run_id", or_null(run_id)}, {"reason", or_null(reason)}});
}

// The key alone identifies a start: a repeated request returns the same run.
Result<Response> launch(engine::Schedules& schedules, engine::Workflows& workflows, store::StoreReader& reader,
                        const Call& call) {
    const Values values(call.body);
    const auto workflow = *values.text("workflow_id");
    const auto version = values.integer("version");
    if (const auto found = workflows.get(call.tenant(), workflow, version); !found) {
        if (found.error().code != ErrorCode::not_found) return found.error();
        return started({}, public_message(found.error()));
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
        return started(run->run.id, std::string(name_of(*run->run.reason)));
    return started(run->run.id);
}

ShapePtr upsert_answer() {
    return answer_record("CronServiceUpserted", {{"schedule_id", text(), "Name of the schedule."},
                                                 {"next_run_at", or_null(instant()), "Time of the first run."}});
}

ShapePtr launch_shape() {
    std::vector<Member> members{{"workflow_id", name_text(), "Name of the workflow to start.", Presence::required},
                                {"version", integer(1), "Version of the workflow. Defaults to the newest."},
                                {"user_id", text(255), "User on whose behalf the run executes."},
                                {"scheduled_for", instant(), "Planned time of the run.", Presence::required},
                                {"idempotency_key", checked_text("idempotency-key", &check_request_key),
                                 "Key under which the run starts only once.", Presence::required},
                                {"input", anything(), "Input of the run."}};
    // Members that a delivery of Belfry adds, so that one Belfry can launch runs on another.
    for (const auto* const name : {"meta", "tenant", "runId", "instance_id", "schedule", "node", "taskKind", "action",
                                   "queue", "metadata", "attempt", "callback"}) {
        members.push_back({name, anything(), "Ignored."});
    }
    return record("CronServiceLaunch", std::move(members));
}

ShapePtr launch_answer() {
    return answer_record("CronServiceLaunched", {{"started", boolean(), "Whether the run was started."},
                                                 {"run_id", or_null(text()), "Unique identifier of the run."},
                                                 {"reason", or_null(text()), "Why the run was not started."}});
}

ShapePtr runs_answer() {
    return answer_record("CronServiceRuns", {{"schedule_id", text(), "Name of the schedule."},
                                             {"runs", list_of(run_answer()), "Runs, newest planned time first."}});
}

}  // namespace

}  // namespace belfry::api::cron_service

namespace belfry::api {

void add_cron_service_routes(Routes& routes, engine::Schedules& schedules, engine::Workflows& workflows,
                             engine::Forecaster& forecaster, store::StoreReader& reader,
                             const spec::ZoneDatabase& zones, const DialectOptions& options) {
    using namespace cron_service;  // NOLINT(google-build-using-namespace): its own file
    const auto dialect = std::make_shared<const Dialect>(Dialect{.name = "Cron service dialect",
                                                                 .tenant = options.tenant,
                                                                 .refusal_shape = refusal_answer(),
                                                                 .refusal = &cron_service::refusal});
    const auto limits = options.limits;
    const std::string one = "/schedules/{schedule_id}";
    const Member paused{"paused", boolean(), "Whether to pause the schedule. Defaults to true."};
    const auto add = [&](Route route) {
        route.dialect = dialect;
        routes.push_back(std::move(route));
    };
    add({.method = "POST",
         .pattern = "/schedules/upsert",
         .operation = "cronServiceUpsert",
         .summary = "Create or update a schedule. It is not paused afterwards.",
         .permission = Permission::write,
         .body = record("CronServiceUpsert", upsert_members()),
         .answers = {{200, upsert_answer()}},
         .handler = [&schedules, &reader, &zones, limits](const Call& call) {
             return upsert(schedules, reader, zones, limits, call);
         }});
    add({.method = "POST",
         .pattern = "/schedules/pause",
         .operation = "cronServicePause",
         .summary = "Pause or resume a schedule.",
         .permission = Permission::operate,
         .body = record("CronServicePause",
                        {{"schedule_id", name_text(), "Name of the schedule.", Presence::required}, paused}),
         .answers = {{204}},
         .handler = [&](const Call& call) {
             const Values values(call.body);
             return set_paused(schedules, reader, call, *values.text("schedule_id"),
                               values.boolean("paused").value_or(true));
         }});
    add({.method = "POST",
         .pattern = one + "/pause",
         .operation = "cronServicePauseOne",
         .summary = "Pause or resume the schedule in the path.",
         .permission = Permission::operate,
         .body = record("CronServicePauseOne", {paused}),
         .body_presence = Presence::optional,
         .answers = {{204}},
         .handler = [&](const Call& call) {
             return set_paused(schedules, reader, call, call.at("schedule_id"),
                               Values(call.body).boolean("paused").value_or(true));
         }});
    add({.method = "GET",
         .pattern = one,
         .operation = "cronServiceGet",
         .summary = "Retrieve a schedule and its next five fire times.",
         .permission = Permission::read,
         .answers = {{200, schedule_answer()}},
         .handler = [&](const Call& call) { return get(forecaster, reader, call); }});
    add({.method = "GET",
         .pattern = one + "/runs",
         .operation = "cronServiceRuns",
         .summary = "List the last runs of a schedule, even if it is deleted.",
         .permission = Permission::read,
         .query = {{"limit", integer(1, kRunsMax), "Maximum number of runs to return. Defaults to 20."}},
         .answers = {{200, runs_answer()}},
         .handler = [&](const Call& call) { return runs(reader, call); }});
    add({.method = "DELETE",
         .pattern = one,
         .operation = "cronServiceDelete",
         .summary = "Delete a schedule. Its runs stay readable.",
         .permission = Permission::write,
         .answers = {{204}},
         .handler = [&](const Call& call) { return remove(schedules, reader, call); }});
    add({.method = "POST",
         .pattern = "/run-launcher/start",
         .operation = "cronServiceLaunch",
         .summary = "Start a workflow once under an idempotency key.",
         .permission = Permission::operate,
         .body = launch_shape(),
         .answers = {{200, launch_answer()}},
         .handler = [&](const Call& call) { return launch(schedules, workflows, reader, call); }});
}

}  // namespace belfry::api
