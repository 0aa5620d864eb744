// Looking ahead: preview and simulation of schedules, stored or not.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <tuple>

#include "api/cursor.hpp"
#include "api/handlers.hpp"
#include "api/json_values.hpp"
#include "api/run_dto.hpp"
#include "api/run_shapes.hpp"
#include "api/schedule_dto.hpp"
#include "api/schedule_shape.hpp"
#include "base/duration.hpp"
#include "engine/foresight.hpp"
#include "spec/explain.hpp"

namespace belfry::api {

namespace {

using model::Permission;

constexpr std::int64_t kPreviewRows = 10;
constexpr std::int64_t kAssumedRunsMax = 1'000;
constexpr std::int64_t kAssumedMsMax = 366LL * 24 * 60 * 60 * 1000;  // a run of a year

engine::Foresight foresight(engine::Engine& engine) { return {engine.store(), engine.schedules()}; }

// The definition under `/schedule`, with stand-ins for what only a stored one needs.
Result<model::Schedule> read_draft(engine::Engine& engine, const Call& call, const ScheduleLimits& limits) {
    if (const auto tenant = engine.store().tenant(call.tenant()); !tenant) return tenant.error();
    auto draft = call.body.get_object().at("schedule");
    auto& members = draft.get_object();
    const auto stand_in = [&members](const char* name, Json value) {
        const auto* const given = members.if_contains(name);
        if (given == nullptr || given->is_null()) members[name] = std::move(value);
    };
    stand_in("name", "draft");
    stand_in("target", boost::json::object{{"workflowKind", "draft"}});
    const auto filled = with_assignment(engine, call.tenant(), draft);
    if (!filled) return in_field(filled.error(), "/schedule");
    auto schedule = read_new_schedule(*filled, call.tenant(), limits);
    if (!schedule) return in_field(schedule.error(), "/schedule");
    if (auto errors = check_schedule(*schedule, limits.input_max); !errors.empty()) return in_field(together(std::move(errors)), "/schedule");
    schedule->id = "draft";
    return schedule;
}

// An error of the engine: about the definition, or about the window, which stands beside it.
Error in_draft(const Call& call, const Error& error) {
    if (error.field == "/to" || error.field == "/from") return error;
    return in_field(in_words_of(call.body.get_object().at("schedule"), error), "/schedule");
}

// `FROM ROWS`: where the first page began, and how many rows there were so far.
Result<std::pair<Instant, std::size_t>> parse_forecast_cursor(std::string_view text) {
    const auto refused = invalid("the cursor is not one that a preview answered; send nextCursor as it is");
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

Json forecast_json(engine::Engine& engine, const engine::Forecast& forecast, const engine::Window& window) {
    boost::json::array items;
    for (const auto& row : forecast.rows) items.push_back(to_json(row));
    return boost::json::object{{"items", std::move(items)},
                               {"nextCursor", or_null(next_of(forecast, window))},
                               {"serverTime", format_instant(forecast.now)},
                               {"tzdata", or_null(engine.zones().version())},
                               {"timezone", forecast.schedule.spec.timezone},
                               {"description", spec::explain(forecast.schedule.spec, engine.zones())},
                               {"warnings", array_of(forecast.warnings)}};
}

ShapePtr forecast_shape() {
    static const auto shape = answer_record("Forecast", {{"items", list_of(preview_row_shape()), "What would happen, occurrence by occurrence."},
                                                         {"nextCursor", or_null(text()),
                                                          "Send it as `cursor` for the next rows; null after the last, and after 10,000 in all. A "
                                                          "page ends early when the inputs of its rows have 4 MiB."},
                                                         {"serverTime", instant(), "When that was found out."},
                                                         {"tzdata", or_null(text()), "The version of the zones by which it was: `2026f`."},
                                                         {"timezone", text(), "The schedule's zone, in which `local` is."},
                                                         {"description", text(), "Its times in English."},
                                                         {"warnings", list_of(text()), "What somebody who looks at this should know."}});
    return shape;
}

template <typename From>
engine::Window read_window(const From& values) {
    const auto rows = values.integer("limit").value_or(values.integer("n").value_or(kPreviewRows));
    engine::Window window{.from = values.instant("from"), .to = values.instant("to"), .rows = static_cast<std::size_t>(rows)};
    if (const auto cursor = values.parsed("cursor", &parse_forecast_cursor)) std::tie(window.from, window.skipped) = *cursor;
    return window;
}

Result<Response> preview(engine::Engine& engine, const Call& call) {
    const auto window = read_window(call.query);
    const auto forecast = foresight(engine).preview(schedule_of(call), window);
    if (!forecast) return in_query(forecast.error());
    return json_response(forecast_json(engine, *forecast, window));
}

Result<Response> preview_draft(engine::Engine& engine, const ScheduleLimits& limits, const Call& call) {
    const auto draft = read_draft(engine, call, limits);
    if (!draft) return draft.error();
    const auto window = read_window(Values(call.body));
    const auto forecast = foresight(engine).preview(*draft, window);
    if (!forecast) return in_draft(call, forecast.error());
    return json_response(forecast_json(engine, *forecast, window));
}

decide::SimulationRequest read_simulation(const Values& values) {
    decide::SimulationRequest request{.to = *values.instant("to"), .runs = {}};
    for (const auto& element : values.array("runs")) {
        const Values run(element);
        decide::AssumedRun assumed;
        assumed.duration = run.parsed("duration", &parse_duration).value_or(std::chrono::milliseconds{run.integer("durationMs").value_or(0)});
        assumed.outcome = run.parsed("outcome", &model::parse_execution_status).value_or(model::ExecutionStatus::succeeded);
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
        "Simulation", {{"items", list_of(simulated_run_shape()), "Every run, in the order of decisions."},
                       {"complete", boolean(), "False: there are more rows than are shown. There are at most 10,000, with 4 MiB of inputs."},
                       {"from", instant(), "The beginning of what was played."},
                       {"to", instant(), "Its end."},
                       {"serverTime", instant(), "Now."}});
    return shape;
}

Result<Response> simulate(engine::Engine& engine, const Call& call) {
    const Values values(call.body);
    const auto simulated = foresight(engine).simulate(schedule_of(call), values.instant("from"), read_simulation(values));
    if (!simulated) return simulated.error();
    return json_response(simulation_json(*simulated));
}

Result<Response> simulate_draft(engine::Engine& engine, const ScheduleLimits& limits, const Call& call) {
    const auto draft = read_draft(engine, call, limits);
    if (!draft) return draft.error();
    const Values values(call.body);
    const auto simulated = foresight(engine).simulate(*draft, values.instant("from"), read_simulation(values));
    if (!simulated) return in_draft(call, simulated.error());
    return json_response(simulation_json(*simulated));
}

std::vector<Member> window_members() {
    const auto rows = integer(1, static_cast<std::int64_t>(decide::kPreviewRowsMax));
    return {{"limit", rows, "How many rows; 10 when absent."},
            {"cursor", checked_text("cursor", &parses<&parse_forecast_cursor>), "`nextCursor` of the page before; it brings its `from` along."},
            {"n", rows, "The same as limit."},
            {"from", instant(), "The first moment, included; what comes after now when absent."},
            {"to", instant(), "Rows up to this, included; at most ten years after `from`."}};
}

std::vector<Member> simulation_members() {
    const auto assumed = record("AssumedRun", {{"durationMs", integer(0, kAssumedMsMax), "How long it takes."},
                                               {"duration", duration(), "The same as a duration: `PT5M` or `5m`. It counts when both are there."},
                                               {"outcome", one_of({"succeeded", "failed", "timed_out", "cancelled", "terminated"}), "How it ends."},
                                               {"result", anything(), "What it gives: the condition may look at it."}});
    return {{"from", instant(), "The first moment, included; now when absent."},
            {"to", instant(), "The last, included; at most ten years after `from`.", Presence::required},
            {"runs", list_of(assumed, kAssumedRunsMax), "How the runs go, taken in turn; at once and well when absent."}};
}

ShapePtr with_draft(const std::string& name, std::vector<Member> members) {
    members.insert(members.begin(), {"schedule", schedule_draft_shape(), "The definition.", Presence::required});
    return record(name, std::move(members));
}

}  // namespace

void add_foresight_routes(Routes& routes, engine::Engine& engine, const ScheduleLimits& limits) {
    const std::string all = "/api/tenants/{tenant}/schedules";
    const std::string one = all + "/{schedule}";
    const std::string group = "Schedules";
    routes.push_back({.method = "GET",
                      .pattern = one + "/preview",
                      .operation = "previewSchedule",
                      .summary = "Show what it would do at its coming times.",
                      .details = "Every row passes the guards that its tick will pass, as things are now and as if earlier runs had ended.",
                      .group = group,
                      .permission = Permission::read,
                      .query = window_members(),
                      .answers = {{200, forecast_shape()}},
                      .handler = [&](const Call& call) { return preview(engine, call); }});
    routes.push_back({.method = "POST",
                      .pattern = all + "/preview",
                      .operation = "previewDraft",
                      .summary = "Show what a schedule that is not stored would do.",
                      .group = group,
                      .permission = Permission::read,
                      .body = with_draft("PreviewRequest", window_members()),
                      .answers = {{200, forecast_shape()}},
                      .handler = [&engine, limits](const Call& call) { return preview_draft(engine, limits, call); }});
    routes.push_back({.method = "POST",
                      .pattern = one + "/simulate",
                      .operation = "simulateSchedule",
                      .summary = "Play it forward under assumed durations and outcomes.",
                      .details = "Shows how overlap, conditions, rotation, the breaker and buffers unfold. Approvals are given at once.",
                      .group = group,
                      .permission = Permission::read,
                      .body = record("SimulationRequest", simulation_members()),
                      .answers = {{200, simulation_shape()}},
                      .handler = [&](const Call& call) { return simulate(engine, call); }});
    routes.push_back({.method = "POST",
                      .pattern = all + "/simulate",
                      .operation = "simulateDraft",
                      .summary = "Play a schedule forward that is not stored.",
                      .group = group,
                      .permission = Permission::read,
                      .body = with_draft("DraftSimulationRequest", simulation_members()),
                      .answers = {{200, simulation_shape()}},
                      .handler = [&engine, limits](const Call& call) { return simulate_draft(engine, limits, call); }});
}

}  // namespace belfry::api
