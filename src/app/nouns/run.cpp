// belfry run: what schedules and clients started.
#include <boost/json/array.hpp>
#include <ostream>

#include "api/http/percent.hpp"
#include "app/cli/moment_text.hpp"
#include "app/client/listing.hpp"
#include "app/client/printing.hpp"
#include "app/client/run_watch.hpp"
#include "app/nouns/nouns.hpp"
#include "app/nouns/schedule_verbs.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

std::string planned_cell(const Session& session, const Json& run) {
    return when_text(session, run, "/scheduledAt", "UTC");
}
std::string run_took_cell(const Session&, const Json& run) {
    const auto started = instant_at(run, "/startedAt");
    const auto completed = instant_at(run, "/completedAt");
    return started && completed ? took_text(*completed - *started) : "";
}
std::string run_note_cell(const Session&, const Json& run) {
    const auto error = text_at(run, "/error");
    if (!error.empty()) return error;
    return text_at(run, "/status") == "skipped" ? text_at(run, "/reason") : "";
}

const Columns kRuns{{"ID", "/id"},
                    {"SCHEDULE", "/scheduleName"},
                    {"STATUS", "/status"},
                    {"PLANNED", "", planned_cell},
                    {"TOOK", "", run_took_cell, true},
                    {"CAUSE", "/cause", nullptr, true},
                    {"ATTEMPTS", "/attempts", nullptr, true},
                    {"NOTE", "", run_note_cell, true}};

std::string event_time_cell(const Session&, const Json& event) { return text_at(event, "/recordedAt"); }
const Columns kRunEvents{{"SEQ", "/sequence"},
                         {"EVENT", "/type"},
                         {"RECORDED AT", "", event_time_cell},
                         {"NODE", "/node"},
                         {"DETAILS", "/payload", nullptr, true}};

std::string after_cell(const Session&, const Json& node) { return joined_at(node, "/dependsOn"); }
const Columns kNodes{
    {"NODE", "/node"},         {"STATUS", "/status"}, {"ATTEMPTS", "/attempts"},           {"TOOK", "", run_took_cell},
    {"AFTER", "", after_cell}, {"ERROR", "/error"},   {"RESULT", "/result", nullptr, true}};

// `09:00:00 UTC (+1.2 s)`: a time and its distance from the one before.
std::string with_lag(const Json& run, const char* pointer, const char* before) {
    const auto at = instant_at(run, pointer);
    const auto from = instant_at(run, before);
    if (!at) return "";
    return local_text(std::chrono::floor<Seconds>(*at), *spec::Zone::utc()) +
           (from && *at >= *from ? " (+" + took_text(*at - *from) + ")" : "");
}

std::vector<LabelledText> run_page(const Session& session, const Json& run) {
    const auto detail = text_at(run, "/detail");
    const auto reason = text_at(run, "/reason");
    return {{"Status", text_at(run, "/status")},
            {"Schedule", text_at(run, "/scheduleName")},
            {"Cause", text_at(run, "/cause")},
            {"Reason", reason.empty() ? "" : reason + (detail.empty() ? "" : ": " + detail)},
            {"Planned", planned_cell(session, run)},
            {"Dispatched", with_lag(run, "/decidedAt", "/fireAt")},
            {"Started", with_lag(run, "/startedAt", "/decidedAt")},
            {"Ended", with_lag(run, "/completedAt", "/startedAt")},
            {"Attempts", text_at(run, "/attempts")},
            {"Approval", text_at(run, "/approvalStatus") == "not_required" ? "" : text_at(run, "/approvalStatus")},
            {"Input", text_at(run, "/input")},
            {"Result", text_at(run, "/result")},
            {"Error", text_at(run, "/error")},
            {"Id", text_at(run, "/id")}};
}

Result<ExitCode> describe_run(Session& session) {
    const auto run = session.get(session.path("…/runs/{RUN}"));
    if (!run) return run.error();
    if (should_follow(session)) return follow_run(session, *run);
    if (print_for_programs(session, *run)) return ExitCode::ok;
    print_lines(session, run_page(session, *run));
    const auto walk = session.get(session.path("…/runs/{RUN}/nodes"));
    if (!walk || text_at(*walk, "/workflow").empty()) return ExitCode::ok;
    print_heading(session, "Nodes of " + text_at(*walk, "/workflow") + ", version " + text_at(*walk, "/version"));
    print_table(session, kNodes, list_at(*walk, "/nodes"));
    return ExitCode::ok;
}

// A failed run is replayed as a new run with the same input.
Result<ExitCode> rerun(Session& session) {
    const auto run = session.change("POST", session.path("…/dead-letters/{RUN}/replay"));
    if (!run) return run.error();
    if (should_follow(session)) return follow_run(session, *run);
    if (print_for_programs(session, *run)) return ExitCode::ok;
    session.out() << "Started run " << text_at(*run, "/id") << ".\n";
    return ExitCode::ok;
}

