// Routes for previews and simulations, of stored schedules and of drafts.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <tuple>

#include "api/contract/cursor.hpp"
#include "api/contract/json_values.hpp"
#include "api/handlers.hpp"
#include "api/resources/runs/run_dto.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "api/resources/schedules/schedule_dto.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "base/time/duration.hpp"
#include "engine/explain/forecaster.hpp"
#include "engine/usecases/assignments.hpp"
#include "engine/usecases/tenants.hpp"
#include "spec/explain/explain.hpp"

namespace belfry::api {

namespace {

using model::Permission;

constexpr std::int64_t kPreviewRows = 10;
constexpr std::int64_t kAssumedRunsMax = 1'000;
constexpr std::int64_t kAssumedMsMax = 366LL * 24 * 60 * 60 * 1000;  // one year

// Reads the definition under `/schedule`. Fills in placeholders for members that only a stored schedule needs.
Result<model::Schedule> read_draft(engine::Assignments& assignments, engine::Tenants& tenants, const Call& call,
                                   const ScheduleLimits& limits) {
    if (const auto tenant = tenants.get(call.tenant()); !tenant) return tenant.error();
    auto draft = call.body.get_object().at("schedule");
    auto& members = draft.get_object();
    const auto stand_in = [&members](const char* name, Json value) {
        const auto* const given = members.if_contains(name);
        if (given == nullptr || given->is_null()) members[name] = std::move(value);
    };
    stand_in("name", "draft");
    stand_in("target", boost::json::object{{"workflowKind", "draft"}});
    const auto filled = with_assignment(assignments, call.tenant(), draft);
    if (!filled) return in_field(filled.error(), "/schedule");
    auto schedule = checked_schedule(read_new_schedule(*filled, call.tenant(), limits), limits);
    if (!schedule) return in_field(schedule.error(), "/schedule");
    schedule->id = "draft";
    return schedule;
}

// Maps an error of the engine to its location in the body: in the definition, or in the window beside it.
Error in_draft(const Call& call, const Error& error) {
    if (error.field == "/to" || error.field == "/from" || error.code == ErrorCode::exhausted) return error;
    return in_field(in_words_of(call.body.get_object().at("schedule"), error), "/schedule");
}

// Parses `FROM ROWS`: where the first page began, and the number of rows returned so far.
Result<std::pair<Instant, std::size_t>> parse_forecast_cursor(std::string_view text) {
    const auto refused = invalid("the cursor does not come from a preview; send nextCursor unchanged");
    const auto cursor = parse_cursor(text);
    if (!cursor) return refused;
    const auto blank = std::min(cursor->find(' '), cursor->size());
    const auto from = parse_instant(std::string_view(*cursor).substr(0, blank));
    const auto rows = parse_integer(std::string_view(*cursor).substr(std::min(blank + 1, cursor->size())));
    if (!from || !rows || *rows < 0) return refused;
    return std::pair{*from, static_cast<std::size_t>(*rows)};
}

std::string next_of(const engine::Forecast& forecast, const engine::Window& window) {
    if (!forecast.more) return {};
    return cursor_text(format_instant(forecast.from) + ' ' + std::to_string(window.skipped + forecast.rows.size()));
}

Json forecast_json(const spec::ZoneDatabase& zones, const engine::Forecast& forecast, const engine::Window& window) {
    boost::json::array items;
    for (const auto& row : forecast.rows) items.push_back(to_json(row));
    return boost::json::object{{"items", std::move(items)},
                               {"nextCursor", or_null(next_of(forecast, window))},
                               {"serverTime", format_instant(forecast.now)},
                               {"tzdata", or_null(zones.version())},
                               {"timezone", forecast.schedule.spec.timezone},
                               {"description", spec::explain(forecast.schedule.spec, zones)},
                               {"warnings", array_of(forecast.warnings)}};
}

ShapePtr forecast_shape() {
    static const auto shape = answer_record(
        "Forecast", {{"items", list_of(preview_row_shape()), "One row for each upcoming occurrence."},
                     {"nextCursor", or_null(text()),
                      "Cursor for the next page. Null after the last row, and after 10,000 rows in all. A page "
                      "ends early if the inputs of its rows reach 4 MiB."},
                     {"serverTime", instant(), "Time at which the server computed the forecast."},
                     {"tzdata", or_null(text()), "Version of the time zone data used, for example `2026f`."},
                     {"timezone", text(), "Time zone of the schedule, in which `local` is given."},
                     {"description", text(), "English description of the schedule's times."},
                     {"warnings", list_of(text()), "Warnings about the forecast."}});
    return shape;
}

template <typename From>
engine::Window read_window(const From& values) {
    const auto rows = values.integer("limit").value_or(values.integer("n").value_or(kPreviewRows));
    engine::Window window{
        .from = values.instant("from"), .to = values.instant("to"), .rows = static_cast<std::size_t>(rows)};
    if (const auto cursor = values.parsed("cursor", &parse_forecast_cursor))
        std::tie(window.from, window.skipped) = *cursor;
    return window;
}

Result<Response> preview(engine::Forecaster& forecaster, const spec::ZoneDatabase& zones, const Call& call) {
    const auto window = read_window(call.query);
    const auto forecast = forecaster.preview(schedule_of(call), window);
    if (!forecast) return in_query(forecast.error());
    return json_response(forecast_json(zones, *forecast, window));
}

Result<Response> preview_draft(engine::Assignments& assignments, engine::Tenants& tenants,
                               engine::Forecaster& forecaster, const spec::ZoneDatabase& zones,
                               const ScheduleLimits& limits, const Call& call) {
    const auto draft = read_draft(assignments, tenants, call, limits);
    if (!draft) return draft.error();
    const auto window = read_window(Values(call.body));
    const auto forecast = forecaster.preview(*draft, window);
    if (!forecast) return in_draft(call, forecast.error());
    return json_response(forecast_json(zones, *forecast, window));
}

decide::SimulationRequest read_simulation(const Values& values) {
    decide::SimulationRequest request{.to = *values.instant("to"), .runs = {}};
    for (const auto& element : values.array("runs")) {
        const Values run(element);
        decide::AssumedRun assumed;
        assumed.duration = run.parsed("duration", &parse_duration)
                               .value_or(std::chrono::milliseconds{run.integer("durationMs").value_or(0)});
        assumed.outcome =
            run.parsed("outcome", &model::parse_execution_status).value_or(model::ExecutionStatus::succeeded);
        if (const auto* const result = run.any("result")) assumed.result = *result;
        request.runs.push_back(std::move(assumed));
    }
    return request;
}

Json simulation_json(const engine::Simulated& simulated) {
    boost::json::array items;
    for (const auto& row : simulated.rows) items.push_back(to_json(row));
    return boost::json::object{{"items", std::move(items)},
                               {"complete", simulated.complete},
                               {"from", format_instant(simulated.from)},
                               {"to", format_instant(simulated.to)},
                               {"serverTime", format_instant(simulated.now)}};
}

ShapePtr simulation_shape() {
    static const auto shape = answer_record(
        "Simulation",
        {{"items", list_of(simulated_run_shape()), "All simulated runs, in the order of their decisions."},
         {"complete", boolean(),
          "False if there are more rows than the response lists. A simulation returns at most 10,000 rows with 4 MiB "
          "of inputs."},
         {"from", instant(), "Start of the simulated period."},
         {"to", instant(), "End of the simulated period."},
         {"serverTime", instant(), "Current time of the store's clock."}});
    return shape;
}

Result<Response> simulate(engine::Forecaster& forecaster, const Call& call) {
    const Values values(call.body);
    const auto simulated = forecaster.simulate(schedule_of(call), values.instant("from"), read_simulation(values));
    if (!simulated) return simulated.error();
    return json_response(simulation_json(*simulated));
}

Result<Response> simulate_draft(engine::Assignments& assignments, engine::Tenants& tenants,
                                engine::Forecaster& forecaster, const ScheduleLimits& limits, const Call& call) {
    const auto draft = read_draft(assignments, tenants, call, limits);
    if (!draft) return draft.error();
    const Values values(call.body);
    const auto simulated = forecaster.simulate(*draft, values.instant("from"), read_simulation(values));
    if (!simulated) return in_draft(call, simulated.error());
    return json_response(simulation_json(*simulated));
}

std::vector<Member> window_members() {
    const auto rows = integer(1, static_cast<std::int64_t>(decide::kPreviewRowsMax));
    return {{"limit", rows, "Maximum number of rows to return. Defaults to 10."},
            {"cursor", checked_text("cursor", &parses<&parse_forecast_cursor>),
             "`nextCursor` of the previous page. It includes the `from` of the first page."},
            {"n", rows, "Alias of `limit`."},
            {"from", instant(), "Start of the window, inclusive. Defaults to the times after now."},
            {"to", instant(), "End of the window, inclusive, at most ten years after `from`."}};
}

std::vector<Member> simulation_members() {
    const auto assumed = record(
        "AssumedRun", {{"durationMs", integer(0, kAssumedMsMax), "Assumed duration of the run, in milliseconds."},
                       {"duration", duration(),
                        "Assumed duration of the run, for example `PT5M` or `5m`. Takes precedence over `durationMs`."},
                       {"outcome", one_of({"succeeded", "failed", "timed_out", "cancelled", "terminated"}),
                        "Assumed outcome of the run."},
                       {"result", anything(), "Assumed result of the run, which the condition can read."}});
    return {{"from", instant(), "Start of the simulation, inclusive. Defaults to now."},
            {"to", instant(), "End of the simulation, inclusive, at most ten years after `from`.", Presence::required},
            {"runs", list_of(assumed, kAssumedRunsMax),
             "Assumed runs, used in turn. By default, every run succeeds immediately."}};
}

ShapePtr with_draft(const std::string& name, std::vector<Member> members) {
    members.insert(members.begin(),
                   {"schedule", schedule_draft_shape(), "Definition of the schedule.", Presence::required});
    return record(name, std::move(members));
}

}  // namespace

void add_forecast_routes(Routes& routes, engine::Forecaster& forecaster, engine::Assignments& assignments,
                         engine::Tenants& tenants, const spec::ZoneDatabase& zones, const ScheduleLimits& limits) {
    const std::string all = "/api/tenants/{tenant}/schedules";
    const std::string one = all + "/{schedule}";
    const std::string group = "Schedules";
    routes.push_back({.method = "GET",
                      .pattern = one + "/preview",
                      .operation = "previewSchedule",
                      .summary = "Preview the upcoming occurrences of a schedule.",
                      .details = "Each row passes the same guards as its tick will. The preview assumes the current "
                                 "state and that earlier runs have ended.",
                      .group = group,
                      .permission = Permission::read,
                      .query = window_members(),
                      .answers = {{200, forecast_shape()}},
                      .handler = [&](const Call& call) { return preview(forecaster, zones, call); }});
    routes.push_back({.method = "POST",
                      .pattern = all + "/preview",
                      .operation = "previewDraft",
                      .summary = "Preview the upcoming occurrences of a schedule that is not stored.",
                      .group = group,
                      .permission = Permission::read,
                      .body = with_draft("PreviewRequest", window_members()),
                      .answers = {{200, forecast_shape()}},
                      .handler = [&assignments, &tenants, &forecaster, &zones, limits](const Call& call) {
                          return preview_draft(assignments, tenants, forecaster, zones, limits, call);
                      }});
    routes.push_back({.method = "POST",
                      .pattern = one + "/simulate",
                      .operation = "simulateSchedule",
                      .summary = "Simulate a schedule under assumed durations and outcomes.",
                      .details = "Shows the effects of the overlap policy, conditions, rotation, breaker and buffers. "
                                 "The simulation approves every run immediately.",
                      .group = group,
                      .permission = Permission::read,
                      .body = record("SimulationRequest", simulation_members()),
                      .answers = {{200, simulation_shape()}},
                      .handler = [&](const Call& call) { return simulate(forecaster, call); }});
    routes.push_back({.method = "POST",
                      .pattern = all + "/simulate",
                      .operation = "simulateDraft",
                      .summary = "Simulate a schedule that is not stored.",
                      .group = group,
                      .permission = Permission::read,
                      .body = with_draft("DraftSimulationRequest", simulation_members()),
                      .answers = {{200, simulation_shape()}},
                      .handler = [&assignments, &tenants, &forecaster, limits](const Call& call) {
                          return simulate_draft(assignments, tenants, forecaster, limits, call);
                      }});
}

}  // namespace belfry::api
