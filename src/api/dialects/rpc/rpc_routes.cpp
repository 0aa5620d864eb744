// The functions that read, pause, resume and delete schedules, and the routes of the dialect.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/dialects/rpc/rpc.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "base/text/nearest.hpp"
#include "engine/explain/forecaster.hpp"

namespace belfry::api::rpc {

namespace {

using boost::json::object;
using model::Permission;

constexpr std::int64_t kRowsMax = 10'000;  // schedules in one response
constexpr std::int64_t kPreviewRows = 10;
constexpr std::int64_t kPreviewRowsMax = 200;
constexpr Micros kPreviewSpan = std::chrono::hours{24 * 31};
constexpr auto kAnyInteger = std::numeric_limits<std::int64_t>::min();

// Reads page by page, up to a bound. Clients with more schedules must request parts.
Result<Response> get_schedules(store::StoreReader& reader, const engine::Connections& connections, const Call& call) {
    store::ScheduleFilter filter{.tenant = call.tenant()};
    if (const auto workflow = Values(call.body).text("p_workflow_id")) {
        filter.target_type = model::TargetType::workflow;
        filter.target_kind = *workflow;
        if (workflow->empty()) return json_response(boost::json::array());
    }
    const auto limit = call.query.integer("limit");
    auto to_skip = call.query.integer("offset").value_or(0);
    boost::json::array rows;
    RowBudget budget;
    const auto is_full = [&] {
        return std::cmp_greater_equal(rows.size(), std::min(limit.value_or(kRowsMax), kRowsMax));
    };
    for (store::Page page{.limit = store::kPageMax};;) {
        auto listing = reader.schedules(filter, page);
        if (!listing) return listing.error();
        for (const auto& record : listing->items) {
            if (to_skip-- > 0) continue;
            if (is_full() && limit) return json_response(rows);
            if (is_full()) {
                return response_of({400,
                                    "54000",
                                    "there are more than " + std::to_string(kRowsMax) + " schedules",
                                    {},
                                    "request one workflow, or a part: ?limit=1000&offset=0"});
            }
            auto row = schedule_row(reader, connections, record);
            if (!row) return row.error();
            rows.push_back(std::move(*row));
            if (budget.add(rows.back())) {
                return response_of({400,
                                    "54000",
                                    "the schedules have more than 4 MiB",
                                    {},
                                    "request one workflow, or a smaller part: ?limit=100&offset=0"});
            }
        }
        if (listing->next.empty()) return json_response(rows);
        page.after = std::move(listing->next);
    }
}

Result<Response> preview(engine::Forecaster& forecaster, store::StoreReader& reader, const Call& call) {
    // Accepts both spellings of the arguments.
    auto body = call.body.get_object();
    for (const auto* const name : {"schedule_id", "n"}) {
        const auto* const bare = body.if_contains(name);
        if (bare != nullptr && !body.contains(std::string("p_") + name)) body[std::string("p_") + name] = *bare;
    }
    auto spelt = call;
    spelt.body = std::move(body);
    const auto record = schedule_of(reader, spelt);
    if (!record) return record.error();
    const auto rows =
        std::clamp<std::int64_t>(Values(spelt.body).integer("p_n").value_or(kPreviewRows), 1, kPreviewRowsMax);
    const auto now = reader.now();
    if (!now) return now.error();
    const auto forecast =
        forecaster.preview(store::ScheduleRef{.tenant = call.tenant(), .id = record->definition.id},
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
    const auto rows = "Maximum number of ticks to return. Defaults to " + std::to_string(kPreviewRows) +
                      ". Values outside 1 to " + std::to_string(kPreviewRowsMax) + " are clamped.";
    return with_needed(record("PreviewScheduleTicks", {{"p_schedule_id", uuid(), "Unique identifier of the schedule."},
                                                       {"p_n", integer(kAnyInteger), rows},
                                                       {"schedule_id", uuid(), "Alias of `p_schedule_id`."},
                                                       {"n", integer(kAnyInteger), "Alias of `p_n`."}}),
                       {{"p_schedule_id", "schedule_id"}, "a schedule is missing; add p_schedule_id"});
}

ShapePtr tick_shape() {
    return answer_record("ScheduleTick",
                         {{"tick_at", instant(), "Time of the occurrence."},
                          {"decision", one_of({"dispatch", "skip"}), "Decision that the guards would make."},
                          {"reason", or_null(text()), "Skip reason. Null if the occurrence would not be skipped."},
                          {"inputs", anything(), "Input of the run."}});
}

using Change = std::function<Result<store::ScheduleRecord>(const store::ScheduleRecord&, const Call&)>;

// A function that changes one schedule and returns its row.
Function change_function(store::StoreReader& reader, const engine::Connections& connections, std::string name,
                         std::string summary, std::string arguments, Permission permission, Change change) {
    return {.name = std::move(name),
            .summary = std::move(summary),
            .permission = permission,
            .arguments = record(std::move(arguments), {schedule_argument()}),
            .answer = schedule_row_shape(),
            .says = "The row after the change.",
            .handler = [&reader, &connections, change = std::move(change)](const Call& call) -> Result<Response> {
                const auto stored = schedule_of(reader, call);
                if (!stored) return stored.error();
                return row_response(reader, connections, change(*stored, call));
            }};
}

store::ScheduleRef ref_of(const store::ScheduleRecord& record) {
    return {.tenant = record.definition.tenant, .id = record.definition.id};
}

void add_changes(std::vector<Function>& functions, const RpcServices& services) {
    auto& schedules = services.schedules;
    auto& reader = services.reader;
    const auto& connections = services.connections;
    functions.push_back(change_function(reader, connections, "fn_pause_workflow_schedule",
                                        "Pause a schedule. Pausing it again has no effect.", "PauseWorkflowSchedule",
                                        Permission::operate,
                                        [&schedules](const store::ScheduleRecord& stored, const Call& call) {
                                            return schedules.pause(ref_of(stored), {}, call.context());
                                        }));
    functions.push_back(change_function(
        reader, connections, "fn_resume_workflow_schedule", "Resume a paused schedule.", "ResumeWorkflowSchedule",
        Permission::operate,
        [&schedules, &approval_requirement = services.approval_requirement](
            const store::ScheduleRecord& stored, const Call& call) -> Result<store::ScheduleRecord> {
            if (auto allowed = approval_requirement.check_activation(stored.definition, call.context()); !allowed)
                return allowed.error();
            return schedules.resume(ref_of(stored), call.context());
        }));
    functions.push_back(change_function(reader, connections, "fn_delete_workflow_schedule",
                                        "Delete a schedule. Its history stays readable.", "DeleteWorkflowSchedule",
                                        Permission::write,
                                        [&schedules](const store::ScheduleRecord& stored, const Call& call) {
                                            return schedules.remove(ref_of(stored), {}, call.context());
                                        }));
}

// Handles calls of unknown functions.
Route unknown_function(const std::vector<Function>& functions, const std::shared_ptr<const Dialect>& dialect) {
    std::vector<std::string> names;
    for (const auto& function : functions) names.push_back(function.name);
    return {.method = "POST",
            .pattern = "/rpc/{function}",
            .operation = "fn_unknown",
            .summary = "Return an error for an unknown function.",
            .permission = Permission::read,
            .body = map_of(anything()),
            .body_presence = Presence::optional,
            .answers = {{404, refusal_shape(), "There is no function with that name."}},
            .handler = [names](const Call& call) -> Result<Response> {
                const auto meant = nearest(call.at("function"), names);
                return response_of(no_such_function(call.at("function"), call.body, meant ? "public." + *meant : ""));
            },
            .dialect = dialect,
            .alias = "/rest/v1/rpc/{function}"};
}

}  // namespace

void add_schedule_functions(std::vector<Function>& functions, const RpcServices& services) {
    functions.push_back(
        {.name = "fn_workflow_get_schedules",
         .summary = "List the schedules of the workspace, ordered by name.",
         .details =
             "Returns at most 10,000 schedules. To get more, request one workflow, or parts with `limit` and `offset`.",
         .permission = Permission::read,
         .arguments = record("GetWorkflowSchedules",
                             {{"p_workflow_id", text(), "Return only schedules of this workflow. Null returns all."}}),
         .query = {{"limit", integer(0), "Maximum number of rows to return."},
                   {"offset", integer(0), "Number of rows to skip."}},
         .answer = list_of(schedule_row_shape()),
         .says = "The rows.",
         .handler = [services](const Call& call) {
             return get_schedules(services.reader, services.connections, call);
         }});
    functions.push_back(
        {.name = "fn_preview_schedule_ticks",
         .summary = "Preview the upcoming ticks of a schedule, without side effects.",
         .details = "Looks at most 31 days ahead.",
         .permission = Permission::read,
         .arguments = preview_arguments(),
         .answer = list_of(tick_shape()),
         .says = "The ticks, earliest first.",
         .handler = [services](const Call& call) { return preview(services.forecaster, services.reader, call); }});
    add_changes(functions, services);
}

}  // namespace belfry::api::rpc

namespace belfry::api {

void add_rpc_routes(Routes& routes, const RpcServices& services, const DialectOptions& options) {
    const auto dialect = std::make_shared<const Dialect>(Dialect{.name = "RPC dialect",
                                                                 .tenant = options.tenant,
                                                                 .refusal_shape = rpc::refusal_shape(),
                                                                 .refusal = &rpc::refused});
    std::vector<rpc::Function> functions;
    rpc::add_upsert_function(functions, services, options.limits);
    rpc::add_schedule_functions(functions, services);
    rpc::add_run_functions(functions, services.reader);
    rpc::add_action_log_function(functions, services.reader);
    for (const auto& function : functions) routes.push_back(rpc::route_of(function, dialect));
    // Last, because it matches every name.
    routes.push_back(rpc::unknown_function(functions, dialect));
}

}  // namespace belfry::api
