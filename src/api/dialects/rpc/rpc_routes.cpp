// The functions that read schedules, and the routes of the dialect.
#include <algorithm>
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

constexpr std::int64_t kPreviewRows = 10;
constexpr std::int64_t kPreviewRowsMax = 200;
constexpr Micros kPreviewSpan = std::chrono::hours{24 * 31};
constexpr auto kAnyInteger = std::numeric_limits<std::int64_t>::min();

enum class ListOrder : std::uint8_t { by_name, newest_first };

// Reads page by page. Rows that the response does not show are not built.
Result<void> get_schedules(const RpcServices& services, ListOrder order, const Call& call, RowSink& sink) {
    const Values arguments(call.body);
    store::ScheduleFilter filter{.tenant = call.tenant(), .newest_first = order == ListOrder::newest_first};
    if (const auto workflow = arguments.text("p_workflow_id")) {
        filter.target_type = model::TargetType::workflow;
        filter.target_kind = *workflow;
        if (workflow->empty()) return {};
    }
    auto left =
        std::max<std::int64_t>(arguments.integer("p_limit").value_or(std::numeric_limits<std::int64_t>::max()), 1);
    for (store::Page page{.limit = store::kPageMax};;) {
        auto listing = services.reader.schedules(filter, page);
        if (!listing) return listing.error();
        for (const auto& record : listing->items) {
            if (left-- == 0 || !sink.wants_more()) return {};
            if (sink.only_counts()) {
                sink.skip();
                continue;
            }
            if (auto added = add_row(services, record, sink); !added) return added;
        }
        if (listing->next.empty()) return {};
        page.after = std::move(listing->next);
    }
}

Result<void> preview(engine::Forecaster& forecaster, store::StoreReader& reader, const Call& call, RowSink& sink) {
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
    for (const auto& row : forecast->rows) {
        const bool dispatched = row.decision == model::DispatchStatus::dispatched;
        sink.add(object{{"tick_at", format_instant(row.occurrence)},
                        {"decision", dispatched ? Json("dispatch") : Json("skip")},
                        {"reason", row.reason ? Json(name_of(*row.reason)) : Json(nullptr)},
                        {"inputs", row.input}});
    }
    return {};
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

// Handles calls of unknown functions, and those by GET of functions that change something.
Route unknown_function(const std::vector<Function>& functions, const char* method,
                       const std::shared_ptr<const Dialect>& dialect) {
    std::vector<std::string> names;
    for (const auto& function : functions) names.push_back(function.name);
    const bool is_get = std::string_view(method) == "GET";
    return {
        .method = method,
        .pattern = "/rpc/{function}",
        .operation = is_get ? "fn_unknown_by_get" : "fn_unknown",
        .summary = "Return an error for an unknown function.",
        .permission = Permission::read,
        .handler_checks_query = true,
        .body = is_get ? ShapePtr() : map_of(anything()),
        .body_presence = Presence::optional,
        .answers = {{404, refusal_shape(), "There is no function with that name."},
                    {405, refusal_shape(), "The function changes something. Call it by POST."}},
        .handler = [names](const Call& call) -> Result<Response> {
            const auto& name = call.at("function");
            if (std::ranges::find(names, name) != names.end()) {
                auto response = response_of(
                    {405, "25006", "cannot call " + name + " by GET, because it changes data", {}, "call it by POST"});
                response.headers.emplace_back("Allow", "POST, OPTIONS");
                return response;
            }
            const auto meant = nearest(name, names);
            return response_of(no_such_function(name, call.body, meant ? "public." + *meant : ""));
        },
        .dialect = dialect,
        .alias = "/rest/v1/rpc/{function}"};
}

}  // namespace

void add_schedule_functions(std::vector<Function>& functions, const RpcServices& services) {
    const Member workflow{"p_workflow_id", text(), "Return only schedules of this workflow. Null returns all."};
    const Member limit{"p_limit", integer(kAnyInteger), "Maximum number of rows to return. Null returns all."};
    const auto* const bound =
        "Builds at most 10,000 rows. To get more, request one workflow, or parts with `limit` and `offset`.";
    functions.push_back({.name = "fn_workflow_get_schedules",
                         .summary = "List the schedules of the workspace, ordered by name.",
                         .details = bound,
                         .arguments = record("GetSchedulesByName", {workflow}),
                         .answer = schedule_row_shape(),
                         .says = "The rows.",
                         .rows = [services](const Call& call, RowSink& sink) {
                             return get_schedules(services, ListOrder::by_name, call, sink);
                         }});
    functions.push_back({.name = "fn_get_workflow_schedules",
                         .summary = "List the schedules of the workspace, newest first.",
                         .details = bound,
                         .arguments = record("GetWorkflowSchedules", {workflow, limit}),
                         .answer = schedule_row_shape(),
                         .says = "The rows.",
                         .rows = [services](const Call& call, RowSink& sink) {
                             return get_schedules(services, ListOrder::newest_first, call, sink);
                         }});
    functions.push_back({.name = "fn_preview_schedule_ticks",
                         .summary = "Preview the upcoming ticks of a schedule, without side effects.",
                         .details = "Looks at most 31 days ahead.",
                         .arguments = preview_arguments(),
                         .answer = tick_shape(),
                         .says = "The ticks, earliest first.",
                         .rows = [services](const Call& call, RowSink& sink) {
                             return preview(services.forecaster, services.reader, call, sink);
                         }});
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
    rpc::add_change_functions(functions, services);
    rpc::add_part_functions(functions, services, options.limits);
    rpc::add_backfill_function(functions, services);
    rpc::add_run_functions(functions, services.reader);
    rpc::add_feed_functions(functions, services.reader);
    rpc::add_action_log_function(functions, services.reader);
    for (const auto& function : functions) rpc::add_routes(routes, function, dialect);
    // Last, because they match every name.
    routes.push_back(rpc::unknown_function(functions, "POST", dialect));
    routes.push_back(rpc::unknown_function(functions, "GET", dialect));
}

}  // namespace belfry::api
