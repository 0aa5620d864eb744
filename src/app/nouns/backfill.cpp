// belfry backfill: runs occurrences of the past.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <ostream>

#include "app/cli/moment_text.hpp"
#include "app/client/listing.hpp"
#include "app/client/printing.hpp"
#include "app/nouns/nouns.hpp"
#include "app/nouns/schedule_verbs.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

const Columns kBackfills{{"ID", "/id"},
                         {"STATUS", "/status"},
                         {"FROM", "/from"},
                         {"TO", "/to"},
                         {"STARTED", "/dispatched"},
                         {"SKIPPED", "/skipped"},
                         {"NEXT", "/nextFrom", nullptr, true},
                         {"ERROR", "/error"}};
const Columns kPlannedRuns{{"PLANNED", "/scheduledAt"}, {"DECISION", "/decision"}, {"NOTE", "/detail"}};

void print_plan(const Session& session, const Json& plan) {
    const auto& items = list_at(plan, "/items");
    print_table(session, kPlannedRuns, items);
    session.out() << "This would start " << items.size() << (is_true(plan, "/more") ? " or more" : "") << " runs; "
                  << list_at(plan, "/leftAlone").size() << " occurrences stay as they are.\n";
    session.console().note("nothing was started");
}

Result<ExitCode> create_backfill(Session& session) {
    const auto schedule = session.get(session.path("…/schedules/{NAME}?fields=spec"));
    if (!schedule) return schedule.error();
    auto body = session.body();
    if (!body) return body.error();
    const auto zone = zone_of_schedule(session, *schedule);
    for (const auto* const flag : {"--from", "--to"}) {
        const auto moment = !session.values().has(flag) && std::string_view(flag) == "--to"
                                ? Result<Instant>(session.now())
                                : session.moment(flag, *zone, Direction::back);
        if (!moment) return moment.error();
        set_at(*body, "/" + std::string(flag + 2), Json(format_instant(*moment)));
    }
    const auto answer = session.change("POST", session.path("…/schedules/{NAME}/backfill"), *body);
    if (!answer) return answer.error();
    if (print_for_programs(session, *answer)) return ExitCode::ok;
    if (is_true(*answer, "/dryRun")) {
        print_plan(session, *answer);
    } else {
        session.out() << "Started backfill " << text_at(*answer, "/id") << ".\n\nFollow it:\n  belfry backfill get "
                      << text_at(*answer, "/id") << '\n';
    }
    return ExitCode::ok;
}

Verb backfill_change(const char* name, const char* help, const char* examples, const char* path) {
    return {.name = name,
            .help = help,
            .examples = examples,
            .method = "POST",
            .path = path,
            .arguments = {{"ID", "Id of the backfill"}},
            .done = "The backfill is {/status}.",
            .role = "operator"};
}

}  // namespace

const Noun& backfill_noun() {
    static const Noun kNoun{
        "backfill",
        "Run occurrences of the past",
        "  belfry backfill create backup --from 2026-11-01 --dry-run\n  belfry backfill list backup",
        {{.name = "create",
          .help = "Run the occurrences of a range that have no run",
          .examples = "  belfry backfill create backup --from 2026-11-01 --to 2026-11-07 --dry-run\n"
                      "  belfry backfill create backup --from monday --rerun failed",
          .method = "",
          .path = "",
          .arguments = {{"NAME", "Name or id of the schedule"}},
          .flags = {{"--from", "TIME", "First occurrence, in the schedule's zone"},
                    {"--to", "TIME", "Last occurrence [now]"},
                    {"--concurrency", "N", "Runs in flight at once [1]", Kind::number, "/concurrency"},
                    {"--overlap", "POLICY", "Overlap policy instead of --concurrency", Kind::text, "/overlapPolicy"},
                    {"--rerun", "WHICH", "missing, failed or all [missing]", Kind::text, "/rerun"},
                    {"--dry-run", "", "Only list the runs", Kind::yes, "/dryRun"}},
          .handler = create_backfill,
          .role = "operator"},
         {.name = "list",
          .help = "List the backfills of a schedule",
          .examples = "  belfry backfill list backup",
          .method = "LIST",
          .path = "…/schedules/{NAME}/backfills",
          .arguments = {{"NAME", "Name or id of the schedule"}},
          .flags = {kLimitFlag, kAllFlag, kWatchFlag},
          .columns = &kBackfills},
         {.name = "get",
          .help = "Show the progress of a backfill",
          .examples = "  belfry backfill get ID",
          .method = "GET",
          .path = "…/backfills/{ID}",
          .arguments = {{"ID", "Id of the backfill"}},
          .columns = &kBackfills},
         backfill_change("pause", "Pause a backfill", "  belfry backfill pause ID", "…/backfills/{ID}/pause"),
         backfill_change("resume", "Resume a backfill", "  belfry backfill resume ID", "…/backfills/{ID}/resume"),
         backfill_change("cancel", "Cancel a backfill; its runs continue", "  belfry backfill cancel ID",
                         "…/backfills/{ID}/cancel")},
        {},
        "/id"};
    return kNoun;
}

}  // namespace belfry::app
