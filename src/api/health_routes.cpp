// How the server is, and which one it is.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/handlers.hpp"
#include "api/json_values.hpp"

namespace belfry::api {

namespace {

using boost::json::object;

// A ticker wakes at least every TICK_MS (a second, usually) and waits up to half a minute after failures.
constexpr Micros kTickerSilenceMax = Seconds{60};

Json quarantined_json(const std::vector<engine::Quarantined>& all) {
    boost::json::array items;
    for (const auto& one : all) {
        items.push_back(object{{"scheduleId", or_null(one.schedule_id)},
                               {"error", one.error.message},
                               {"since", format_instant(one.since)},
                               {"tries", one.tries},
                               {"nextTry", format_instant(one.next_try)}});
    }
    return items;
}

Json workers_json(const std::vector<engine::TroubledWorker>& all) {
    boost::json::array items;
    for (const auto& one : all) {
        items.push_back(object{{"name", one.name}, {"error", one.error.message}, {"since", format_instant(one.since)}, {"tries", one.tries}});
    }
    return items;
}

// Asked now; what the watcher knows adds since when.
Json store_json(const Result<Instant>& now, const engine::HealthReading& reading) {
    return object{{"ok", now.has_value()},
                  {"error", now ? Json(nullptr) : Json(now.error().message)},
                  {"since", now ? Json(nullptr) : or_null(reading.store_away_since)}};
}

Response health(engine::Engine& engine, const HealthSource& source) {
    const auto reading = source ? source() : engine::HealthReading{};
    const auto now = engine.store().now();
    const auto standing = engine.ticker().standing();
    const auto quarantined = engine.ticker().quarantined();
    const bool ticking = now && standing.last_step && *now - *standing.last_step <= kTickerSilenceMax;
    const bool down = !now || !ticking;
    const bool degraded = !quarantined.empty() || !reading.healthy() || !standing.complete;
    const object body{{"status", down       ? "down"
                                 : degraded ? "degraded"
                                            : "ok"},
                      {"store", store_json(now, reading)},
                      {"ticker", object{{"ok", ticking}, {"lastStep", or_null(standing.last_step)}, {"nextFire", or_null(standing.next_fire)}}},
                      {"server", engine.server()},
                      {"leading", engine.attendant().leading()},
                      {"term", engine.attendant().term()},
                      {"servers", engine.attendant().servers()},
                      {"schedules", standing.schedules},
                      {"schedulesComplete", standing.complete},
                      {"workers", workers_json(reading.workers)},
                      {"quarantined", quarantined_json(quarantined)},
                      {"version", BELFRY_VERSION}};
    auto response = json_response(body, down ? 503 : 200);
    response.headers.emplace_back("Cache-Control", "no-store");
    if (down) response.headers.emplace_back("Retry-After", "1");
    return response;
}

}  // namespace

void add_health_routes(Routes& routes, engine::Engine& engine, HealthSource source) {
    routes.push_back({"GET", "/health", "getHealth", "Tell whether the server can do its work.", Body::none,
                      [&engine, source = std::move(source)](const Call&) -> Result<Response> { return health(engine, source); }});
    routes.push_back({"GET", "/api/version", "getVersion", "Tell the version of the server and of its zone data.", Body::none,
                      [&engine](const Call&) -> Result<Response> {
                          return json_response(object{{"version", BELFRY_VERSION}, {"tzdata", engine.zones().version()}});
                      }});
}

}  // namespace belfry::api
