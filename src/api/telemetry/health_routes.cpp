// Routes for the health and the version of the server.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <limits>

#include "api/contract/json_values.hpp"
#include "api/contract/problem.hpp"
#include "api/handlers.hpp"
#include "api/telemetry/readiness.hpp"
#include "engine/telemetry/server_status.hpp"

namespace belfry::api {

namespace {

// Beyond the ticker's longest sleep. A batch takes milliseconds, so two seconds indicate a problem.
constexpr Micros kTickerLate = Seconds{2};

Json quarantined_json(const std::vector<engine::Quarantined>& all) {
    boost::json::array items;
    for (const auto& one : all) {
        items.push_back(boost::json::object{{"scheduleId", or_null(one.schedule_id)},
                                            {"subject", or_null(one.subject)},
                                            {"worker", one.worker},
                                            {"error", public_message(one.error)},
                                            {"since", format_instant(one.since)},
                                            {"tries", one.tries},
                                            {"nextTry", format_instant(one.next_try)}});
    }
    return items;
}

Json workers_json(const std::vector<engine::TroubledWorker>& all) {
    boost::json::array items;
    for (const auto& one : all) {
        items.push_back(boost::json::object{{"name", one.name},
                                            {"error", public_message(one.error)},
                                            {"since", format_instant(one.since)},
                                            {"tries", one.tries}});
    }
    return items;
}

// Reports the store's state as the background jobs found it. A query could block for as long as the store does, and
// health checks have short timeouts.
Json store_json(const engine::HealthReading& reading) {
    const bool away = reading.store_away_since.has_value();
    const auto one =
        std::ranges::find(reading.workers, ErrorCode::unavailable, [](const auto& each) { return each.error.code; });
    return boost::json::object{
        {"ok", !away},
        {"error", away && one != reading.workers.end() ? Json(public_message(one->error)) : Json(nullptr)},
        {"since", or_null(reading.store_away_since)}};
}

Json connections_json(const std::vector<engine::ConnectionReading>& all) {
    boost::json::array items;
    for (const auto& one : all) {
        const bool away = one.unavailable_since.has_value();
        items.push_back(boost::json::object{{"name", one.name},
                                            {"kind", one.kind},
                                            {"ok", !away},
                                            {"error", away ? Json(one.last_error) : Json(nullptr)},
                                            {"since", or_null(one.unavailable_since)}});
    }
    return items;
}

std::string seconds_of(Micros by) {
    return std::to_string(std::chrono::abs(std::chrono::round<Seconds>(by)).count()) + " s";
}

// Describes the problem and how to fix it.
Json clock_error(const engine::ClockState& clock) {
    if (const auto step = clock.steps.pending) {
        return Json("the clock stepped " + std::string(*step > Micros{0} ? "forward" : "back") + " by " +
                    seconds_of(*step) +
                    "; this server keeps the time before the step until the new time has held for clock_step_confirm; "
                    "check the machine's time service");
    }
    if (clock.decided_until) {
        return Json("the clock was put back: the store holds decisions up to " + format_instant(*clock.decided_until) +
                    ". These decisions stay, and a schedule that was decided up to then continues then; check the "
                    "machine's clock");
    }
    return nullptr;
}

Json clock_json(const engine::ClockState& clock) {
    const auto& step = clock.steps.pending;
    return boost::json::object{
        {"ok", clock.ok()},
        {"error", clock_error(clock)},
        {"stepMs", step ? Json(std::chrono::duration_cast<std::chrono::milliseconds>(*step).count()) : Json(nullptr)},
        {"decidedUntil", or_null(clock.decided_until)}};
}

// What a caller sees that may not read every tenant: whether each part works.
boost::json::object without_details(const boost::json::object& body) {
    boost::json::object shown{{"status", body.at("status")}};
    for (const auto* const part : {"store", "ticker", "clock"})
        shown[part] = boost::json::object{{"ok", body.at(part).at("ok")}};
    return shown;
}

Response health(const engine::ServerStatus& status, const HealthSource& source, HealthDetail detail) {
    const auto reading = source ? source() : engine::HealthReading{};
    const auto standing = status.ticker.standing();
    const auto quarantined = status.quarantined();
    const auto silence = ticker_silence(status);
    const bool ticking = is_ticking(status, reading);
    const bool down = !ticking;
    const auto connections = status.connections.read();
    const bool all_connected =
        std::ranges::none_of(connections, [](const auto& each) { return each.unavailable_since.has_value(); });
    const auto clock = status.member.clock();
    const bool degraded = silence > kTickerLate || !quarantined.empty() || !reading.healthy() || !standing.complete ||
                          !all_connected || !clock.ok();
    boost::json::object body{{"status", down       ? "down"
                                        : degraded ? "degraded"
                                                   : "ok"},
                             {"store", store_json(reading)},
                             {"ticker", boost::json::object{{"ok", ticking},
                                                            {"lastStep", or_null(standing.last_step)},
                                                            {"nextFire", or_null(standing.next_fire)}}},
                             {"clock", clock_json(clock)},
                             {"server", status.server},
                             {"leading", status.member.leading()},
                             {"term", status.member.term()},
                             {"servers", status.member.servers()},
                             {"schedules", standing.schedules},
                             {"schedulesComplete", standing.complete},
                             {"workers", workers_json(reading.workers)},
                             {"quarantined", quarantined_json(quarantined)},
                             {"connections", connections_json(connections)},
                             {"version", BELFRY_VERSION}};
    if (detail == HealthDetail::none) body = without_details(body);
    auto response = json_response(body, down ? 503 : 200);
    response.headers.emplace_back("Cache-Control", "no-store");
    if (down) response.headers.emplace_back("Retry-After", "1");
    return response;
}

ShapePtr health_shape() {
    const auto when = or_null(instant());
    std::vector<Member> trouble{{"error", text(), "Description of the problem.", Presence::required},
                                {"since", instant(), "Time since which the problem exists.", Presence::required},
                                {"tries", integer(), "Number of attempts.", Presence::required}};
    auto worker = trouble;
    worker.push_back({"name", text(), "Background job of the server.", Presence::required});
    auto schedule = trouble;
    schedule.push_back({"scheduleId", or_null(text()), "Unique identifier of the schedule. Null if it is not known.",
                        Presence::required});
    schedule.push_back({"subject", or_null(text()),
                        "Run or backfill that cannot be processed. Null if it is the schedule itself.",
                        Presence::required});
    schedule.push_back({"worker", text(), "Background job that processes it.", Presence::required});
    schedule.push_back({"nextTry", instant(), "Time of the next attempt.", Presence::required});
    std::vector<Member> members{
        {"status", one_of({"ok", "degraded", "down"}),
         "Overall status. `degraded` means that there is a problem, but the server still works."},
        {"store",
         record("", {{"ok", boolean(), "Whether the store responds."},
                     {"error", or_null(text()), "Why it does not."},
                     {"since", when, "Time since which it does not."}}),
         "State of the database."},
        {"ticker",
         record("", {{"ok", boolean(), "Whether the ticker runs."},
                     {"lastStep", when, "Time at which the ticker last checked for due schedules."},
                     {"nextFire", when, "Time at which a schedule fires next."}}),
         "State of the ticker, which fires schedules."},
        {"clock",
         record("",
                {{"ok", boolean(), "Whether the clock advances together with the monotonic clock."},
                 {"error", or_null(text()), "Description of the problem and its fix."},
                 {"stepMs", or_null(integer(std::numeric_limits<std::int64_t>::min())),
                  "Size of a clock step that is not confirmed yet, in milliseconds. Negative if the clock went back."},
                 {"decidedUntil", when, "Set if the clock was put back: the store holds decisions up to this time."}}),
         "State of the store's clock."},
        {"server", text(), "Unique identifier of this server."},
        {"leading", boolean(), "Whether this server is the leader of the cluster."},
        {"term", integer(), "Term of the leader."},
        {"servers", integer(), "Number of servers that share the store."},
        {"schedules", integer(), "Number of schedules that the timer has loaded."},
        {"schedulesComplete", boolean(), "Whether the timer has loaded all schedules."},
        {"workers", list_of(record("TroubledWorker", std::move(worker))), "Background jobs with problems."},
        {"quarantined", list_of(record("QuarantinedSchedule", std::move(schedule))),
         "Schedules, runs and backfills that the server cannot process."},
        {"connections",
         list_of(record("ConnectionHealth",
                        {{"name", text(), "Name of the connection.", Presence::required},
                         {"kind", text(), "Kind of the connection.", Presence::required},
                         {"ok", boolean(), "Whether the connection accepted the last task.", Presence::required},
                         {"error", or_null(text()), "Why it did not.", Presence::required},
                         {"since", when, "Time since which it does not.", Presence::required}})),
         "Connections to which this server delivers tasks."},
        {"version", text(), "Version of the server."}};
    // The other members require access.
    for (auto& member : members) {
        const bool always =
            member.name == "status" || member.name == "store" || member.name == "ticker" || member.name == "clock";
        if (always) member.presence = Presence::required;
    }
    return record("Health", std::move(members));
}

}  // namespace

void add_health_routes(Routes& routes, const engine::ServerStatus& status, const spec::ZoneDatabase& zones,
                       const ApiOptions& options) {
    routes.push_back({.method = "GET",
                      .pattern = "/health",
                      .operation = "getHealth",
                      .summary = "Retrieve the health of the server.",
                      .details = "Callers see `status` and the `ok` of each part. Callers that may read every tenant "
                                 "also see the other members. If "
                                 "`health_details` is `open`, every caller sees all members.",
                      .group = "Server",
                      .permission = model::Permission::open,
                      .answers = {{200, health_shape()}, {503, health_shape(), "The server cannot do its work."}},
                      .handler = [&status, source = options.health,
                                  detail_of = options.health_detail](const Call& call) -> Result<Response> {
                          return health(status, source, detail_of ? detail_of(call.request) : HealthDetail::server);
                      }});
    routes.push_back(
        {.method = "GET",
         .pattern = "/api/version",
         .operation = "getVersion",
         .summary = "Retrieve the version of the server and its time zone data.",
         .group = "Server",
         .permission = model::Permission::open,
         .answers = {{200,
                      record("Version", {{"version", text(), "Version of the server.", Presence::required},
                                         {"tzdata", text(), "Version of the time zone data.", Presence::required}})}},
         .handler = [&zones](const Call&) -> Result<Response> {
             return json_response(boost::json::object{{"version", BELFRY_VERSION}, {"tzdata", zones.version()}});
         }});
}

}  // namespace belfry::api
