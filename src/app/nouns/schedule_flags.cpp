// The flags for every member of a schedule, in the groups of the help.
#include "app/nouns/schedule_verbs.hpp"

namespace belfry::app {

namespace {

constexpr const char* kWhen = "When";
constexpr const char* kWhat = "What";
constexpr const char* kHow = "How";
constexpr const char* kGates = "Gates";
constexpr const char* kAbout = "About";

const std::vector<Flag> kDefinitionFlags{
    {"--cron", "EXPR", "Cron expression, such as \"30 2 * * *\"; may be repeated", Kind::list, "/spec/cron", kWhen},
    {"--every", "DURATION", "Interval, such as 6h or PT90M", Kind::text, "", kWhen},
    {"--offset", "DURATION", "Shifts --every from the Unix epoch", Kind::text, "", kWhen},
    {"--at", "TIME", "Single time, such as \"2026-12-31 23:59\"; may be repeated", Kind::list, "", kWhen},
    {"--on-event", "NAME", "Also start when a client reports this event", Kind::list, "", kWhen},
    {"--tz", "ZONE", "IANA time zone, such as Europe/Berlin [UTC]", Kind::text, "/spec/timezone", kWhen},
    {"--start", "TIME", "First time of the window", Kind::moment, "/spec/startAt", kWhen},
    {"--end", "TIME", "Last time of the window", Kind::moment, "/spec/endAt", kWhen},
    {"--dst-gap", "RULE", "Local time that does not exist: shift or skip", Kind::text, "/spec/dst/gap", kWhen},
    {"--dst-repeat", "RULE", "Local time that occurs twice: auto, first, last or both", Kind::text, "/spec/dst/repeat",
     kWhen},
    {"--jitter", "DURATION", "Delay each run by up to this time, to spread load", Kind::text, "/spec/jitter/after",
     kWhen},
    {"--jitter-before", "DURATION", "Advance each run by up to this time", Kind::text, "/spec/jitter/before", kWhen},

    {"--http", "[METHOD] URL", "The server calls this URL", Kind::words, "/target/url", kWhat},
    {"--header", "NAME=VALUE", "Header of --http; may be repeated", Kind::pairs, "/target/headers", kWhat},
    {"--body", "TEXT", "Body of --http, JSON or text, or @FILE", Kind::text, "/target/body", kWhat},
    {"--expect-status", "CODE", "Status that counts as success, such as 200 or 3xx", Kind::list, "", kWhat},
    {"--http-timeout", "DURATION", "Timeout of --http", Kind::milliseconds, "/target/timeoutMs", kWhat},
    {"--signed", "", "The server signs the request", Kind::yes, "/target/signed", kWhat},
    {"--command", "NAME", "The server runs this registered command", Kind::text, "/target/command", kWhat},
    {"--task", "KIND", "Workers run this kind of task", Kind::text, "/target/taskKind", kWhat},
    {"--workflow", "NAME", "Starts this workflow", Kind::text, "/target/workflowKind", kWhat},
    {"--workflow-version", "N", "Version of --workflow [newest]", Kind::number, "/target/version", kWhat},
    {"--input", "JSON", "Input of each run: JSON, YAML or @FILE", Kind::json, "/target/input", kWhat},
    {"--rotate", "JSON", "Inputs that runs use in turn; repeat it", Kind::json_list, "/inputsRotation", kWhat},
    {"--inputs-template", "JSON", "Input of each run without a rotation", Kind::json, "/inputsTemplate", kWhat},
    {"--metadata", "KEY=VALUE", "Passed to every run; may be repeated", Kind::pairs, "/target/metadata", kWhat},
    {"--queue", "NAME", "Queue that workers claim from [default]", Kind::text, "/target/queue", kWhat},
    {"--connection", "NAME", "Connection to deliver tasks to [own queue]", Kind::text, "/target/connection", kWhat},
    {"--priority", "N", "Higher numbers are claimed first", Kind::number, "/target/priority", kWhat},
    {"--assignee", "TYPE:ID", "agent:ID or team:ID that does the work", Kind::text, "", kWhat},

    {"--overlap", "POLICY",
     "If the last run is still going: skip, buffer_one, buffer_all, allow_all, cancel_other or terminate_other [skip]",
     Kind::text, "/overlapPolicy", kHow},
    {"--max-concurrency", "N", "Maximum number of runs in flight", Kind::number, "/maxConcurrency", kHow},
    {"--missed", "POLICY", "After downtime run: skip (nothing), fire_once, fire_all or spread [skip]", Kind::text,
     "/missedRunPolicy", kHow},
    {"--max-backfill", "N", "Maximum number that fire_all runs", Kind::number, "/maxBackfill", kHow},
    {"--missed-grace", "DURATION", "How late is missed, or auto [auto]", Kind::text, "/missedGrace", kHow},
    {"--missed-while-paused", "", "Times during a pause count as missed", Kind::yes, "/missedWhilePaused", kHow},
    {"--retries", "N", "Attempts after the first", Kind::number, "/retryPolicy/maxRetries", kHow},
    {"--backoff", "DURATION", "Delay before the first retry; doubles", Kind::milliseconds, "/retryPolicy/backoffMs",
     kHow},
    {"--retry-on", "CATEGORY", "timeout, provider_error, rate_limit or contract_violated; may be repeated [all]",
     Kind::list, "/retryPolicy/retryOn", kHow},
    {"--attempt-timeout", "DURATION", "Maximum duration of an attempt", Kind::milliseconds, "/retryPolicy/timeoutMs",
     kHow},
    {"--worker-lost", "POLICY", "If a worker disappears: redeliver or fail", Kind::text, "/workerLostPolicy", kHow},
    {"--on-failure", "MODE", "Failed node: isolate, halt or fallback", Kind::text, "/failurePolicy/mode", kHow},
    {"--fallback-assignee", "ID", "Assignee of the mode fallback", Kind::text, "/failurePolicy/fallbackAssigneeId",
     kHow},
    {"--max-runs", "N", "Delete the schedule after this many runs", Kind::number, "/maxRuns", kHow},

    {"--calendar", "NAME", "Calendar that must allow the date; may be repeated", Kind::list, "/calendars", kGates},
    {"--condition", "JSON", "Condition on the last results", Kind::json, "/preDispatchCondition", kGates},
    {"--signal", "URL", "Source of signal_rpc_result in the condition", Kind::text, "/signal/url", kGates},
    {"--signal-timeout", "DURATION", "Timeout of --signal", Kind::milliseconds, "/signal/timeoutMs", kGates},
    {"--approval", "", "Runs wait for approval", Kind::yes, "/approvalPolicy/requiresApproval", kGates},
    {"--no-approval", "", "Runs do not wait for approval", Kind::no, "/approvalPolicy/requiresApproval", kGates},
    {"--approval-mode", "MODE", "every_node, sensitive_actions or on_block", Kind::text, "/approvalPolicy/mode",
     kGates},
    {"--approval-gate", "ACTION", "Action that waits for approval; may be repeated", Kind::list,
     "/approvalPolicy/gates", kGates},
    {"--approval-expires", "DURATION", "Reject an approval after this time [24h]", Kind::milliseconds,
     "/approvalPolicy/expiresAfterMs", kGates},
    {"--breaker", "N", "Skip after this many failures in a row", Kind::number, "/breaker/maxConsecutiveFailures",
     kGates},
    {"--breaker-retry-after", "DURATION", "Allow one run after this time", Kind::text, "/breaker/retryAfter", kGates},

    {"--description", "TEXT", "What it is for", Kind::text, "/description", kAbout},
    {"--notes", "TEXT", "Notes for operators", Kind::text, "/notes", kAbout},
    {"-l,--label", "KEY=VALUE", "Label; may be repeated", Kind::pairs, "/labels", kAbout},
    {"--memo", "JSON", "Data that Belfry stores and returns", Kind::json, "/memo", kAbout},
    {"--search-attribute", "KEY=VALUE", "Search attribute; may be repeated", Kind::pairs, "/searchAttributes", kAbout},
    {"--assignment", "ID", "Workflow assignment that it belongs to", Kind::text, "/workflowAssignmentId", kAbout},
};

}  // namespace

const std::vector<Flag>& definition_flags() { return kDefinitionFlags; }

}  // namespace belfry::app
