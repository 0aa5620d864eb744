// belfry schedule describe: everything about a schedule on one page.
#include <boost/json/array.hpp>
#include <ostream>

#include "app/client/printing.hpp"
#include "app/nouns/schedule_verbs.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

std::string overlap_words(const std::string& policy) {
    if (policy == "skip") return "skip this one";
    if (policy == "buffer_one") return "queue one";
    if (policy == "buffer_all") return "queue all";
    if (policy == "cancel_other") return "cancel the other";
    if (policy == "terminate_other") return "terminate the other";
    return "allow both";
}

std::string missed_words(const Json& schedule) {
    const auto policy = text_at(schedule, "/missedRunPolicy");
    if (policy == "skip") return "run nothing";
    if (policy == "fire_once") return "run once";
    if (policy == "spread") return "run every missed time, spread out";
    return "run every missed time, up to " + text_at(schedule, "/maxBackfill");
}

std::string retry_words(const Json& schedule) {
    const auto retries = number_at(schedule, "/retryPolicy/maxRetries");
    if (retries == 0) return "";
    return std::to_string(retries) + " times, first after " +
           took_text(std::chrono::milliseconds(number_at(schedule, "/retryPolicy/backoffMs")));
}

std::string next_words(const Session& session, const Json& schedule, const Json& forecast, const spec::Zone& zone) {
    const auto status = text_at(schedule, "/status");
    if (const auto next = instant_at(schedule, "/nextRunAt")) return relative_and_local(*next, zone, session.now());
    if (status != "paused") return "never";
    auto text = std::string("none while it is paused");
    if (!list_at(forecast, "/items").empty()) {
        const auto would = instant_at(list_at(forecast, "/items").front(), "/occurrence");
        if (would) text = "paused – would next run " + short_local(*would, zone, session.now());
    }
    return text;
}

std::string pause_words(const Session& session, const Json& schedule, const spec::Zone& zone) {
    const auto at = instant_at(schedule, "/pausedAt");
    if (text_at(schedule, "/status") != "paused" || !at) return "";
    auto text = "since " + short_local(*at, zone, session.now());
    if (const auto until = instant_at(schedule, "/pausedUntil"))
        text += ", until " + relative_and_local(*until, zone, session.now());
    if (const auto reason = text_at(schedule, "/pauseReason"); !reason.empty()) text += ": " + reason;
    return text;
}

std::string rotation_words(const Json& schedule) {
    const auto entries = list_at(schedule, "/inputsRotation").size();
    return entries == 0 ? "" : std::to_string(entries) + " inputs in turn";
}

std::string counts_words(const Json& schedule) {
    return text_at(schedule, "/runCount") + " started, " + text_at(schedule, "/failuresCount") + " failed, " +
           text_at(schedule, "/skippedTriggerCount") + " skipped";
}

std::vector<LabelledText> page_of(const Session& session, const Json& schedule, const Json& forecast) {
    const auto zone = zone_of_schedule(session, schedule);
    const auto when = [&](const char* pointer) { return when_text(session, schedule, pointer, zone->name()); };
    return {{"State", text_at(schedule, "/status")},
            {"Paused", pause_words(session, schedule, *zone)},
            {"Unreadable", text_at(schedule, "/unreadable")},
            {"Runs", text_at(forecast, "/description")},
            {"Does", target_text(schedule)},
            {"Next run", next_words(session, schedule, forecast, *zone)},
            {"Last run", when("/lastRunAt")},
            {"So far", counts_words(schedule)},
            {"Last error", text_at(schedule, "/lastErrorMessage")},
            {"Last skip", text_at(schedule, "/lastSkipReason")},
            {"Overlap", "if the last run is still going: " + overlap_words(text_at(schedule, "/overlapPolicy"))},
            {"Missed", "after downtime: " + missed_words(schedule)},
            {"Retries", retry_words(schedule)},
            {"Approval", is_true(schedule, "/approvalPolicy/requiresApproval") ? "runs wait for approval" : ""},
            {"Calendars", joined_at(schedule, "/calendars")},
            {"Condition", text_at(schedule, "/preDispatchCondition")},
            {"Rotation", rotation_words(schedule)},
            {"Runs left", text_at(schedule, "/remainingActions")},
            {"Labels", pairs_at(schedule, "/labels")},
            {"Description", text_at(schedule, "/description")},
            {"Notes", text_at(schedule, "/notes")},
            {"Created", when("/createdAt") +
                            (text_at(schedule, "/createdBy").empty() ? "" : " by " + text_at(schedule, "/createdBy"))},
            {"Id", text_at(schedule, "/id")}};
}

}  // namespace

Result<ExitCode> describe_schedule(Session& session) {
    const auto schedule = session.get(session.path("…/schedules/{NAME}"));
    if (!schedule) return schedule.error();
    if (print_for_programs(session, *schedule)) return ExitCode::ok;
    const auto id = text_at(*schedule, "/id");
    const auto forecast = session.get(session.path("…/schedules/{NAME}/preview?limit=5", id));
    const auto runs = session.get(session.path("…/schedules/{NAME}/runs?limit=5", id));
    if (!runs) return runs.error();
    const auto nothing = Json();
    session.out() << bold(visible(text_at(*schedule, "/name")), session.console().screen()) << "\n\n";
    print_lines(session, page_of(session, *schedule, forecast ? *forecast : nothing));
    if (forecast && !list_at(*forecast, "/items").empty()) {
        print_heading(session, "Next times");
        print_forecast(session, *forecast);
    }
    if (!list_at(*runs, "/items").empty()) {
        print_heading(session, "Last runs");
        print_table(session, run_columns(), list_at(*runs, "/items"));
    }
    return ExitCode::ok;
}

}  // namespace belfry::app
