// How the server is, and which one it is.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <limits>

#include "api/handlers.hpp"
#include "api/json_values.hpp"
#include "api/problem.hpp"
#include "api/readiness.hpp"

namespace belfry::api {

namespace {

// Beyond its longest sleep. A batch takes milliseconds: after two seconds something is wrong.
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
        items.push_back(boost::json::object{
            {"name", one.name}, {"error", public_message(one.error)}, {"since", format_instant(one.since)}, {"tries", one.tries}});
    }
    return items;
}

// As the workers found it: asking the store here could take as long as the store likes, and whoever asks for health does not
// have the time.
Json store_json(const engine::HealthReading& reading) {
    const bool away = reading.store_away_since.has_value();
    const auto one = std::ranges::find(reading.workers, ErrorCode::unavailable, [](const auto& each) { return each.error.code; });
    return boost::json::object{{"ok", !away},
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

std::string seconds_of(Micros by) { return std::to_string(std::chrono::abs(std::chrono::round<Seconds>(by)).count()) + " s"; }

// What is wrong, and what to do about it.
Json clock_error(const engine::ClockState& clock) {
    if (const auto step = clock.steps.pending) {
        return Json(
            "the clock stepped " + std::string(*step > Micros{0} ? "forward" : "back") + " by " + seconds_of(*step) +
            "; this server keeps the time before the step until the new time has held for clock_step_confirm: check the machine's time service");
    }
    if (clock.decided_until) {
        return Json("the clock was put back: the store holds decisions up to " + format_instant(*clock.decided_until) +
                    ". What was decided stays, and a schedule that was decided up to then continues then: check the machine's clock");
    }
    return nullptr;
}

Json clock_json(const engine::ClockState& clock) {
    const auto& step = clock.steps.pending;
    return boost::json::object{{"ok", clock.ok()},
                               {"error", clock_error(clock)},
                               {"stepMs", step ? Json(std::chrono::duration_cast<std::chrono::milliseconds>(*step).count()) : Json(nullptr)},
                               {"decidedUntil", or_null(clock.decided_until)}};
}

Response health(engine::Engine& engine, const HealthSource& source) {
    const auto reading = source ? source() : engine::HealthReading{};
    const auto standing = engine.ticker().standing();
    const auto quarantined = engine.quarantined();
    const auto silence = ticker_silence(engine);
    const bool ticking = is_ticking(engine, reading);
    const bool down = !ticking;
    const auto connections = engine.connection_readings();
    const bool all_connected = std::ranges::none_of(connections, [](const auto& each) { return each.unavailable_since.has_value(); });
    const auto clock = engine.attendant().clock();
    const bool degraded = silence > kTickerLate || !quarantined.empty() || !reading.healthy() || !standing.complete || !all_connected || !clock.ok();
    const boost::json::object body{
        {"status", down       ? "down"
                   : degraded ? "degraded"
                              : "ok"},
        {"store", store_json(reading)},
        {"ticker", boost::json::object{{"ok", ticking}, {"lastStep", or_null(standing.last_step)}, {"nextFire", or_null(standing.next_fire)}}},
        {"clock", clock_json(clock)},
        {"server", engine.server()},
        {"leading", engine.attendant().leading()},
        {"term", engine.attendant().term()},
        {"servers", engine.attendant().servers()},
        {"schedules", standing.schedules},
        {"schedulesComplete", standing.complete},
        {"workers", workers_json(reading.workers)},
        {"quarantined", quarantined_json(quarantined)},
        {"connections", connections_json(connections)},
        {"version", BELFRY_VERSION}};
    auto response = json_response(body, down ? 503 : 200);
    response.headers.emplace_back("Cache-Control", "no-store");
    if (down) response.headers.emplace_back("Retry-After", "1");
    return response;
}

ShapePtr health_shape() {
    const auto when = or_null(instant());
    std::vector<Member> trouble{{"error", text(), "What is wrong.", Presence::required},
                                {"since", instant(), "Since when.", Presence::required},
                                {"tries", integer(), "How often it was tried.", Presence::required}};
    auto worker = trouble;
    worker.push_back({"name", text(), "Which part of the server.", Presence::required});
    auto schedule = trouble;
    schedule.push_back({"scheduleId", or_null(text()), "Which schedule; null when it is not known.", Presence::required});
    schedule.push_back(
        {"subject", or_null(text()), "The run or the backfill that cannot be worked on; null: the schedule itself.", Presence::required});
    schedule.push_back({"worker", text(), "Which part of the server tries it.", Presence::required});
    schedule.push_back({"nextTry", instant(), "When it is tried again.", Presence::required});
    std::vector<Member> members{
        {"status", one_of({"ok", "degraded", "down"}), "`degraded`: something is wrong, and the server goes on."},
        {"store", record("", {{"ok", boolean(), "It answers."}, {"error", or_null(text()), "Why not."}, {"since", when, "Since when."}}),
         "The database."},
        {"ticker",
         record("", {{"ok", boolean(), "It goes."}, {"lastStep", when, "When it last looked."}, {"nextFire", when, "When something fires next."}}),
         "What fires schedules."},
        {"clock",
         record("", {{"ok", boolean(), "It advances as the monotonic clock does."},
                     {"error", or_null(text()), "What is wrong, and what to do."},
                     {"stepMs", or_null(integer(std::numeric_limits<std::int64_t>::min())),
                      "By how much it stepped, negative: back; while that waits to be confirmed."},
                     {"decidedUntil", when, "It was put back, and the store holds decisions up to this time."}}),
         "The clock of the store."},
        {"server", text(), "The id of this server."},
        {"leading", boolean(), "Whether it does what one server does for all."},
        {"term", integer(), "Of the leadership."},
        {"servers", integer(), "How many share the store."},
        {"schedules", integer(), "Known to the timer."},
        {"schedulesComplete", boolean(), "All of them are known."},
        {"workers", list_of(record("TroubledWorker", std::move(worker))), "Parts in trouble."},
        {"quarantined", list_of(record("QuarantinedSchedule", std::move(schedule))),
         "Schedules that cannot be decided, and runs and backfills that cannot be worked on."},
        {"connections",
         list_of(record("ConnectionHealth", {{"name", text(), "Which.", Presence::required},
                                             {"kind", text(), "What it is.", Presence::required},
                                             {"ok", boolean(), "It took the last task that it was given.", Presence::required},
                                             {"error", or_null(text()), "Why not.", Presence::required},
                                             {"since", when, "Since when.", Presence::required}})),
         "That this server hands tasks over to."},
        {"version", text(), "Of the server."}};
    for (auto& member : members) member.presence = Presence::required;
    return record("Health", std::move(members));
}

}  // namespace

void add_health_routes(Routes& routes, engine::Engine& engine, HealthSource source) {
    routes.push_back({.method = "GET",
                      .pattern = "/health",
                      .operation = "getHealth",
                      .summary = "Tell whether the server can do its work.",
                      .group = "Server",
                      .permission = model::Permission::open,
                      .answers = {{200, health_shape()}, {503, health_shape(), "It cannot."}},
                      .handler = [&engine, source = std::move(source)](const Call&) -> Result<Response> { return health(engine, source); }});
    routes.push_back({.method = "GET",
                      .pattern = "/api/version",
                      .operation = "getVersion",
                      .summary = "Tell the version of the server and of its zone data.",
                      .group = "Server",
                      .permission = model::Permission::open,
                      .answers = {{200, record("Version", {{"version", text(), "Of the server.", Presence::required},
                                                           {"tzdata", text(), "Of its zone data.", Presence::required}})}},
                      .handler = [&engine](const Call&) -> Result<Response> {
                          return json_response(boost::json::object{{"version", BELFRY_VERSION}, {"tzdata", engine.zones().version()}});
                      }});
}

}  // namespace belfry::api
