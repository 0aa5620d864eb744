// Routes of the durable dialect that say what the server is and how it is: `dw` asks for it before every command.
#include <algorithm>
#include <boost/json/array.hpp>

#include "api/dialects/durable/durable.hpp"
#include "api/telemetry/readiness.hpp"

namespace belfry::api::durable {

namespace {

using boost::json::object;
using model::Permission;

constexpr std::int64_t kPayloadMax = std::int64_t{2} << 20U;  // bytes of a request

// What the server can do, as far as these clients ask. It runs no code of workflows.
object capabilities_json() {
    return {{"schedules", true},
            {"schedule_jitter", true},
            {"schedule_max_runs", true},
            {"search_attributes", true},
            {"workflow_tasks", false},
            {"activity_tasks", false},
            {"signals", false},
            {"queries", false},
            {"updates", false},
            {"history_export", false},
            {"payload_codec_envelope", true}};
}

object control_plane_json() {
    const object policies{{"canonical_values", boost::json::array{"skip", "buffer_one", "buffer_all", "allow_all",
                                                                  "cancel_other", "terminate_other"}}};
    const object buckets{{"canonical_values", boost::json::array{"running", "completed", "failed"}}};
    return {{"version", kControlPlaneVersion},
            {"header", kVersionHeader},
            {"request_contract",
             object{{"schema", "durable-workflow.v2.control-plane-request.contract"},
                    {"version", 1},
                    {"operations", object{{"list", object{{"fields", object{{"status", buckets}}}}},
                                          {"schedule", object{{"fields", object{{"overlap_policy", policies}}}}}}}}},
            {"response_contract", object{{"schema", "durable-workflow.v2.control-plane-response"}, {"version", 1}}}};
}

Result<Response> cluster_info(const DurableServices& services, const DialectOptions& options, const Call& call) {
    if (auto tenant = services.tenants.get(call.tenant()); !tenant) return tenant.error();
    return json_response(object{{"server_id", services.status.server},
                                {"server", "belfry"},
                                {"version", BELFRY_VERSION},
                                {"default_namespace", options.tenant},
                                {"namespace", object{{"name", call.tenant()}}},
                                {"capabilities", capabilities_json()},
                                {"limits", object{{"max_payload_bytes", kPayloadMax}, {"max_memo_bytes", kMemoMax}}},
                                {"control_plane", control_plane_json()}});
}

// `words` are those of the status: when all checks pass, and when not.
Result<Response> health(const DurableServices& services, std::pair<const char*, const char*> words) {
    const auto health = read_health(services);
    object checks;
    for (const auto& check : health.checks)
        checks[check.name == "store" ? "database" : check.name] = check.ok ? "ok" : "unavailable";
    auto response = json_response(object{{"status", health.ok ? words.first : words.second},
                                         {"timestamp", health.at ? Json(format_instant(*health.at)) : Json(nullptr)},
                                         {"checks", std::move(checks)}},
                                  health.ok ? 200 : 503);
    response.headers.emplace_back("Cache-Control", "no-store");
    if (!health.ok) response.headers.emplace_back("Retry-After", "1");
    return response;
}

ShapePtr cluster_info_shape() {
    const auto members = map_of(anything());
    return record("DurableClusterInfo",
                  {{"server_id", text(), "Identifier of this server in its cluster.", Presence::required},
                   {"server", text(), "Always `belfry`.", Presence::required},
                   {"version", text(), "Version of Belfry.", Presence::required},
                   {"default_namespace", text(), "Tenant of requests that name none.", Presence::required},
                   {"namespace", members, "Tenant of this request.", Presence::required},
                   {"capabilities", members, "What clients of this dialect can use.", Presence::required},
                   {"limits", members, "Limits of requests.", Presence::required},
                   {"control_plane", members, "Version of the protocol, and contracts.", Presence::required}});
}

ShapePtr health_shape() {
    static const auto shape = record(
        "DurableHealth", {{"status", text(), "Overall status.", Presence::required},
                          {"timestamp", or_null(instant()), "Time of the check.", Presence::required},
                          {"checks", map_of(text()), "`ok` or `unavailable` for each check.", Presence::required}});
    return shape;
}

}  // namespace

HealthView read_health(const DurableServices& services) {
    const auto reading = services.health ? services.health() : engine::HealthReading{};
    HealthView view{.checks = readiness_checks(services.status, reading, services.draining && services.draining())};
    view.ok = std::ranges::all_of(view.checks, &Check::ok);
    // The store's clock may need the store, and a health check must not wait for it.
    if (const auto step = services.status.ticker.standing().last_step) view.at = *step;
    return view;
}

void add_server_routes(Routes& routes, const DurableServices& services, const DialectOptions& options) {
    const auto dialect = make_dialect(options);
    routes.push_back(
        {.method = "GET",
         .pattern = "/api/cluster/info",
         .operation = "durableGetClusterInfo",
         .summary = "Describe the server and the protocol that it speaks.",
         .permission = Permission::read,
         .query = {{"include", text(), "Accepted and not used: there are no further diagnostics."}},
         .headers = {version_header()},
         .answers = {{200, cluster_info_shape()}},
         .handler = [services, options](const Call& call) { return cluster_info(services, options, call); },
         .dialect = dialect});
    const auto add = [&](const char* pattern, const char* operation, const char* summary,
                         std::pair<const char*, const char*> words) {
        routes.push_back({.method = "GET",
                          .pattern = pattern,
                          .operation = operation,
                          .summary = summary,
                          .permission = Permission::open,
                          .headers = {version_header()},
                          .answers = {{200, health_shape()}, {503, health_shape(), "A check failed."}},
                          .handler = [services, words](const Call&) { return health(services, words); },
                          .dialect = dialect});
    };
    add("/api/health", "durableGetHealth", "Check the health of the server.", {"serving", "degraded"});
    add("/api/ready", "durableGetReadiness", "Check whether the server is ready for requests.", {"ready", "not_ready"});
}

}  // namespace belfry::api::durable
