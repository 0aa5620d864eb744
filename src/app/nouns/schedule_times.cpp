// belfry schedule preview, simulate and why: questions about times.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <ostream>

#include "api/http/percent.hpp"
#include "app/cli/moment_text.hpp"
#include "app/client/printing.hpp"
#include "app/nouns/schedule_verbs.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

using boost::json::array;
using boost::json::object;

Result<spec::ZonePtr> zone_of_named(const Session& session) {
    const auto schedule = session.get(session.path("…/schedules/{NAME}?fields=spec"));
    if (!schedule) return schedule.error();
    return zone_of_schedule(session, *schedule);
}

// Adds the parameter if the flag is given, as an instant.
Result<void> add_moment(const Session& session, const char* flag, const spec::Zone& zone, std::string& query) {
    if (!session.values().has(flag)) return {};
    const auto moment = session.moment(flag, zone, Direction::ahead);
    if (!moment) return moment.error();
    query += "&" + std::string(flag + 2) + "=" + api::percent_encode(format_instant(*moment));
    return {};
}

// `last` and `next` are occurrences; without --at, the last one, or the next if there was none.
Result<Instant> asked_time(const Session& session) {
    const auto at = session.values().one("--at");
    const auto schedule = session.get(session.path("…/schedules/{NAME}?fields=spec,nextOccurrence"));
    if (!schedule) return schedule.error();
    if (!at.empty() && at != "last" && at != "next")
        return session.moment("--at", *zone_of_schedule(session, *schedule), Direction::back);
    if (at != "next") {
        const auto runs = session.get(session.path("…/schedules/{NAME}/runs?limit=1&fields=scheduledAt"));
        if (!runs) return runs.error();
        const auto& items = list_at(*runs, "/items");
        if (const auto last = items.empty() ? std::nullopt : instant_at(items.front(), "/scheduledAt")) return *last;
        if (at == "last") return Error{ErrorCode::not_found, "the schedule has no runs yet: use --at next, or a time"};
    }
    if (const auto next = instant_at(*schedule, "/nextOccurrence")) return *next;
    return Error{ErrorCode::not_found, "the schedule has no next time: name one with --at"};
}

std::string simulated_when(const Session& session, const Json& item) {
    const auto at = instant_at(item, "/scheduledAt");
    const auto zone = session.zone(session.values().one("--tz").empty() ? "UTC" : session.values().one("--tz"));
    return at ? local_text(*at, *zone) : "";
}

std::string simulated_end(const Session&, const Json& item) {
    const auto fired = instant_at(item, "/fireAt");
    const auto ended = instant_at(item, "/endedAt");
    const auto end = text_at(item, "/end");
    return fired && ended && !end.empty() ? end + " after " + took_text(*ended - *fired) : end;
}

const Columns kSimulated{{"PLANNED", "", simulated_when},
                         {"DECISION", "/decision"},
                         {"END", "", simulated_end},
                         {"NOTE", "/detail"},
                         {"INPUT", "/input", nullptr, true}};

}  // namespace

Result<ExitCode> preview_schedule(Session& session) {
    const auto zone = zone_of_named(session);
    if (!zone) return zone.error();
    const auto count = session.values().has("--count") ? session.values().one("--count") : "10";
    std::string query = "?limit=" + api::percent_encode(count);
    for (const auto* const flag : {"--from", "--to"}) {
        if (auto added = add_moment(session, flag, **zone, query); !added) return added.error();
    }
    const auto forecast = session.get(session.path("…/schedules/{NAME}/preview") + query);
    if (!forecast) return forecast.error();
    if (session.format() == Format::jsonl) {
        for (const auto& row : list_at(*forecast, "/items")) session.out() << visible(to_text(row)) << '\n';
        return ExitCode::ok;
    }
    if (print_for_programs(session, *forecast)) return ExitCode::ok;
    session.out() << visible(text_at(*forecast, "/description")) << "\n\n";
    print_forecast(session, *forecast);
    if (list_at(*forecast, "/items").empty()) session.console().note("there are no further times");
    return ExitCode::ok;
}

Result<ExitCode> simulate_schedule(Session& session) {
    const auto zone = zone_of_named(session);
    if (!zone) return zone.error();
    object body;
    for (const auto* const flag : {"--from", "--to"}) {
        if (!session.values().has(flag)) continue;
        const auto moment = session.moment(flag, **zone, Direction::ahead);
        if (!moment) return moment.error();
        body[flag + 2] = format_instant(*moment);
    }
    if (!body.contains("to")) body["to"] = format_instant(session.now() + std::chrono::hours{24});
    object assumed;
    if (session.values().has("--takes")) assumed["duration"] = session.values().one("--takes");
    array runs;
    for (const auto& outcome : session.values().all("--outcome")) {
        assumed["outcome"] = outcome;
        runs.push_back(assumed);
    }
    if (runs.empty() && !assumed.empty()) runs.push_back(assumed);
    if (!runs.empty()) body["runs"] = std::move(runs);
    const auto simulation = session.change("POST", session.path("…/schedules/{NAME}/simulate"), body);
    if (!simulation) return simulation.error();
    if (print_for_programs(session, *simulation)) return ExitCode::ok;
    print_table(session, kSimulated, list_at(*simulation, "/items"));
    if (list_at(*simulation, "/items").empty()) session.console().note("nothing happens in this time");
    return ExitCode::ok;
}

Result<ExitCode> explain_occurrence(Session& session) {
    const auto at = asked_time(session);
    if (!at) return at.error();
    const auto why = session.get(session.path("…/schedules/{NAME}/why?at=") + api::percent_encode(format_instant(*at)));
    if (!why) return why.error();
    if (print_for_programs(session, *why)) return ExitCode::ok;
    const auto zone = session.zone(text_at(*why, "/timezone"));
    const auto moment = [&](const char* pointer) {
        const auto instant = instant_at(*why, pointer);
        return instant ? local_text(*instant, *zone) : std::string();
    };
    session.out() << bold(visible(text_at(*why, "/answer")), session.console().screen()) << "\n\n";
    print_lines(session, {{"Asked", moment("/at") + " (" + zone->name() + ")"},
                          {"Why", text_at(*why, "/explanation")},
                          {"Run", text_at(*why, "/run/id")},
                          {"Status", text_at(*why, "/run/status")},
                          {"Time before", moment("/previousOccurrence")},
                          {"Time after", moment("/nextOccurrence")}});
    return ExitCode::ok;
}

}  // namespace belfry::app
