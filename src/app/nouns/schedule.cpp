// belfry schedule: its verbs and the columns of its lists.
#include "app/client/bulk.hpp"
#include "app/client/listing.hpp"
#include "app/client/printing.hpp"
#include "app/client/run_watch.hpp"
#include "app/nouns/nouns.hpp"
#include "app/nouns/schedule_verbs.hpp"

namespace belfry::app {

namespace {

std::string next_cell(const Session& session, const Json& schedule) {
    if (text_at(schedule, "/status") == "paused") return "paused";
    const auto next = instant_at(schedule, "/nextRunAt");
    return next ? relative_and_local(*next, *zone_of_schedule(session, schedule), session.now()) : "never";
}
std::string last_cell(const Session& session, const Json& schedule) {
    return when_text(session, schedule, "/lastRunAt", zone_of_schedule(session, schedule)->name());
}
std::string timing_cell(const Session&, const Json& schedule) { return timing_text(schedule); }
std::string target_cell(const Session&, const Json& schedule) { return target_text(schedule); }
std::string labels_cell(const Session&, const Json& schedule) { return pairs_at(schedule, "/labels"); }

const Columns kSchedules{{"NAME", "/name"},
                         {"STATUS", "/status"},
                         {"NEXT RUN", "", next_cell},
                         {"RUNS", "", timing_cell},
                         {"LAST RUN", "", last_cell, true},
                         {"DOES", "", target_cell, true},
                         {"STARTED", "/runCount", nullptr, true},
                         {"FAILED", "/failuresCount", nullptr, true},
                         {"LABELS", "", labels_cell, true}};

std::string holds_cell(const Session&, const Json& condition) {
    if (member_at(condition, "/condition").is_null()) return "";
    return is_true(condition, "/holds") ? "holds now" : "does not hold now";
}
const Columns kCondition{{"CONDITION", "/condition"}, {"STATE", "", holds_cell}, {"CONTEXT", "/context"}};
const Columns kRotation{
    {"ENTRIES", "/entries"}, {"NEXT INDEX", "/nextIndex"}, {"LAST INDEX", "/lastIndex"}, {"TAKEN", "/taken"}};

const Argument kOneName{"NAME", "Name or id of the schedule"};
const Argument kManyNames{"NAME", "Names or ids of schedules", Argument::many};
const Flag kFileFlag{"-f,--file", "FILE", "Definition as YAML or JSON; - is the standard input. Flags change it"};

std::vector<Flag> joined(std::vector<Flag> first, const std::vector<Flag>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

std::vector<Verb> writing_verbs() {
    return {
        {.name = "create",
         .help = "Create a schedule, and show its next times",
         .examples = "  belfry schedule create ping --every 5m --http https://example.com/health\n"
                     "  belfry schedule create report --cron \"0 9 * * 1-5\" --tz Europe/Berlin \\\n"
                     "      --http POST https://example.com/report\n"
                     "  belfry schedule create backup --cron \"30 2 * * *\" -- ./backup.sh\n"
                     "  belfry schedule create -f schedule.yaml --dry-run",
         .method = "",
         .path = "",
         .arguments = {{"NAME", "Name of the schedule; unless the file has it", Argument::optional}},
         .flags = joined({kFileFlag,
                          {"--paused", "", "Create it paused", Kind::yes},
                          {"--dry-run", "", "Only check it and show its times", Kind::yes}},
                         definition_flags()),
         .handler = create_schedule,
         .role = "operator"},
        {.name = "update",
         .help = "Change members of a schedule; the others stay",
         .examples = "  belfry schedule update backup --cron \"0 3 * * *\"\n"
                     "  belfry schedule update backup --overlap buffer_one --retries 3\n"
                     "  belfry schedule update backup -f changes.yaml",
         .method = "",
         .path = "",
         .arguments = {kOneName},
         .flags = joined({kFileFlag, {"--rename", "NAME", "New name"}}, definition_flags()),
         .handler = update_schedule,
         .role = "operator"},
        {.name = "pause",
         .help = "Pause schedules",
         .examples = "  belfry schedule pause backup --reason \"disk is full\"\n"
                     "  belfry schedule pause backup --until monday\n"
                     "  belfry schedule pause -l team=billing --until P7D --yes",
         .method = "",
         .path = "",
         .arguments = {kManyNames},
         .flags = {{"--until", "TIME", "Resume then: monday, 2026-12-27, \"tomorrow 09:00\", P7D"},
                   kReasonFlag,
                   kLabelFlag,
                   kYesFlag},
         .handler = pause_schedules,
         .role = "operator"},
        {.name = "resume",
         .help = "Resume paused schedules",
         .examples = "  belfry schedule resume backup\n  belfry schedule resume -l team=billing --yes",
         .method = "",
         .path = "",
         .arguments = {kManyNames},
         .flags = {kReasonFlag, kLabelFlag, kYesFlag},
         .handler = resume_schedules,
         .role = "operator"},
        {.name = "trigger",
         .help = "Run schedules now",
         .examples = "  belfry schedule trigger backup --wait\n"
                     "  belfry schedule trigger report --input '{\"day\": \"2026-11-17\"}' --watch",
         .method = "",
         .path = "",
         .arguments = {kManyNames},
         .flags = {{"--input", "JSON", "Input of this run: JSON, YAML or @FILE", Kind::json, "/input"},
                   {"--overlap", "POLICY", "Overlap policy of this run", Kind::text, "/overlapPolicy"},
                   kWaitFlag,
                   kFollowFlag,
                   kTimeoutFlag,
                   kReasonFlag,
                   kLabelFlag,
                   kYesFlag},
         .handler = trigger_schedules,
         .role = "operator"},
        {.name = "delete",
         .help = "Delete schedules; their history stays",
         .examples = "  belfry schedule delete backup\n  belfry schedule delete -l team=old --yes",
         .method = "",
         .path = "",
         .arguments = {kManyNames},
         .flags = {{"--purge", "", "Also delete runs and history", Kind::yes, "?purge"},
                   {"--reason", "TEXT", "Why; recorded in the history", Kind::text, "?reason"},
                   kLabelFlag,
                   kYesFlag},
         .handler = delete_schedules,
         .role = "operator"},
    };
}

std::vector<Verb> reading_verbs() {
    return {
        {.name = "list",
         .help = "List schedules",
         .examples = "  belfry schedule list\n"
                     "  belfry schedule list -l team=billing --status paused\n"
                     "  belfry schedule list -o wide --watch",
         .method = "LIST",
         .path = "…/schedules",
         .flags = {{"--status", "STATUS", "active, paused, completed or deleted", Kind::text, "?status"},
                   {"-l,--label", "KEY=VALUE", "Only those with this label", Kind::text, ""},
                   {"-q,--search", "TEXT", "Only those whose name contains this text", Kind::text, "?q"},
                   {"--queue", "NAME", "Only those whose tasks use this queue", Kind::text, "?queue"},
                   {"--sort", "ORDER", "Order of the list", Kind::text, "?sort"},
                   kLimitFlag,
                   kAllFlag,
                   kWatchFlag},
         .columns = &kSchedules,
         .handler = list_schedules},
        {.name = "get",
         .help = "Show the main members of a schedule, or all with -o yaml",
         .examples = "  belfry schedule get backup\n  belfry schedule get backup -o yaml",
         .method = "GET",
         .path = "…/schedules/{NAME}",
         .arguments = {kOneName},
         .columns = &kSchedules},
        {.name = "describe",
         .help = "Show a schedule, its next times and its last runs on one page",
         .examples = "  belfry schedule describe backup",
         .method = "",
         .path = "",
         .arguments = {kOneName},
         .handler = describe_schedule},
        {.name = "preview",
         .help = "Show the next times of a schedule",
         .examples = "  belfry schedule preview backup -n 20\n"
                     "  belfry schedule preview backup --from 2027-03-27 --to 2027-03-30",
         .method = "",
         .path = "",
         .arguments = {kOneName},
         .flags = {{"-n,--count", "N", "Number of times [10]"},
                   {"--from", "TIME", "Start of the window [now]"},
                   {"--to", "TIME", "End of the window"}},
         .handler = preview_schedule},
        {.name = "simulate",
         .help = "Play a schedule forward: overlaps, buffers, conditions",
         .examples = "  belfry schedule simulate backup --to tomorrow --takes 2h\n"
                     "  belfry schedule simulate backup --outcome succeeded --outcome failed",
         .method = "",
         .path = "",
         .arguments = {kOneName},
         .flags = {{"--from", "TIME", "Start [now]"},
                   {"--to", "TIME", "End [24 hours from now]"},
                   {"--takes", "DURATION", "Assumed duration of each run"},
                   {"--outcome", "OUTCOME", "Assumed outcome; several are used in turn", Kind::list},
                   {"--tz", "ZONE", "Time zone of the table [UTC]"}},
         .handler = simulate_schedule},
        {.name = "why",
         .help = "Explain what happened, or will happen, at a time",
         .examples = "  belfry schedule why backup\n"
                     "  belfry schedule why backup --at \"02:30 yesterday\"\n"
                     "  belfry schedule why backup --at next",
         .method = "",
         .path = "",
         .arguments = {kOneName},
         .flags = {{"--at", "TIME", "A time in the schedule's zone, last or next [last]"}},
         .handler = explain_occurrence},
        {.name = "history",
         .help = "Show the audit events of a schedule",
         .examples = "  belfry schedule history backup\n"
                     "  belfry schedule history backup --after-sequence 100\n"
                     "  belfry schedule history backup --all -o jsonl",
         .method = "",
         .path = "",
         .arguments = {kOneName},
         .flags = {{"--limit", "N", "Number of events in a page [100]"},
                   {"--after-sequence", "N", "Only events after this sequence number"},
                   {"--all", "", "Read all pages", Kind::yes}},
         .handler = show_history},
        {.name = "runs",
         .help = "List the runs of a schedule, skipped ones included",
         .examples = "  belfry schedule runs backup\n  belfry schedule runs backup --status failed",
         .method = "LIST",
         .path = "…/schedules/{NAME}/runs",
         .arguments = {kOneName},
         .flags = run_filter_flags(),
         .columns = &run_columns()},
        {.name = "health",
         .help = "Check the server, or one schedule; exit code 3 if something is wrong",
         .examples = "  belfry schedule health\n  belfry schedule health backup",
         .method = "",
         .path = "",
         .arguments = {{"NAME", "Name or id of a schedule [the server]", Argument::optional}},
         .handler = check_health},
        {.name = "load",
         .help = "Draw the planned runs of the next 24 hours",
         .examples = "  belfry schedule load --tz Europe/Berlin",
         .method = "",
         .path = "",
         .flags = {{"--tz", "ZONE", "Time zone of the drawing [UTC]"}},
         .handler = draw_load},
    };
}

std::vector<Noun> parts() {
    return {
        {"calendar",
         "Attach and detach calendars",
         "  belfry schedule calendar attach backup holidays",
         {{.name = "attach",
           .help = "Attach a calendar to a schedule",
           .examples = "  belfry schedule calendar attach backup us-federal-holidays-2026",
           .method = "POST",
           .path = "…/schedules/{NAME}/calendars/{CALENDAR}",
           .arguments = {kOneName, {"CALENDAR", "Name of the calendar"}},
           .flags = {kReasonFlag},
           .done = "Attached {CALENDAR}.",
           .role = "operator"},
          {.name = "detach",
           .help = "Detach a calendar from a schedule",
           .examples = "  belfry schedule calendar detach backup us-federal-holidays-2026",
           .method = "DELETE",
           .path = "…/schedules/{NAME}/calendars/{CALENDAR}",
           .arguments = {kOneName, {"CALENDAR", "Name of the calendar"}},
           .done = "Detached {CALENDAR}.",
           .role = "operator"}}},
        {"condition",
         "Set, clear and show the condition",
         "  belfry schedule condition set backup '{\"/last_24h_stats/failed\": {\"lt\": 3}}'",
         {{.name = "get",
           .help = "Show the condition and whether it holds now",
           .examples = "  belfry schedule condition get backup",
           .method = "GET",
           .path = "…/schedules/{NAME}/condition",
           .arguments = {kOneName},
           .columns = &kCondition},
          {.name = "set",
           .help = "Set the condition that must hold before each run",
           .examples = "  belfry schedule condition set backup '{\"/last_24h_stats/failed\": {\"lt\": 3}}'\n"
                       "  belfry schedule condition set backup @condition.yaml",
           .method = "",
           .path = "",
           .arguments = {kOneName, {"CONDITION", "JSON, YAML or @FILE"}},
           .done = "Set the condition of {NAME}.",
           .handler = set_condition,
           .role = "operator"},
          {.name = "clear",
           .help = "Remove the condition",
           .examples = "  belfry schedule condition clear backup",
           .method = "DELETE",
           .path = "…/schedules/{NAME}/condition",
           .arguments = {kOneName},
           .done = "Cleared the condition of {NAME}.",
           .role = "operator"}}},
        {"rotation",
         "Set, clear and show the inputs that runs use in turn",
         "  belfry schedule rotation set mail '{\"to\": \"a\"}' '{\"to\": \"b\"}'",
         {{.name = "get",
           .help = "Show the rotation",
           .examples = "  belfry schedule rotation get mail",
           .method = "GET",
           .path = "…/schedules/{NAME}/rotation",
           .arguments = {kOneName},
           .columns = &kRotation},
          {.name = "set",
           .help = "Set the inputs that successive runs use in turn",
           .examples = "  belfry schedule rotation set mail '{\"to\": \"a\"}' '{\"to\": \"b\"}'",
           .method = "",
           .path = "",
           .arguments = {kOneName, {"INPUT", "Inputs: JSON, YAML or @FILE", Argument::at_least_one}},
           .done = "Set the rotation of {NAME}.",
           .handler = set_rotation,
           .role = "operator"},
          {.name = "clear",
           .help = "Remove the inputs, and start again at the first",
           .examples = "  belfry schedule rotation clear mail",
           .method = "DELETE",
           .path = "…/schedules/{NAME}/rotation",
           .arguments = {kOneName},
           .done = "Cleared the rotation of {NAME}.",
           .role = "operator"}}},
    };
}

}  // namespace

const Noun& schedule_noun() {
    static const Noun kNoun = [] {
        Noun noun{"schedule", "Create, watch and change schedules",
                  "  belfry schedule create ping --every 5m --http https://example.com/health\n"
                  "  belfry schedule list\n"
                  "  belfry schedule describe ping\n"
                  "  belfry schedule why ping --at \"02:30 yesterday\""};
        noun.verbs = writing_verbs();
        for (auto& verb : reading_verbs()) noun.verbs.push_back(std::move(verb));
        noun.nouns = parts();
        return noun;
    }();
    return kNoun;
}

}  // namespace belfry::app
