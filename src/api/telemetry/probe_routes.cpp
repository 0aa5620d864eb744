// Routes for liveness and readiness probes, for supervisors and load balancers.
#include "api/handlers.hpp"
#include "api/telemetry/readiness.hpp"
#include "engine/telemetry/server_status.hpp"

namespace belfry::api {

namespace {

ShapePtr readiness_shape() {
    const auto check =
        record("ReadinessCheck", {{"name", text(), "Name of the check.", Presence::required},
                                  {"ok", boolean(), "Whether the check passed.", Presence::required},
                                  {"detail", or_null(text()), "Why the check failed.", Presence::required}});
    return record("Readiness", {{"ready", boolean(), "Whether all checks passed.", Presence::required},
                                {"checks", list_of(check), "All checks.", Presence::required}});
}

}  // namespace

void add_probe_routes(Routes& routes, const engine::ServerStatus& status, const ApiOptions& options) {
    routes.push_back({.method = "GET",
                      .pattern = kLivePath,
                      .operation = "getLiveness",
                      .summary = "Check whether the process is alive.",
                      .details = "This probe checks nothing else. A server without its database is alive, and "
                                 "restarting it would not help.",
                      .group = "Server",
                      .permission = model::Permission::open,
                      .answers = {{200, {}, "The process is alive.", "text/plain"}},
                      .handler = [](const Call&) -> Result<Response> { return liveness_response(); }});
    routes.push_back({.method = "GET",
                      .pattern = kReadyPath,
                      .operation = "getReadiness",
                      .summary = "Check whether the server is ready for requests.",
                      .details = "A server is not ready while it starts or shuts down, while its store is unavailable, "
                                 "or if its ticker has stopped. "
                                 "`detail` requires access to every tenant, unless `health_details` is `open`.",
                      .group = "Server",
                      .permission = model::Permission::open,
                      .answers = {{200, readiness_shape()}, {503, readiness_shape(), "The server is not ready."}},
                      .handler = [&status, source = options.health, draining = options.draining,
                                  detail_of = options.health_detail](const Call& call) -> Result<Response> {
                          const auto reading = source ? source() : engine::HealthReading{};
                          return readiness_response(readiness_checks(status, reading, draining && draining()),
                                                    detail_of ? detail_of(call.request) : HealthDetail::server);
                      }});
}

}  // namespace belfry::api
