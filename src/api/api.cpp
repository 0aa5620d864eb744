#include "api/api.hpp"

#include "api/dialects/dialects.hpp"
#include "api/handlers.hpp"
#include "base/ascii.hpp"

namespace belfry::api {

namespace {

// Nothing was found: perhaps because the tenant does not exist, which explains more. Asked only then. The names of other tenants are not
// for everyone who has a key, so none is suggested.
Error explain_not_found(engine::Engine& engine, const std::string& tenant, const std::string& place, Error error) {
    if (error.code != ErrorCode::not_found) return error;
    const auto found = engine.store().tenant(tenant);
    if (found || found.error().code != ErrorCode::not_found) return error;
    return {ErrorCode::not_found, "there is no tenant " + in_quotes(tenant) + R"(; "default" always exists)", place};
}

Routes all_routes(engine::Engine& engine, const ApiOptions& options) {
    Routes routes;
    add_schedule_routes(routes, engine, options.limits);
    add_schedule_action_routes(routes, engine);
    add_schedule_part_routes(routes, engine, options.limits);
    add_foresight_routes(routes, engine, options.limits);
    add_insight_routes(routes, engine);
    add_start_routes(routes, engine, options.limits);
    add_event_report_routes(routes, engine, options.limits);
    add_run_routes(routes, engine);
    add_approval_routes(routes, engine);
    add_team_routes(routes, engine);
    add_walk_routes(routes, engine);
    add_workflow_routes(routes, engine, options.limits);
    add_backfill_routes(routes, engine);
    add_task_routes(routes, engine);
    add_callback_routes(routes, engine, options.gate);
    add_calendar_routes(routes, engine);
    add_calendar_file_routes(routes, engine);
    add_assignee_routes(routes, engine);
    add_assignment_routes(routes, engine);
    add_webhook_routes(routes, engine);
    add_event_routes(routes, engine, engine.store().registry());
    // Their clients know what they get when they say nothing: the operator's defaults are for the native API.
    const DialectOptions dialects{options.default_tenant, {.input_max = options.limits.input_max}};
    add_cron_service_routes(routes, engine, dialects);
    add_rpc_routes(routes, engine, dialects);
    add_durable_routes(routes, engine, dialects);
    for (auto& route : routes) {
        // Where the tenant is said, for those who cannot see it in the path.
        const std::string place = route.dialect ? kTenantHeader : "";
        route.handler = [&engine, place, handler = std::move(route.handler)](const Call& call) -> Result<Response> {
            auto response = handler(call);
            if (response) return response;
            return explain_not_found(engine, call.at("tenant"), place, response.error());
        };
    }
    add_tenant_routes(routes, engine);
    add_key_routes(routes, engine);
    add_connection_routes(routes, engine);
    add_timezone_routes(routes, engine);
    add_health_routes(routes, engine, options.health);
    add_probe_routes(routes, engine, options.health, options.draining);
    add_metrics_routes(routes, engine, options.metrics);
    add_document_routes(routes);
    return routes;
}

}  // namespace

// Nothing is moved out of the options: routes keep the gate, too, and nobody knows which argument is made first.
Api::Api(engine::Engine& engine, ApiOptions options) : router_(all_routes(engine, options), options.gate, options.watcher) {}

}  // namespace belfry::api
