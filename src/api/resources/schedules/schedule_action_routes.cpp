// Routes for actions on a schedule (pause, resume, trigger) and for its history and runs.
#include <boost/json/array.hpp>

#include "api/contract/idempotency.hpp"
#include "api/contract/names.hpp"
#include "api/handlers.hpp"
#include "api/http/preferences.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "api/resources/schedules/schedule_dto.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "engine/usecases/runs.hpp"
#include "engine/usecases/schedules.hpp"

namespace belfry::api {

namespace {

using model::Permission;

constexpr std::int64_t kHistoryRows = 100;
constexpr std::int64_t kHistoryRowsMax = 500;

Result<Response> pause(engine::Schedules& schedules, const ScheduleView& view, const Call& call) {
    const Values values(call.body);
    const decide::PauseRequest request{.reason = values.text("reason").value_or(""), .until = values.instant("until")};
    const auto record = schedules.pause(schedule_of(call), request, call.context());
    if (!record) return record.error();
    return schedule_response(view, *record);
}

Result<Response> resume(engine::Schedules& schedules, const ScheduleView& view, const Call& call) {
    const auto record =
        schedules.resume(schedule_of(call), call.context(Values(call.body).text("reason").value_or("")));
    if (!record) return record.error();
    return schedule_response(view, *record);
}

Result<Response> trigger(engine::Schedules& schedules, engine::Runs& runs, store::StoreReader& reader,
                         const ScheduleLimits& limits, const Call& call) {
    if (auto refused = refuse_to_skip_approval(runs, call)) return *refused;
    const Values values(call.body);
    decide::TriggerRequest request;
    if (const auto* const input = values.any("input")) {
        if (auto error = check_input_size(*input, "/input", limits.input_max)) return *error;
        request.input = *input;
    }
    request.overlap = values.parsed("overlapPolicy", &model::parse_overlap_policy);
    const auto context = context_once(call, values.text("reason").value_or(""));
    if (!context) return context.error();
    const auto run = schedules.trigger(schedule_of(call), request, *context);
    if (!run) return run.error();
    const auto json =
        run->definition ? run_json(reader, *run, *run->definition) : run_json(reader, call.tenant(), *run);
    if (!json) return json.error();
    auto response = json_response(*json);
    response.headers.emplace_back("Location", tenant_path(call.tenant(), "/runs/" + run->id));
    return replayed(std::move(response), run->repeated);
}

// The cursor of a history page is the sequence of its last event, so the handler accepts both parameter names.
Result<Response> history(store::StoreReader& reader, const Call& call) {
    const auto limit = call.query.integer("limit").value_or(kHistoryRows);
    const auto after = call.query.integer("after_sequence").value_or(call.query.integer("cursor").value_or(0));
    const auto events = reader.events(schedule_of(call), after, static_cast<std::size_t>(limit));
    if (!events) return events.error();
    const auto chain = reader.audit_chain(schedule_of(call), after, 0);
    if (!chain) return chain.error();
    boost::json::array items;
    for (const auto& record : *events) items.push_back(to_json(record));
    const bool more = std::cmp_equal(events->size(), limit) || store::fills_page(*events);
    auto page = list_json(std::move(items), more ? std::to_string(events->back().event.sequence) : std::string());
    page.get_object()["keptFrom"] = chain->archived.sequence + 1;
    return json_response(page);
}

ShapePtr history_shape() {
    auto members = page_of(event_shape())->members;
    members.push_back({"keptFrom", integer(1),
                       "Sequence number of the first event that the store keeps: 1, or more if the operator archives "
                       "old events (`keep_events_days`)."});
    return answer_record("EventPage", std::move(members));
}

Result<Response> list_runs(store::StoreReader& reader, const Call& call) {
    store::RunFilter filter{.tenant = call.tenant()};
    const auto state = read_run_state(call.query);
    if (!state) return state.error();
    filter.state = *state;
    filter.from = call.query.instant("from");
    filter.to = last_place(call.query.instant("to"));
    const auto schedule = reader.schedule(schedule_of(call));
    if (!schedule) return schedule.error();
    filter.schedule_id = schedule->definition.id;
    const auto listing = reader.runs(filter, read_page(call.query));
    if (!listing) return in_page(listing.error());
    auto items = runs_json(reader, call.tenant(), listing->items);
    if (!items) return items.error();
    return json_response(page_json(std::move(*items), listing->next));
}

const Member kReason{"reason", reason_text(), "Reason for the request. Recorded in the history."};

ShapePtr pause_shape() {
    return record("PauseRequest", {kReason, {"until", instant(), "Time at which the schedule resumes automatically."}});
}
ShapePtr resume_shape() { return record("ResumeRequest", {kReason}); }
ShapePtr trigger_shape() {
    return record("TriggerRequest", {{"input", anything(), "Input of this run. Defaults to the schedule's input."},
                                     {"overlapPolicy", overlap_names(),
                                      "Overlap policy for this run. Defaults to the schedule's policy."},
                                     approval_status_member(),
                                     kReason});
}

}  // namespace

void add_schedule_action_routes(Routes& routes, engine::Schedules& schedules, engine::Runs& runs,
                                const ScheduleView& view, const ScheduleLimits& limits) {
    const std::string one = "/api/tenants/{tenant}/schedules/{schedule}";
    const std::string group = "Schedules";
    routes.push_back({.method = "POST",
                      .pattern = one + "/pause",
                      .operation = "pauseSchedule",
                      .summary = "Pause a schedule, indefinitely or until a given time.",
                      .group = group,
                      .permission = Permission::operate,
                      .body = pause_shape(),
                      .body_presence = Presence::optional,
                      .answers = {{200, schedule_shape()}},
                      .handler = [&schedules, view](const Call& call) { return pause(schedules, view, call); }});
    routes.push_back({.method = "POST",
                      .pattern = one + "/resume",
                      .operation = "resumeSchedule",
                      .summary = "Resume a paused schedule.",
                      .group = group,
                      .permission = Permission::operate,
                      .body = resume_shape(),
                      .body_presence = Presence::optional,
                      .answers = {{200, schedule_shape()}},
                      .handler = [&schedules, view](const Call& call) { return resume(schedules, view, call); }});
    routes.push_back({.method = "POST",
                      .pattern = one + "/trigger",
                      .operation = "triggerSchedule",
                      .summary = "Start a run of a schedule now.",
                      .details = "The run is additional to the schedule's own times. The response is the run: "
                                 "dispatched, buffered, or skipped with a reason.",
                      .group = group,
                      .permission = Permission::operate,
                      .headers = {idempotency_key_header(), prefer_header()},
                      .body = trigger_shape(),
                      .body_presence = Presence::optional,
                      .answers = {{200, run_shape()}, {204, {}, "The request has `Prefer: return=minimal`."}},
                      .handler = [&schedules, &runs, view, limits](const Call& call) {
                          return trigger(schedules, runs, view.reader, limits, call);
                      }});
    routes.push_back(
        {.method = "GET",
         .pattern = one + "/history",
         .operation = "getScheduleHistory",
         .summary = "List the audit events of a schedule, oldest first.",
         .group = group,
         .permission = Permission::read,
         .query = {{"limit", integer(1, kHistoryRowsMax), "Maximum number of events to return. Defaults to 100."},
                   {"after_sequence", integer(), "Return only events after this sequence number."},
                   {"cursor", integer(), "`nextCursor` of the previous page. Alias of `after_sequence`."}},
         .answers = {{200, history_shape()}},
         .handler = [view](const Call& call) { return history(view.reader, call); }});
    auto filters = run_state_parameters();
    filters.push_back({"from", instant(), "Return only occurrences at or after this time."});
    filters.push_back({"to", instant(), "Return only occurrences at or before this time."});
    routes.push_back({.method = "GET",
                      .pattern = one + "/runs",
                      .operation = "listScheduleRuns",
                      .summary = "List the runs of a schedule, newest occurrence first.",
                      .group = group,
                      .permission = Permission::read,
                      .query = page_parameters(std::move(filters)),
                      .answers = {{200, page_of(run_shape())}},
                      .handler = [view](const Call& call) { return list_runs(view.reader, call); }});
}

}  // namespace belfry::api
