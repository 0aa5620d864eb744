// belfry schedule health: the parts of the server, or one schedule. Exit code 3 when something is not well.
#include <boost/json/array.hpp>
#include <ostream>

#include "app/client/printing.hpp"
#include "app/nouns/schedule_verbs.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

void print_part(const Session& session, const std::string& part, const std::string& state, const std::string& why) {
    session.out() << part << ": " << coloured(state, session.console().screen())
                  << (why.empty() ? "" : " – " + visible(why)) << '\n';
}

// `store`, `ticker` and `clock` are objects with a state, and an error if there is one.
std::string state_of(const Json& health, const std::string& part) {
    const auto& found = member_at(health, "/" + part);
    for (const auto* const name : {"/status", "/state"}) {
        if (const auto state = text_at(found, name); !state.empty()) return state;
    }
    const auto& ok = member_at(found, "/ok");
    return ok.is_bool() && !ok.get_bool() ? "degraded" : "ok";
}

Result<ExitCode> server_health(Session& session) {
    const auto health = session.server().client.call("GET", {.path = "/health", .any_status = true});
    if (!health) return health.error();
    const auto status = text_at(*health, "/status");
    if (status.empty())
        return Error{ErrorCode::corrupt,
                     format_url(session.server().url) + " is not a Belfry server: no health report"};
    const auto code = status == "ok" ? ExitCode::ok : ExitCode::differs;
    if (print_for_programs(session, *health)) return code;
    const auto& workers = list_at(*health, "/workers");
    print_part(session, "worker", workers.empty() ? "ok" : "degraded", "");
    for (const auto& worker : workers)
        print_part(session, "  " + text_at(worker, "/name"), "degraded", text_at(worker, "/error"));
    for (const auto* const part : {"ticker", "store", "clock"})
        print_part(session, part, state_of(*health, part), text_at(*health, "/" + std::string(part) + "/error"));
    for (const auto& connection : list_at(*health, "/connections")) {
        print_part(session, "connection " + text_at(connection, "/name"),
                   is_true(connection, "/ok") ? "ok" : "degraded", text_at(connection, "/error"));
    }
    for (const auto& item : list_at(*health, "/quarantined")) print_part(session, "quarantined", to_text(item), "");
    print_part(session, "server", status, "");
    return code;
}

Result<ExitCode> one_schedule(Session& session) {
    const auto health = session.get(session.path("…/schedules/{NAME}/health"));
    if (!health) return health.error();
    const auto verdict = text_at(*health, "/verdict");
    const auto code = verdict == "ok" || verdict == "paused" ? ExitCode::ok : ExitCode::differs;
    if (print_for_programs(session, *health)) return code;
    print_part(session, session.values().one("NAME"), verdict, "");
    for (const auto& reason : list_at(*health, "/reasons"))
        session.out() << "  " << visible(text_at(reason, "")) << '\n';
    std::string strip;
    for (const auto& outcome : list_at(*health, "/outcomes")) {
        const auto status = text_at(outcome, "/status");
        strip += status == "succeeded" ? "+" : status == "skipped" ? "-" : status == "failed" ? "x" : ".";
    }
    const auto lateness = text_at(*health, "/latenessMedianMs");
    print_lines(session, {{"  Outcomes, newest first", strip + (strip.empty() ? "" : "  (+ ok, x failed, - skipped)")},
                          {"  Failures in a row", text_at(*health, "/consecutiveFailures")},
                          {"  In flight", text_at(*health, "/inFlight")},
                          {"  Missed in 24 h", text_at(*health, "/missedLastDay")},
                          {"  Usual lateness", lateness.empty() ? "" : lateness + " ms"}});
    return code;
}

}  // namespace

Result<ExitCode> check_health(Session& session) {
    return session.values().has("NAME") ? one_schedule(session) : server_health(session);
}

}  // namespace belfry::app
