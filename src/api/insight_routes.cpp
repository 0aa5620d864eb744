// What people want to know about schedules: why, how they are doing, and how busy it will get.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/handlers.hpp"
#include "api/json_values.hpp"
#include "api/names.hpp"
#include "api/run_dto.hpp"
#include "api/run_shapes.hpp"
#include "base/duration.hpp"
#include "engine/load.hpp"
#include "engine/schedule_health.hpp"
#include "engine/why.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::Permission;

Result<Response> why(engine::Engine& engine, const Call& call) {
    const auto answer = engine::why(engine.store(), engine.zones(), schedule_of(call), *call.query.instant("at"));
    if (!answer) return answer.error();
    auto runs = runs_json(engine, call.tenant(), answer->runs);
    if (!runs) return runs.error();
    auto newest = runs->empty() ? Json(nullptr) : std::move(runs->front());
    if (!runs->empty()) runs->erase(runs->begin());
    boost::json::array events;
    for (const auto& record : answer->events) events.push_back(to_json(record));
    const auto& why = answer->why;
    return json_response(object{{"at", format_instant(answer->at)},
                                {"local", format_local(why.local)},
                                {"timezone", why.timezone},
                                {"verdict", name_of(why.verdict)},
                                {"answer", why.answer},
                                {"reason", why.reason ? Json(model::name_of(*why.reason)) : Json(nullptr)},
                                {"explanation", or_null(why.explanation)},
                                {"run", std::move(newest)},
                                {"otherRuns", std::move(*runs)},
                                {"events", std::move(events)},
                                {"previousOccurrence", or_null(why.previous_occurrence)},
                                {"nextOccurrence", or_null(why.next_occurrence)},
                                {"serverTime", format_instant(answer->now)}});
}

ShapePtr why_shape() {
    static const auto shape =
        answer_record("Why", {{"at", instant(), "The moment, as a whole second."},
                              {"local", local_time(), "The same in the schedule's zone."},
                              {"timezone", text(), "That zone."},
                              {"verdict", one_of(decide::verdict_names()), "For programs: what happened or will."},
                              {"answer", text(), "For people: the same as a sentence."},
                              {"reason", or_null(reason_names()), "Why it was or would be skipped."},
                              {"explanation", or_null(text()), "How that is known, and what can be done about it."},
                              {"run", or_null(run_shape()), "The run, or the record of many that covers the moment."},
                              {"otherRuns", list_of(run_shape()), "What else was started for that moment: backfills and triggers."},
                              {"events", list_of(event_shape()), "What the audit says about it."},
                              {"previousOccurrence", or_null(instant()), "The nearest before."},
                              {"nextOccurrence", or_null(instant()), "The nearest after."},
                              {"serverTime", instant(), "Now."}});
    return shape;
}

Json milliseconds(const std::optional<Micros>& duration) {
    return duration ? Json(std::chrono::duration_cast<std::chrono::milliseconds>(*duration).count()) : Json(nullptr);
}

Result<Response> health(engine::Engine& engine, const Call& call) {
    const auto answer = engine::health_of(engine.store(), schedule_of(call), engine.quarantined());
    if (!answer) return answer.error();
    const auto& state = answer->record.state;
    const auto& health = answer->health;
    boost::json::array outcomes;
    for (const auto& run : answer->runs) {
        outcomes.push_back(object{{"runId", run.id},
                                  {"scheduledAt", format_instant(run.slot.occurrence)},
                                  {"status", name_of(store::state_of(run))},
                                  {"reason", run.reason ? Json(model::name_of(*run.reason)) : Json(nullptr)},
                                  {"latenessMs", milliseconds(std::max(Micros{0}, run.decided_at - run.fire_at))}});
    }
    return json_response(object{{"scheduleId", answer->record.definition.id},
                                {"verdict", decide::name_of(health.verdict)},
                                {"reasons", array_of(health.reasons)},
                                {"status", model::name_of(state.status)},
                                {"outcomes", std::move(outcomes)},
                                {"consecutiveFailures", state.consecutive_failures},
                                {"breaker", decide::name_of(health.breaker)},
                                {"latenessMedianMs", milliseconds(health.lateness_median)},
                                {"latenessMostMs", milliseconds(health.lateness_most)},
                                {"overdueMs", milliseconds(health.overdue)},
                                {"inFlight", state.in_flight},
                                {"buffered", state.buffered},
                                {"missedLastDay", answer->missed_last_day},
                                {"quarantined", answer->quarantined},
                                {"serverTime", format_instant(answer->now)}});
}

