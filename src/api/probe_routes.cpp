// Liveness and readiness, for whoever starts, restarts and sends requests to servers.
#include "api/handlers.hpp"
#include "api/readiness.hpp"

namespace belfry::api {

namespace {

std::vector<Check> checks_of(engine::Engine& engine, const engine::HealthReading& reading, bool draining) {
    std::vector<Check> checks{{"started"}, {"store"}, {"ticker"}, {"accepting"}};
    if (reading.store_away_since) checks[1] = {"store", false, "away since " + format_instant(*reading.store_away_since)};
    if (!is_ticking(engine, reading)) checks[2] = {"ticker", false, "it does not reach the store"};
    if (draining) checks[3] = {"accepting", false, "the server is ending"};
    return checks;
}

ShapePtr readiness_shape() {
    const auto check = record("ReadinessCheck", {{"name", text(), "What was looked at.", Presence::required},
                                                 {"ok", boolean(), "It is fine.", Presence::required},
                                                 {"detail", or_null(text()), "What is wrong with it.", Presence::required}});
    return record("Readiness", {{"ready", boolean(), "All checks are fine.", Presence::required},
                                {"checks", list_of(check), "What was looked at.", Presence::required}});
}

}  // namespace

void add_probe_routes(Routes& routes, engine::Engine& engine, HealthSource source, std::function<bool()> draining) {
    routes.push_back({.method = "GET",
                      .pattern = kLivePath,
                      .operation = "getLiveness",
                      .summary = "Tell that the process answers.",
                      .details = "Looks at nothing else: a server without its database is alive, and starting it again would not help.",
                      .group = "Server",
                      .permission = model::Permission::open,
                      .answers = {{200, {}, "It is alive.", "text/plain"}},
                      .handler = [](const Call&) -> Result<Response> { return liveness_response(); }});
    routes.push_back({.method = "GET",
                      .pattern = kReadyPath,
                      .operation = "getReadiness",
                      .summary = "Tell whether requests should be sent here.",
                      .details = "Not while the server starts or ends, while its store is away, or when its ticker does not go.",
                      .group = "Server",
                      .permission = model::Permission::open,
                      .answers = {{200, readiness_shape()}, {503, readiness_shape(), "Not now."}},
                      .handler = [&engine, source = std::move(source), draining = std::move(draining)](const Call&) -> Result<Response> {
                          return readiness_response(checks_of(engine, source ? source() : engine::HealthReading{}, draining && draining()));
                      }});
}

}  // namespace belfry::api
