// Routes that explain schedules: why something happened, how healthy a schedule is, and the load ahead.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/contract/names.hpp"
#include "api/handlers.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "base/time/duration.hpp"
#include "engine/explain/explainer.hpp"
#include "engine/explain/forecaster.hpp"
#include "engine/usecases/tenants.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using model::Permission;

Json guards_json(const decide::GuardChain& chain) {
    boost::json::array guards;
    for (const auto& step : chain) {
        guards.push_back(
            object{{"guard", step.guard}, {"outcome", decide::name_of(step.outcome)}, {"text", step.text}});
    }
    return guards;
}

Result<Response> why(engine::Explainer& explainer, store::StoreReader& reader, const Call& call) {
    const auto answer = explainer.why(schedule_of(call), *call.query.instant("at"));
    if (!answer) return answer.error();
    auto runs = runs_json(reader, call.tenant(), answer->runs);
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
                                {"guards", guards_json(why.guards)},
                                {"run", std::move(newest)},
                                {"otherRuns", std::move(*runs)},
                                {"events", std::move(events)},
                                {"previousOccurrence", or_null(why.previous_occurrence)},
                                {"nextOccurrence", or_null(why.next_occurrence)},
                                {"serverTime", format_instant(answer->now)}});
}

ShapePtr guard_step_shape() {
    return answer_record(
        "GuardStep", {{"guard", one_of(decide::guard_names()), "Name of the guard."},
                      {"outcome", one_of(decide::guard_outcome_names()), "What the guard decided."},
                      {"text", text(), "What the guard requires. For a refusal, the reason as an English phrase."}});
}

ShapePtr why_shape() {
    static const auto shape = answer_record(
        "Why", {{"at", instant(), "Requested time, as a whole second."},
                {"local", local_time(), "Requested time in the schedule's time zone."},
                {"timezone", text(), "Time zone of the schedule."},
                {"verdict", one_of(decide::verdict_names()), "Machine-readable outcome: what happened or will happen."},
                {"answer", text(), "The outcome as an English sentence."},
                {"reason", or_null(reason_names()), "Skip reason, if the occurrence was or would be skipped."},
                {"explanation", or_null(text()), "Evidence for the outcome and, where possible, how to change it."},
                {"guards", list_of(guard_step_shape()),
                 "Guards that judge the occurrence, in their fixed order. The first that refuses decides. Empty if "
                 "there is no occurrence, no record, or the schedule is paused."},
                {"run", or_null(run_shape()), "Run for the requested time, or the summary record that covers it."},
                {"otherRuns", list_of(run_shape()), "Other runs for the same time, from backfills and triggers."},
                {"events", list_of(event_shape()), "Audit events about the requested time."},
                {"previousOccurrence", or_null(instant()), "Nearest occurrence before the requested time."},
                {"nextOccurrence", or_null(instant()), "Nearest occurrence after the requested time."},
                {"serverTime", instant(), "Current time of the store's clock."}});
    return shape;
}

Json milliseconds(const std::optional<Micros>& duration) {
    return duration ? Json(std::chrono::duration_cast<std::chrono::milliseconds>(*duration).count()) : Json(nullptr);
}

Result<Response> health(engine::Explainer& explainer, const Call& call) {
    const auto answer = explainer.health(schedule_of(call));
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
    const auto outcome = answer_record(
        "RecentOutcome", {{"runId", text(), "Unique identifier of the run."},
                          {"scheduledAt", instant(), "Time of the occurrence."},
                          {"status", run_state_names(), "Current state of the run, or how it ended."},
                          {"reason", or_null(reason_names()), "Skip reason, if the run was skipped."},
                          {"latenessMs", or_null(integer()), "Milliseconds between the fire time and the decision."}});
    return answer_record(
        "ScheduleHealth",
        {{"scheduleId", uuid(), "Unique identifier of the schedule."},
         {"verdict", one_of({"ok", "warning", "failing", "paused"}), "Overall health of the schedule."},
         {"reasons", list_of(text()), "Why the verdict is not `ok`. Empty if it is."},
         {"status", schedule_status_names(), "Status of the schedule."},
         {"outcomes", list_of(outcome), "Outcomes of the most recent occurrences, newest first."},
         {"consecutiveFailures", integer(), "Number of consecutive failed runs up to now."},
         {"breaker", one_of(decide::breaker_state_names()),
          "State of the breaker. An `open` breaker skips runs. In `half_open`, the result of the next run decides "
          "whether it closes."},
         {"latenessMedianMs", or_null(integer()), "Median lateness of recent scheduled runs, in milliseconds."},
         {"latenessMostMs", or_null(integer()), "Greatest lateness of recent scheduled runs, in milliseconds."},
         {"overdueMs", or_null(integer()),
          "Milliseconds since the schedule became due without a decision. Null if it is not overdue."},
         {"inFlight", integer(), "Number of runs in flight."},
         {"buffered", integer(), "Number of buffered runs that wait for an earlier run to end."},
         {"missedLastDay", integer(), "Number of occurrences missed in the last 24 hours."},
         {"quarantined", boolean(), "Whether this server has quarantined the schedule because it cannot process it."},
         {"serverTime", instant(), "Current time of the store's clock."}});
}

