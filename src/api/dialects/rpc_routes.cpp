// The functions that read schedules, switch and delete them, and the dialect as a whole.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/dialects/rpc.hpp"
#include "api/json_values.hpp"
#include "api/run_shapes.hpp"
#include "base/nearest.hpp"
#include "engine/foresight.hpp"

namespace belfry::api::rpc {

namespace {

using boost::json::object;
using model::Permission;

constexpr std::int64_t kRowsMax = 10'000;  // schedules in one answer
constexpr std::int64_t kPreviewRows = 10;
constexpr std::int64_t kPreviewRowsMax = 200;
constexpr Micros kPreviewSpan = std::chrono::hours{24 * 31};
constexpr auto kAnyInteger = std::numeric_limits<std::int64_t>::min();

// Page by page, up to a bound: whoever has more asks for parts.
Result<Response> get_schedules(engine::Engine& engine, const Call& call) {
    store::ScheduleFilter filter{.tenant = call.tenant()};
    if (const auto workflow = Values(call.body).text("p_workflow_id")) {
        filter.target_type = model::TargetType::workflow;
        filter.target_kind = *workflow;
        if (workflow->empty()) return json_response(boost::json::array());
    }
    const auto limit = call.query.integer("limit");
    auto to_skip = call.query.integer("offset").value_or(0);
    boost::json::array rows;
    const auto is_full = [&] { return std::cmp_greater_equal(rows.size(), std::min(limit.value_or(kRowsMax), kRowsMax)); };
    for (store::Page page{.limit = store::kPageMax};;) {
        auto listing = engine.store().schedules(filter, page);
        if (!listing) return listing.error();
        for (const auto& record : listing->items) {
            if (to_skip-- > 0) continue;
            if (is_full() && limit) return json_response(rows);
            if (is_full()) {
                return response_of({400,
                                    "54000",
                                    "there are more than " + std::to_string(kRowsMax) + " schedules",
                                    {},
                                    "ask for one workflow, or for a part: ?limit=1000&offset=0"});
            }
            auto row = schedule_row(engine, record);
            if (!row) return row.error();
            rows.push_back(std::move(*row));
        }
        if (listing->next.empty()) return json_response(rows);
        page.after = std::move(listing->next);
    }
}

Result<Response> preview(engine::Engine& engine, const Call& call) {
    // Both spellings of the arguments are read as one.
    auto body = call.body.get_object();
    for (const auto* const name : {"schedule_id", "n"}) {
        const auto* const bare = body.if_contains(name);
        if (bare != nullptr && !body.contains(std::string("p_") + name)) body[std::string("p_") + name] = *bare;
    }
    auto spelt = call;
    spelt.body = std::move(body);
    const auto record = schedule_of(engine, spelt);
    if (!record) return record.error();
    const auto rows = std::clamp<std::int64_t>(Values(spelt.body).integer("p_n").value_or(kPreviewRows), 1, kPreviewRowsMax);
    const auto now = engine.store().now();
    if (!now) return now.error();
    engine::Foresight foresight(engine.store(), engine.schedules());
    const auto forecast = foresight.preview(store::ScheduleRef{.tenant = call.tenant(), .id = record->definition.id},
                                            {.from = *now, .to = *now + kPreviewSpan, .rows = static_cast<std::size_t>(rows)});
    if (!forecast) return forecast.error();
    boost::json::array ticks;
    for (const auto& row : forecast->rows) {
        const bool dispatched = row.decision == model::DispatchStatus::dispatched;
        ticks.push_back(object{{"tick_at", format_instant(row.occurrence)},
                               {"decision", dispatched ? Json("dispatch") : Json("skip")},
                               {"reason", row.reason ? Json(name_of(*row.reason)) : Json(nullptr)},
                               {"inputs", row.input}});
    }
    return json_response(ticks);
}

ShapePtr preview_arguments() {
    const auto rows =
        "How many; " + std::to_string(kPreviewRows) + " when absent, and from 1 to " + std::to_string(kPreviewRowsMax) + " whatever is asked for.";
    return with_needed(record("PreviewScheduleTicks", {{"p_schedule_id", uuid(), "The schedule."},
                                                       {"p_n", integer(kAnyInteger), rows},
                                                       {"schedule_id", uuid(), "The same as `p_schedule_id`."},
                                                       {"n", integer(kAnyInteger), "The same as `p_n`."}}),
                       {{"p_schedule_id", "schedule_id"}, "a schedule is needed"});
}

ShapePtr tick_shape() {
    return answer_record("ScheduleTick", {{"tick_at", instant(), "An occurrence."},
                                          {"decision", one_of({"dispatch", "skip"}), "What it would come to."},
                                          {"reason", or_null(text()), "Why it would be skipped; null: it would not."},
                                          {"inputs", anything(), "With what its run would begin."}});
}

using Change = std::function<Result<store::ScheduleRecord>(const store::ScheduleRecord&, const Call&)>;

// One schedule, one change, its row.
Function change_function(engine::Engine& engine, std::string name, std::string summary, std::string arguments, Permission permission, Change change) {
    return {.name = std::move(name),
            .summary = std::move(summary),
            .permission = permission,
            .arguments = record(std::move(arguments), {schedule_argument()}),
            .answer = schedule_row_shape(),
            .says = "The row as it is now.",
            .handler = [&engine, change = std::move(change)](const Call& call) -> Result<Response> {
                const auto stored = schedule_of(engine, call);
                if (!stored) return stored.error();
                return row_response(engine, change(*stored, call));
            }};
}

store::ScheduleRef ref_of(const store::ScheduleRecord& record) { return {.tenant = record.definition.tenant, .id = record.definition.id}; }

void add_changes(std::vector<Function>& functions, engine::Engine& engine) {
    functions.push_back(change_function(
        engine, "fn_pause_workflow_schedule", "Pause a schedule; again is fine.", "PauseWorkflowSchedule", Permission::operate,
        [&engine](const store::ScheduleRecord& stored, const Call& call) { return engine.schedules().pause(ref_of(stored), {}, call.context()); }));
    functions.push_back(change_function(engine, "fn_resume_workflow_schedule", "Go on with a paused schedule, from the first occurrence after now.",
                                        "ResumeWorkflowSchedule", Permission::operate,
                                        [&engine](const store::ScheduleRecord& stored, const Call& call) -> Result<store::ScheduleRecord> {
                                            if (auto allowed = engine.supervision().check_activation(stored.definition, call.context()); !allowed)
                                                return allowed.error();
                                            return engine.schedules().resume(ref_of(stored), call.context());
                                        }));
    functions.push_back(change_function(
        engine, "fn_delete_workflow_schedule", "Delete a schedule; its history stays readable.", "DeleteWorkflowSchedule", Permission::write,
        [&engine](const store::ScheduleRecord& stored, const Call& call) { return engine.schedules().remove(ref_of(stored), {}, call.context()); }));
}

// Whatever else is called.
Route unknown_function(const std::vector<Function>& functions, const std::shared_ptr<const Dialect>& dialect) {
    std::vector<std::string> names;
    for (const auto& function : functions) names.push_back(function.name);
    return {.method = "POST",
            .pattern = "/rpc/{function}",
            .operation = "fn_unknown",
            .summary = "Say that there is no such function.",
            .permission = Permission::read,
            .body = map_of(anything()),
            .body_presence = Presence::optional,
            .answers = {{404, refusal_shape(), "There is no function of that name."}},
            .handler = [names](const Call& call) -> Result<Response> {
                const auto meant = nearest(call.at("function"), names);
                return response_of(no_such_function(call.at("function"), call.body, meant ? "public." + *meant : ""));
            },
            .dialect = dialect,
            .alias = "/rest/v1/rpc/{function}"};
}

}  // namespace

void add_schedule_functions(std::vector<Function>& functions, engine::Engine& engine) {
    functions.push_back({.name = "fn_workflow_get_schedules",
                         .summary = "List the schedules of the workspace, by name.",
                         .details = "All of them, up to 10,000; whoever has more asks for one workflow, or for parts.",
                         .permission = Permission::read,
                         .arguments = record("GetWorkflowSchedules", {{"p_workflow_id", text(), "Only those of this workflow; null: all."}}),
                         .query = {{"limit", integer(0), "How many at most."}, {"offset", integer(0), "How many are left out before them."}},
                         .answer = list_of(schedule_row_shape()),
                         .says = "The rows.",
                         .handler = [&engine](const Call& call) { return get_schedules(engine, call); }});
    functions.push_back({.name = "fn_preview_schedule_ticks",
                         .summary = "What a schedule would do at its coming times; nothing is changed.",
                         .details = "At most 31 days ahead.",
                         .permission = Permission::read,
                         .arguments = preview_arguments(),
                         .answer = list_of(tick_shape()),
                         .says = "The ticks, the next one first.",
                         .handler = [&engine](const Call& call) { return preview(engine, call); }});
    add_changes(functions, engine);
}

}  // namespace belfry::api::rpc

namespace belfry::api {

void add_rpc_routes(Routes& routes, engine::Engine& engine, const DialectOptions& options) {
    const auto dialect = std::make_shared<const Dialect>(
        Dialect{.name = "RPC dialect", .tenant = options.tenant, .refusal_shape = rpc::refusal_shape(), .refusal = &rpc::refused});
    std::vector<rpc::Function> functions;
    rpc::add_upsert_function(functions, engine, options.limits);
    rpc::add_schedule_functions(functions, engine);
    rpc::add_run_functions(functions, engine);
    rpc::add_action_log_function(functions, engine);
    for (const auto& function : functions) routes.push_back(rpc::route_of(function, dialect));
    // The last one: it answers to every name.
    routes.push_back(rpc::unknown_function(functions, dialect));
}

}  // namespace belfry::api