const Argument kRunId{"RUN", "Id of the run"};
const Flag kCommentFlag{"--comment", "TEXT", "Comment; stored with the approval", Kind::text, "/comment"};
const Flag kNodeFlag{"--node", "NODE", "Node that waits [the run as a whole]", Kind::text, "/node"};
const Flag kRunReason{"--reason", "TEXT", "Why; stored with the run", Kind::text, "/reason"};

}  // namespace

const Columns& run_columns() { return kRuns; }

const std::vector<Flag>& run_filter_flags() {
    static const std::vector<Flag> kFlags{
        {"--status", "STATUS", "Only runs with this status, such as failed or skipped", Kind::text, "?status"},
        {"--from", "TIME", "Only runs planned from this time on", Kind::past_moment, "?from"},
        {"--to", "TIME", "Only runs planned up to this time", Kind::past_moment, "?to"},
        {"--tz", "ZONE", "Time zone of --from and --to [UTC]"},
        {"--limit", "N", "Maximum number of rows [100]"},
        {"--all", "", "List all rows", Kind::yes},
        {"-w,--watch", "", "Keep running, and print rows that change", Kind::yes}};
    return kFlags;
}

const Noun& run_noun() {
    static const Noun kNoun = [] {
        Noun noun{"run", "List, follow and decide runs",
                  "  belfry run list --status failed\n  belfry run get RUN\n  belfry run get RUN --watch"};
        auto filters = run_filter_flags();
        filters.push_back({"--schedule", "NAME", "Only runs of this schedule", Kind::text, "?schedule"});
        noun.key = "/id";
        noun.verbs = {
            {.name = "list",
             .help = "List runs, newest first",
             .examples = "  belfry run list\n  belfry run list --status failed --from yesterday -o wide",
             .method = "LIST",
             .path = "…/runs",
             .flags = filters,
             .columns = &kRuns},
            {.name = "get",
             .help = "Show a run: its times, its input and how it ended",
             .examples = "  belfry run get RUN\n  belfry run get RUN --watch\n  belfry run get RUN -o json",
             .method = "",
             .path = "",
             .arguments = {kRunId},
             .flags = {kWaitFlag, kFollowFlag, kTimeoutFlag},
             .handler = describe_run},
            {.name = "nodes",
             .help = "List the nodes of a workflow run",
             .examples = "  belfry run nodes RUN",
             .method = "",
             .path = "",
             .arguments = {kRunId},
             .columns = &kNodes,
             .handler = [](Session& session) -> Result<ExitCode> {
                 const auto walk = session.get(session.path("…/runs/{RUN}/nodes"));
                 if (!walk) return walk.error();
                 print_items(session, list_at(*walk, "/nodes"), Heading::shown);
                 return ExitCode::ok;
             }},
            {.name = "events",
             .help = "List the events of a run",
             .examples = "  belfry run events RUN\n  belfry run events RUN --watch",
             .method = "LIST",
             .path = "…/runs/{RUN}/events",
             .arguments = {kRunId},
             .flags = {kLimitFlag, kAllFlag, kWatchFlag},
             .columns = &kRunEvents},
            {.name = "cancel",
             .help = "Ask the worker of a run to stop",
             .examples = "  belfry run cancel RUN --reason \"wrong input\"",
             .method = "POST",
             .path = "…/runs/{RUN}/cancel",
             .arguments = {kRunId},
             .flags = {kRunReason},
             .done = "The run is {/status}.",
             .role = "operator"},
            {.name = "terminate",
             .help = "End a run at once, without its worker",
             .examples = "  belfry run terminate RUN --reason \"worker is gone\"",
             .method = "POST",
             .path = "…/runs/{RUN}/terminate",
             .arguments = {kRunId},
             .flags = {kRunReason},
             .done = "The run is {/status}.",
             .role = "operator"},
            {.name = "approve",
             .help = "Approve a run or a node that waits",
             .examples = "  belfry run approve RUN --comment \"checked\"",
             .method = "POST",
             .path = "…/runs/{RUN}/approve",
             .arguments = {kRunId},
             .flags = {kCommentFlag, kNodeFlag},
             .done = "Approved. The run is {/status}.",
             .role = "approver"},
            {.name = "reject",
             .help = "Reject a run or a node that waits",
             .examples = "  belfry run reject RUN --comment \"not today\"",
             .method = "POST",
             .path = "…/runs/{RUN}/reject",
             .arguments = {kRunId},
             .flags = {kCommentFlag, kNodeFlag},
             .done = "Rejected. The run is {/status}.",
             .role = "approver"},
            {.name = "rerun",
             .help = "Run a failed run again, as a new run",
             .examples = "  belfry run rerun RUN --watch",
             .method = "",
             .path = "",
             .arguments = {kRunId},
             .flags = {kWaitFlag, kFollowFlag, kTimeoutFlag},
             .handler = rerun,
             .role = "operator"},
        };
        return noun;
    }();
    return kNoun;
}

}  // namespace belfry::app
