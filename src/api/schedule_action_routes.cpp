// What can be asked of a schedule: pause, resume, trigger, and to look ahead and back.
#include <boost/json/array.hpp>

#include "api/handlers.hpp"
#include "api/run_dto.hpp"
#include "api/schedule_dto.hpp"
#include "base/parse_integer.hpp"

namespace belfry::api {

namespace {

constexpr std::int64_t kPreviewRows = 10;
constexpr std::int64_t kHistoryRows = 100;
constexpr std::int64_t kHistoryRowsMax = 500;
constexpr Bounds kSequences{0, std::numeric_limits<std::int64_t>::max()};

Result<Response> pause(engine::Engine& engine, const Call& call) {
    Fields fields(call.body);
    const decide::PauseRequest request{.reason = fields.text("reason").value_or(""), .until = fields.instant("until")};
    if (auto error = fields.finish()) return *error;
    const auto record = engine.schedules().pause(schedule_of(call), request, call.context());
    if (!record) return record.error();
    return schedule_response(engine, *record);
}

Result<Response> resume(engine::Engine& engine, const Call& call) {
    Fields fields(call.body);
    auto context = call.context();
    context.reason = fields.text("reason").value_or("");
    if (auto error = fields.finish()) return *error;
    const auto record = engine.schedules().resume(schedule_of(call), context);
    if (!record) return record.error();
    return schedule_response(engine, *record);
}

Result<Response> trigger(engine::Engine& engine, const Call& call) {
    Fields fields(call.body);
    decide::TriggerRequest request;
    if (const auto* const input = fields.any("input")) request.input = *input;
    request.overlap = fields.parsed("overlapPolicy", &model::parse_overlap_policy);
    auto context = call.context();
    context.reason = fields.text("reason").value_or("");
    if (auto error = fields.finish()) return *error;
    return run_response(engine, call.at("tenant"), engine.schedules().trigger(schedule_of(call), request, context));
}

Result<Response> preview(engine::Engine& engine, const Call& call) {
    Parameters parameters(call.request.query);
    const auto rows = parameters.integer("n", {1, static_cast<std::int64_t>(decide::kPreviewRowsMax)}).value_or(kPreviewRows);
    const auto from = parameters.instant("from");
    if (auto error = parameters.finish()) return *error;
    const auto found = engine.schedules().preview(schedule_of(call), from, static_cast<std::size_t>(rows));
    if (!found) return found.error();
    boost::json::array items;
    for (const auto& row : *found) items.push_back(to_json(row));
    return json_response(list_json(std::move(items), {}));
}

// The cursor of a history is the sequence of its last event, so both names are read.
Result<Response> history(engine::Engine& engine, const Call& call) {
    Parameters parameters(call.request.query);
    const auto limit = parameters.integer("limit", {1, kHistoryRowsMax}).value_or(kHistoryRows);
    const auto cursor = parameters.integer("cursor", kSequences);
    const auto after = parameters.integer("after_sequence", kSequences).value_or(cursor.value_or(0));
    if (auto error = parameters.finish()) return *error;
    const auto events = engine.store().events(schedule_of(call), after, static_cast<std::size_t>(limit));
    if (!events) return events.error();
    boost::json::array items;
    for (const auto& record : *events) items.push_back(to_json(record));
    const bool more = static_cast<std::int64_t>(events->size()) == limit;
    return json_response(list_json(std::move(items), more ? std::to_string(events->back().event.sequence) : std::string()));
}

Result<Response> runs(engine::Engine& engine, const Call& call) {
    Parameters parameters(call.request.query);
    const auto page = read_page(parameters);
    store::RunFilter filter{.tenant = call.at("tenant")};
    filter.state = parameters.parsed("state", &parse_run_state);
    filter.from = parameters.instant("from");
    filter.to = parameters.instant("to");
    if (auto error = parameters.finish()) return *error;
    const auto schedule = engine.store().schedule(schedule_of(call));
    if (!schedule) return schedule.error();
    filter.schedule_id = schedule->definition.id;
    const auto listing = engine.store().runs(filter, page);
    if (!listing) return in_page(listing.error());
    boost::json::array items;
    for (const auto& run : listing->items) items.push_back(to_json(run, schedule->definition));
    return json_response(page_json(std::move(items), listing->next));
}

}  // namespace

void add_schedule_action_routes(Routes& routes, engine::Engine& engine) {
    const std::string one = "/api/tenants/{tenant}/schedules/{schedule}";
    routes.push_back({"POST", one + "/pause", "pauseSchedule", "Pause a schedule, for good or until an instant.", Body::optional,
                      [&](const Call& call) { return pause(engine, call); }});
    routes.push_back({"POST", one + "/resume", "resumeSchedule", "Go on with the first occurrence after now.", Body::optional,
                      [&](const Call& call) { return resume(engine, call); }});
    routes.push_back({"POST", one + "/trigger", "triggerSchedule", "Run it now, beside its own times.", Body::optional,
                      [&](const Call& call) { return trigger(engine, call); }});
    routes.push_back({"GET", one + "/preview", "previewSchedule", "Show what it would do at its coming times.", Body::none,
                      [&](const Call& call) { return preview(engine, call); }});
    routes.push_back({"GET", one + "/history", "getScheduleHistory", "List its audit events, oldest first.", Body::none,
                      [&](const Call& call) { return history(engine, call); }});
    routes.push_back({"GET", one + "/runs", "listScheduleRuns", "List its runs, newest occurrence first.", Body::none,
                      [&](const Call& call) { return runs(engine, call); }});
}

}  // namespace belfry::api