ShapePtr health_shape() {
    const auto outcome = answer_record("RecentOutcome", {{"runId", text(), "The run."},
                                                         {"scheduledAt", instant(), "Its occurrence."},
                                                         {"status", run_state_names(), "What it is doing, or how it ended."},
                                                         {"reason", or_null(reason_names()), "Why it was skipped."},
                                                         {"latenessMs", or_null(integer()), "How long after its time it was decided."}});
    return answer_record("ScheduleHealth", {{"scheduleId", uuid(), "The schedule."},
                                            {"verdict", one_of({"ok", "warning", "failing", "paused"}), "In one word."},
                                            {"reasons", list_of(text()), "Why; none when it is ok."},
                                            {"status", schedule_status_names(), "Of the schedule."},
                                            {"outcomes", list_of(outcome), "Of its newest rows, newest first."},
                                            {"consecutiveFailures", integer(), "Runs that failed in a row until now."},
                                            {"breaker", one_of(decide::breaker_state_names()),
                                             "An open one skips runs; `half_open`: the next run says whether it closes."},
                                            {"latenessMedianMs", or_null(integer()), "Of its newest rows that were its own times."},
                                            {"latenessMostMs", or_null(integer()), "The longest of them."},
                                            {"overdueMs", or_null(integer()), "How long it has been due without a decision; null: it is not."},
                                            {"inFlight", integer(), "Runs that go on now."},
                                            {"buffered", integer(), "Occurrences that wait for a run to end."},
                                            {"missedLastDay", integer(), "Occurrences of the last 24 hours that nobody could start in time."},
                                            {"quarantined", boolean(), "This server cannot decide it."},
                                            {"serverTime", instant(), "Now."}});
}

Result<Response> load(engine::Engine& engine, const Call& call) {
    const auto now = engine.store().now();
    if (!now) return now.error();
    engine::LoadRequest request;
    request.from = call.query.instant("from").value_or(std::chrono::floor<std::chrono::minutes>(*now));
    request.to = call.query.instant("to").value_or(std::min<Instant>(request.from + std::chrono::hours{1}, kInstantMax));
    request.bucket = call.query.parsed("bucket", &parse_duration).value_or(request.bucket);
    // Asked first, because a list of a tenant that is not there is empty for some stores.
    if (const auto tenant = engine.store().tenant(call.tenant()); !tenant) return tenant.error();
    const auto load = engine::planned_load(engine.store(), engine.zones(), call.tenant(), request);
    if (!load) return load.error();
    boost::json::array buckets;
    const auto at = [&request](std::size_t index) { return format_instant(request.from + request.bucket * static_cast<std::int64_t>(index)); };
    for (std::size_t i = 0; i < load->buckets.size(); ++i) buckets.push_back(object{{"at", at(i)}, {"fires", load->buckets[i]}});
    const auto busiest = std::ranges::max_element(load->buckets);
    const auto index = static_cast<std::size_t>(busiest - load->buckets.begin());
    return json_response(object{{"from", format_instant(request.from)},
                                {"to", format_instant(request.to)},
                                {"bucket", format_duration(request.bucket)},
                                {"buckets", std::move(buckets)},
                                {"busiest", load->fires > 0 ? Json(object{{"at", at(index)}, {"fires", *busiest}}) : Json(nullptr)},
                                {"fires", load->fires},
                                {"schedules", load->schedules},
                                {"complete", load->complete}});
}

ShapePtr load_shape() {
    const auto bucket = answer_record("LoadBucket", {{"at", instant(), "Its beginning."}, {"fires", integer(), "Runs planned in it."}});
    return answer_record("Load", {{"from", instant(), "The beginning of the window."},
                                  {"to", instant(), "Its end, not included."},
                                  {"bucket", duration(), "The length of a bucket."},
                                  {"buckets", list_of(bucket), "All of them, in the order of time."},
                                  {"busiest", or_null(bucket), "The first with the most; null when nothing is planned."},
                                  {"fires", integer(), "In all buckets."},
                                  {"schedules", integer(), "Active schedules that were counted."},
                                  {"complete", boolean(), "False: a bound of the work was reached, and there are more."}});
}

}  // namespace

void add_insight_routes(Routes& routes, engine::Engine& engine) {
    const std::string tenant = "/api/tenants/{tenant}";
    const std::string one = tenant + "/schedules/{schedule}";
    const std::string group = "Schedules";
    routes.push_back(
        {.method = "GET",
         .pattern = one + "/why",
         .operation = "whySchedule",
         .summary = "Tell what happened, or will happen, at one moment, and why.",
         .details = "From the row of that occurrence, else from the audit, else from what the schedule was then and from its times. A trigger is "
                    "found by its second, or by its minute when `at` is a whole minute.",
         .group = group,
         .permission = Permission::read,
         .query = {{"at", instant(), "The moment, RFC 3339.", Presence::required}},
         .answers = {{200, why_shape()}},
         .handler = [&](const Call& call) { return why(engine, call); }});
    routes.push_back({.method = "GET",
                      .pattern = one + "/health",
                      .operation = "getScheduleHealth",
                      .summary = "Tell how a schedule is doing.",
                      .group = group,
                      .permission = Permission::read,
                      .answers = {{200, health_shape()}},
                      .handler = [&](const Call& call) { return health(engine, call); }});
    routes.push_back(
        {.method = "GET",
         .pattern = tenant + "/load",
         .operation = "getLoad",
         .summary = "Count the planned runs of a window, bucket by bucket.",
         .details = "By the times of active schedules with their jitter, before calendars, conditions and overlap have their say. At most 10,000 "
                    "schedules and 1,000,000 runs are looked at.",
         .group = group,
         .permission = Permission::read,
         .query = {{"from", instant(), "The beginning; this minute when absent."},
                   {"to", instant(), "The end, not included; an hour later when absent, a day at most."},
                   {"bucket", duration(), "The length of a bucket, `PT1M` when absent; at most 1,440 of them."}},
         .answers = {{200, load_shape()}},
         .handler = [&](const Call& call) { return load(engine, call); }});
}

}  // namespace belfry::api
