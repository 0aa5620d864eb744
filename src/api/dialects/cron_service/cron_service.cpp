// Routes of the cron service dialect: register, pause, delete, list and read schedules and their runs.
#include "api/dialects/cron_service/cron_service.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/contract/problem.hpp"
#include "api/handlers.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "base/text/json_merge.hpp"
#include "engine/explain/forecaster.hpp"
#include "engine/explain/run_definitions.hpp"
#include "model/schedule/cause.hpp"

namespace belfry::api::cron_service {

namespace {

using boost::json::object;
using model::Permission;
using Record = store::ScheduleRecord;

constexpr std::size_t kNextTimes = 5;
constexpr std::int64_t kRuns = 20;
constexpr std::int64_t kRunsMax = 500;
constexpr std::size_t kEventsRead = 200;  // of one run
constexpr std::int64_t kListDefault = 100;
constexpr std::int64_t kListMax = 500;
constexpr std::int64_t kOffsetMax = 10'000;
constexpr std::size_t kScannedMax = 20'000;  // schedules that one request reads

Result<Record> create(engine::Schedules& schedules, const ScheduleLimits& limits, const Call& call,
                      const std::string& name) {
    Json body = object{{"name", name}, {"missedGrace", "PT1M"}};
    merge_patch(body, definition_of(call.body));
    auto definition = checked_schedule(read_new_schedule(body, call.tenant(), limits), limits);
    if (!definition) return definition.error();
    definition->run_key_name = name;
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
        changed->run_key_name = changed->name;
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
    return json_response(object{{"message", "Schedule " + id + (paused ? " is paused" : " is no longer paused")},
                                {"schedule_id", record->definition.name},
                                {"paused", paused}});
}

Result<Response> remove(engine::Schedules& schedules, store::StoreReader& reader, const Call& call) {
    const auto record = living_schedule_called(reader, call.tenant(), call.at("schedule_id"));
    if (!record) return record.error();
    const auto removed = schedules.remove({.tenant = call.tenant(), .id = record->definition.id}, {}, call.context());
    if (!removed) return removed.error();
    return json_response(object{{"message", "Schedule " + record->definition.name + " is deleted"},
                                {"schedule_id", record->definition.name}});
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

// The receipt of a launcher is the result of the run, or an event of it if the launcher reports how the run ended.
Result<std::optional<std::string>> launched_run_of(store::StoreReader& reader, const model::Run& run,
                                                   const model::Schedule& definition) {
    using Found = std::optional<std::string>;
    if (run.result.is_object()) {
        if (auto id = launched_run(run.result.get_object())) return Found(std::move(id));
    }
    if (run.attempts == 0 || !definition.target.connection) return Found();
    const auto events = reader.run_events(definition.tenant, run.id, 0, kEventsRead);
    if (!events) return events.error();
    Found found;
    for (const auto& event : *events) {
        if (!event.payload.is_object()) continue;
        if (auto id = launched_run(event.payload.get_object())) found = std::move(id);
    }
    return found;
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
    const auto definitions = engine::definitions_of(reader, call.tenant(), listing->items);
    if (!definitions) return definitions.error();
    boost::json::array items;
    for (std::size_t i = 0; i < listing->items.size(); ++i) {
        const auto& definition = *(*definitions)[i];
        auto launched = launched_run_of(reader, listing->items[i], definition);
        if (!launched) return launched.error();
        items.push_back(run_json(listing->items[i], definition, *launched));
    }
    return json_response(object{{"schedule_id", record->definition.name}, {"runs", std::move(items)}});
}

// Every page is read from the first schedule on, because the client names no place but a number.
Result<Response> list(store::StoreReader& reader, const Call& call) {
    const auto user = call.query.text("user_id");
    const auto limit = static_cast<std::size_t>(call.query.integer("limit").value_or(kListDefault));
    auto skipped = static_cast<std::size_t>(call.query.integer("offset").value_or(0));
    const store::ScheduleFilter filter{.tenant = call.tenant(),
                                       .target_type = model::TargetType::workflow,
                                       .target_kind = call.query.text("workflow_id").value_or("")};
    boost::json::array items;
    std::size_t scanned = 0;
    for (store::Page page{.limit = store::kPageMax}; items.size() < limit;) {
        auto listing = reader.schedules(filter, page);
        if (!listing) return listing.error();
        for (const auto& record : listing->items) {
            if (model::is_immediate(record.definition) || (user && user_of(record.definition) != user)) continue;
            if (skipped > 0) {
                --skipped;
            } else if (items.size() < limit) {
                items.push_back(schedule_json(record));
            }
        }
        scanned += listing->items.size();
        if (listing->next.empty()) break;
        if (scanned >= kScannedMax && items.size() < limit) {
            return in_field(invalid("the tenant has too many schedules for this list; add workflow_id, or use a "
                                    "smaller offset or limit"),
                            user ? "?user_id" : "?offset");
        }
        page.after = std::move(listing->next);
    }
    return json_response(object{{"schedules", std::move(items)}});
}

ShapePtr upsert_answer() {
    return answer_record("CronServiceUpserted", {{"schedule_id", text(), "Name of the schedule."},
                                                 {"next_run_at", or_null(instant()), "Time of the first run."}});
}

ShapePtr paused_answer() {
    return answer_record("CronServicePaused", {{"message", text(), "What happened, in words."},
                                               {"schedule_id", text(), "Name of the schedule."},
                                               {"paused", boolean(), "Whether the schedule is paused now."}});
}

ShapePtr deleted_answer() {
    return answer_record("CronServiceDeleted", {{"message", text(), "What happened, in words."},
                                                {"schedule_id", text(), "Name of the schedule."}});
}

ShapePtr list_answer() {
    return answer_record("CronServiceSchedules", {{"schedules", list_of(schedule_row_answer()), "The schedules."}});
}

ShapePtr runs_answer() {
    return answer_record("CronServiceRuns", {{"schedule_id", text(), "Name of the schedule."},
                                             {"runs", list_of(run_answer()), "Runs, newest planned time first."}});
}

}  // namespace

}  // namespace belfry::api::cron_service

namespace belfry::api {

void add_cron_service_routes(Routes& routes, const CronServices& services, const DialectOptions& options) {
    using namespace cron_service;  // NOLINT(google-build-using-namespace): its own file
    const auto dialect = std::make_shared<const Dialect>(Dialect{.name = "Cron service dialect",
                                                                 .tenant = options.tenant,
                                                                 .refusal_shape = refusal_answer(),
                                                                 .refusal = &cron_service::refusal});
    auto& schedules = services.schedules;
    auto& reader = services.reader;
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
         .handler = [&schedules, &reader, &zones = services.zones, limits](const Call& call) {
             return upsert(schedules, reader, zones, limits, call);
         }});
    add({.method = "POST",
         .pattern = "/schedules/pause",
         .operation = "cronServicePause",
         .summary = "Pause or resume a schedule.",
         .permission = Permission::operate,
         .body = record("CronServicePause",
                        {{"schedule_id", name_text(), "Name of the schedule.", Presence::required}, paused}),
         .answers = {{200, paused_answer()}},
         .handler = [&schedules, &reader](const Call& call) {
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
         .answers = {{200, paused_answer()}},
         .handler = [&schedules, &reader](const Call& call) {
             return set_paused(schedules, reader, call, call.at("schedule_id"),
                               Values(call.body).boolean("paused").value_or(true));
         }});
    add({.method = "GET",
         .pattern = one,
         .operation = "cronServiceGet",
         .summary = "Retrieve a schedule and its next five fire times.",
         .permission = Permission::read,
         .answers = {{200, schedule_answer()}},
         .handler = [&forecaster = services.forecaster, &reader](const Call& call) {
             return get(forecaster, reader, call);
         }});
    add({.method = "GET",
         .pattern = one + "/runs",
         .operation = "cronServiceRuns",
         .summary = "List the last runs of a schedule, even if it is deleted.",
         .permission = Permission::read,
         .query = {{"limit", integer(1, kRunsMax), "Maximum number of runs to return. Defaults to 20."}},
         .answers = {{200, runs_answer()}},
         .handler = [&reader](const Call& call) { return runs(reader, call); }});
    add({.method = "DELETE",
         .pattern = one,
         .operation = "cronServiceDelete",
         .summary = "Delete a schedule. Its runs stay readable.",
         .permission = Permission::write,
         .answers = {{200, deleted_answer()}},
         .handler = [&schedules, &reader](const Call& call) { return remove(schedules, reader, call); }});
    add({.method = "GET",
         .pattern = "/schedules",
         .operation = "cronServiceList",
         .summary = "List schedules, ordered by name.",
         .permission = Permission::read,
         .query = {{"user_id", text(255), "Return only schedules that run on behalf of this user."},
                   {"workflow_id", name_text(), "Return only schedules that start this workflow."},
                   {"limit", integer(1, kListMax), "Maximum number of schedules to return. Defaults to 100."},
                   {"offset", integer(0, kOffsetMax), "Number of schedules to skip. Defaults to 0."}},
         .answers = {{200, list_answer()}},
         .handler = [&reader](const Call& call) { return list(reader, call); }});
    add_launcher_routes(add, schedules, services.workflows, reader);
    add_worker_routes(add, services.tenants, services.status, options.worker);
}

}  // namespace belfry::api
