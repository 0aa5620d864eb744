#include "api/api.hpp"

#include <algorithm>
#include <array>

#include "api/contract/fields.hpp"
#include "api/dialects/dialects.hpp"
#include "api/handlers.hpp"
#include "base/text/ascii.hpp"

namespace belfry::api {

namespace {

// A not_found may mean that the tenant does not exist, which is the better explanation. This function reads the tenant
// only after such an error. It suggests no other tenant, because not every key may know their names.
Error explain_not_found(engine::Tenants& tenants, const std::string& tenant, const std::string& place, Error error) {
    if (error.code != ErrorCode::not_found) return error;
    const auto found = tenants.get(tenant);
    if (found || found.error().code != ErrorCode::not_found) return error;
    return {ErrorCode::not_found, "there is no tenant " + in_quotes(tenant) + R"(; "default" always exists)", place};
}

// Whether a route adds data to the store: those that write definitions, and those that start runs. Pauses, approval
// decisions, completions, deletions and the runs of schedules themselves are always allowed.
bool adds_data(const Route& route) {
    constexpr std::array kStarts{"triggerSchedule",
                                 "backfillSchedule",
                                 "reportEvent",
                                 "startTask",
                                 "startTasks",
                                 "startWorkflow",
                                 "startWorkflows",
                                 "replayDeadLetter",
                                 "durableTriggerSchedule",
                                 "durableBackfillSchedule",
                                 "durableWaterlineTriggerSchedule",
                                 "durableWaterlineBackfillSchedule",
                                 "cronServiceLaunch",
                                 "fn_backfill_schedule"};
    if (route.method == "GET" || route.method == "DELETE" || !in_tenant(route)) return false;
    if (std::ranges::find(kStarts, route.operation) != kStarts.end()) return true;
    // The items of a batch are checked one by one, because some of them delete.
    return route.permission == model::Permission::write && route.operation != "fn_delete_workflow_schedule" &&
           route.operation != "changeSchedules";
}

Routes tenant_routes(engine::Engine& engine, const ApiOptions& options) {
    auto& schedules = engine.schedules();
    auto& runs = engine.runs();
    auto& tenants = engine.tenants();
    auto& assignments = engine.assignments();
    auto& reader = engine.reader();
    const auto& limits = options.limits;
    const ScheduleView view{reader, engine.zones()};
    Routes routes;
    add_schedule_routes(routes, schedules, runs, assignments, engine.next_up(), view, limits);
    add_schedule_batch_routes(routes, schedules, assignments, engine.usage(), view, limits, options.charge);
    add_schedule_action_routes(routes, schedules, runs, view, limits);
    add_schedule_part_routes(routes, schedules, tenants, view, limits);
    add_forecast_routes(routes, engine.forecaster(), assignments, tenants, engine.zones(), limits);
    add_diagnostics_routes(routes, engine.explainer(), engine.forecaster(), tenants, reader);
    add_audit_routes(routes, reader);
    add_start_routes(routes, schedules, reader, limits, options.charge);
    add_event_report_routes(routes, schedules, reader, limits);
    add_run_routes(routes, runs, reader);
    add_approval_routes(routes, runs, reader);
    add_team_routes(routes, reader);
    add_run_node_routes(routes, schedules, runs, reader);
    add_workflow_routes(routes, engine.workflows(), schedules, assignments, limits);
    add_backfill_routes(routes, engine.backfills(), runs, reader);
    add_task_routes(routes, runs, engine.long_polls(), reader);
    add_calendar_routes(routes, engine.calendars(), view, limits);
    add_calendar_file_routes(routes, engine.calendars(), reader);
    add_assignee_routes(routes, engine.assignees(), limits);
    add_assignment_routes(routes, assignments, limits);
    add_webhook_routes(routes, engine.webhooks());
    add_event_routes(routes, tenants, reader, engine.registry());
    return routes;
}

// Clients of a dialect rely on its own defaults. The operator's defaults apply to the native API.
void add_dialect_routes(Routes& routes, engine::Engine& engine, const ApiOptions& options) {
    const DialectOptions dialects{
        options.default_tenant,
        {.input_max = options.limits.input_max, .definition_max = options.limits.definition_max},
        options.worker};
    auto& schedules = engine.schedules();
    auto& reader = engine.reader();
    add_cron_service_routes(
        routes,
        {schedules, engine.workflows(), engine.tenants(), engine.forecaster(), reader, engine.status(), engine.zones()},
        dialects);
    add_rpc_routes(routes,
                   {schedules, engine.workflows(), engine.assignments(), engine.calendars(), engine.backfills(),
                    engine.approval_requirement(), engine.forecaster(), reader, engine.connections(), engine.zones()},
                   dialects);
    add_durable_routes(routes,
                       {schedules, engine.backfills(), engine.runs(), engine.tenants(), reader, engine.status(),
                        options.health, options.draining, options.metrics.counts},
                       dialects);
}

// Makes the handlers of tenants' routes check the room of the tenant first, and explain that a tenant does not exist.
void wrap_tenant_routes(Routes& routes, engine::UsageMeter& usage, engine::Tenants& tenants) {
    for (auto& route : routes) {
        // Where a request names its tenant if the path does not.
        const std::string place = route.dialect ? kTenantHeader : "";
        route.handler = [&usage, &tenants, place, adds = adds_data(route),
                         handler = std::move(route.handler)](const Call& call) -> Result<Response> {
            if (adds) {
                if (auto full = usage.check_room(call.tenant())) return *full;
            }
            auto response = handler(call);
            if (response) return response;
            return explain_not_found(tenants, call.at("tenant"), place, response.error());
        };
    }
}

Routes all_routes(engine::Engine& engine, const ApiOptions& options) {
    auto routes = tenant_routes(engine, options);
    add_dialect_routes(routes, engine, options);
    wrap_tenant_routes(routes, engine.usage(), engine.tenants());
    // Callback routes check access themselves. They return the same error for a tenant that does not exist and for one
    // that the caller may not access.
    add_callback_routes(routes, engine.callbacks(), engine.reader(), options.gate);
    add_tenant_routes(routes, engine.tenants(), options.tenant_defaults);
    add_key_routes(routes, engine.registry());
    add_connection_routes(routes, engine.status(), engine.reader());
    add_timezone_routes(routes, engine.reader(), engine.zones());
    add_health_routes(routes, engine.status(), engine.zones(), options);
    add_probe_routes(routes, engine.status(), options);
    add_metrics_routes(routes, engine.status(), engine.zones(), options.metrics);
    add_fields_parameter(routes);
    add_document_routes(routes);
    add_console_routes(routes);
    return routes;
}

}  // namespace

// Does not move from the options: routes keep the gate, too, and the order in which arguments are evaluated is
// unspecified.
Api::Api(engine::Engine& engine, ApiOptions options) : router_(all_routes(engine, options), options.gate) {}

}  // namespace belfry::api
