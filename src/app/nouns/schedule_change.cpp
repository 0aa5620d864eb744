// belfry schedule pause, resume, trigger and delete: for one schedule or many.
#include <boost/json/object.hpp>
#include <ostream>

#include "app/client/bulk.hpp"
#include "app/client/printing.hpp"
#include "app/client/run_watch.hpp"
#include "app/nouns/schedule_verbs.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

// --until is a time in the zone of each schedule.
Result<Json> pause_body(const Session& session, const std::string& name) {
    auto body = session.reason_body();
    if (!session.values().has("--until")) return body;
    const auto schedule = session.get(session.path("…/schedules/{NAME}?fields=spec", name));
    if (!schedule) return schedule.error();
    const auto until = session.moment("--until", *zone_of_schedule(session, *schedule), Direction::ahead);
    if (!until) return until.error();
    set_at(body, "/until", Json(format_instant(*until)));
    return body;
}

std::string next_text(const Session& session, const Json& schedule) {
    const auto next = instant_at(schedule, "/nextRunAt");
    if (!next) return "";
    return " Next run " + relative_and_local(*next, *zone_of_schedule(session, schedule), session.now()) + ".";
}

// Triggers one schedule and, if asked, waits for its run.
Result<ExitCode> trigger_and_follow(Session& session, const std::string& name, const Json& body) {
    const auto run = session.change("POST", session.path("…/schedules/{NAME}/trigger", name), body);
    if (!run) return run.error();
    if (text_at(*run, "/status") == "skipped") {
        if (!print_for_programs(session, *run))
            session.out() << "Skipped: " << visible(text_at(*run, "/detail")) << '\n';
        return ExitCode::conflict;
    }
    if (should_follow(session)) return follow_run(session, *run);
    if (print_for_programs(session, *run)) return ExitCode::ok;
    session.out() << "Triggered " << visible(name) << ": run " << text_at(*run, "/id") << " is "
                  << coloured(text_at(*run, "/status"), session.console().screen()) << ".\n";
    return ExitCode::ok;
}

}  // namespace

Result<ExitCode> pause_schedules(Session& session) {
    const auto names = chosen_schedules(session, "pause");
    if (!names) return names.error();
    return change_each(
        session, *names,
        [&](const std::string& name) -> Result<Json> {
            const auto body = pause_body(session, name);
            if (!body) return body.error();
            return session.change("POST", session.path("…/schedules/{NAME}/pause", name), *body);
        },
        [&](const std::string& name, const Json& schedule) {
            session.out() << "Paused " << visible(name);
            if (const auto until = instant_at(schedule, "/pausedUntil"))
                session.out() << " until "
                              << relative_and_local(*until, *zone_of_schedule(session, schedule), session.now());
            session.out() << ".\n";
        });
}

Result<ExitCode> resume_schedules(Session& session) {
    const auto names = chosen_schedules(session, "resume");
    if (!names) return names.error();
    return change_each(
        session, *names,
        [&](const std::string& name) {
            return session.change("POST", session.path("…/schedules/{NAME}/resume", name), session.reason_body());
        },
        [&](const std::string& name, const Json& schedule) {
            session.out() << "Resumed " << visible(name) << "." << next_text(session, schedule) << '\n';
        });
}

Result<ExitCode> delete_schedules(Session& session) {
    const auto names = chosen_schedules(session, "delete");
    if (!names) return names.error();
    const auto query = session.query();
    if (!query) return query.error();
    return change_each(
        session, *names,
        [&](const std::string& name) {
            return session.change("DELETE", session.path("…/schedules/{NAME}", name) + *query);
        },
        [&](const std::string& name, const Json&) { session.out() << "Deleted " << visible(name) << ".\n"; });
}

Result<ExitCode> trigger_schedules(Session& session) {
    const auto body = session.body();
    if (!body) return body.error();
    const auto names = chosen_schedules(session, "trigger");
    if (!names) return names.error();
    if (names->size() == 1) return trigger_and_follow(session, names->front(), *body);
    if (should_follow(session)) return invalid("--wait and --watch follow one run: name one schedule");
    return change_each(
        session, *names,
        [&](const std::string& name) {
            return session.change("POST", session.path("…/schedules/{NAME}/trigger", name), *body);
        },
        [&](const std::string& name, const Json& run) {
            session.out() << "Triggered " << visible(name) << ": " << text_at(run, "/status") << '\n';
        });
}

}  // namespace belfry::app