Result<Response> load(engine::Tenants& tenants, engine::Forecaster& forecaster, store::StoreClock& clock,
                      const Call& call) {
    const auto now = clock.now();
    if (!now) return now.error();
    engine::LoadRequest request;
    request.from = call.query.instant("from").value_or(std::chrono::floor<std::chrono::minutes>(*now));
    request.to =
        call.query.instant("to").value_or(std::min<Instant>(request.from + std::chrono::hours{1}, kInstantMax));
    request.bucket = call.query.parsed("bucket", &parse_duration).value_or(request.bucket);
    // Check the tenant first, because some stores return an empty list for a tenant that does not exist.
    if (const auto tenant = tenants.get(call.tenant()); !tenant) return tenant.error();
    const auto load = forecaster.load(call.tenant(), request);
    if (!load) return load.error();
    boost::json::array buckets;
    const auto at = [&request](std::size_t index) {
        return format_instant(request.from + request.bucket * static_cast<std::int64_t>(index));
    };
    for (std::size_t i = 0; i < load->buckets.size(); ++i)
        buckets.push_back(object{{"at", at(i)}, {"fires", load->buckets[i]}});
    const auto busiest = std::ranges::max_element(load->buckets);
    const auto index = static_cast<std::size_t>(busiest - load->buckets.begin());
    return json_response(
        object{{"from", format_instant(request.from)},
               {"to", format_instant(request.to)},
               {"bucket", format_duration(request.bucket)},
               {"buckets", std::move(buckets)},
               {"busiest", load->fires > 0 ? Json(object{{"at", at(index)}, {"fires", *busiest}}) : Json(nullptr)},
               {"fires", load->fires},
               {"schedules", load->schedules},
               {"complete", load->complete}});
}

ShapePtr load_shape() {
    const auto bucket = answer_record("LoadBucket", {{"at", instant(), "Start of the bucket."},
                                                     {"fires", integer(), "Number of runs planned in the bucket."}});
    return answer_record("Load",
                         {{"from", instant(), "Start of the window."},
                          {"to", instant(), "End of the window, exclusive."},
                          {"bucket", duration(), "Length of a bucket."},
                          {"buckets", list_of(bucket), "All buckets of the window, in chronological order."},
                          {"busiest", or_null(bucket),
                           "First bucket with the highest number of runs. Null if the window has no planned runs."},
                          {"fires", integer(), "Number of planned runs in all buckets."},
                          {"schedules", integer(), "Number of active schedules counted."},
                          {"complete", boolean(),
                           "False if the request reached the limit of schedules or runs, so the counts are too low."}});
}

}  // namespace

void add_diagnostics_routes(Routes& routes, engine::Explainer& explainer, engine::Forecaster& forecaster,
                            engine::Tenants& tenants, store::StoreReader& reader) {
    const std::string tenant = "/api/tenants/{tenant}";
    const std::string one = tenant + "/schedules/{schedule}";
    const std::string group = "Schedules";
    routes.push_back(
        {.method = "GET",
         .pattern = one + "/why",
         .operation = "whySchedule",
         .summary = "Explain what happened, or will happen, at a given time.",
         .details =
             "Belfry answers from the run of that occurrence. If there is none, it uses the audit events, and then the "
             "definition that was in "
             "effect and its times. A trigger matches by its second, or by its minute if `at` is a whole minute.",
         .group = group,
         .permission = Permission::read,
         .query = {{"at", instant(), "Time to explain, in RFC 3339 format.", Presence::required}},
         .answers = {{200, why_shape()}},
         .handler = [&](const Call& call) { return why(explainer, reader, call); }});
    routes.push_back({.method = "GET",
                      .pattern = one + "/health",
                      .operation = "getScheduleHealth",
                      .summary = "Retrieve the health of a schedule.",
                      .group = group,
                      .permission = Permission::read,
                      .answers = {{200, health_shape()}},
                      .handler = [&](const Call& call) { return health(explainer, call); }});
    routes.push_back(
        {.method = "GET",
         .pattern = tenant + "/load",
         .operation = "getLoad",
         .summary = "Count the planned runs of a time window, by bucket.",
         .details = "Counts the times of active schedules including jitter, before calendars, conditions and overlap "
                    "policies apply. Considers at "
                    "most 10,000 schedules and 1,000,000 runs.",
         .group = group,
         .permission = Permission::read,
         .query =
             {{"from", instant(), "Start of the window. Defaults to the current minute."},
              {"to", instant(),
               "End of the window, exclusive, at most one day after the start. Defaults to one hour after the start."},
              {"bucket", duration(),
               "Length of a bucket. The window can have at most 1,440 buckets. Defaults to `PT1M`."}},
         .answers = {{200, load_shape()}},
         .handler = [&](const Call& call) { return load(tenants, forecaster, reader, call); }});
}

}  // namespace belfry::api
