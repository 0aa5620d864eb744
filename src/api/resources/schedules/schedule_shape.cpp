#include "api/resources/schedules/schedule_shape.hpp"

#include <algorithm>

#include "api/contract/names.hpp"
#include "api/resources/schedules/target_forms.hpp"
#include "base/time/duration.hpp"
#include "decide/facts.hpp"
#include "model/limits.hpp"
#include "model/schedule/schedule_fields.hpp"

namespace belfry::api {

namespace {

using model::kExpiresAfterMsLeast;
using model::kExpiresAfterMsMost;
using model::kGatesMax;
using model::kMillisecondsMax;
using model::kRetriesMax;
using model::kSignalTimeoutMsMax;

constexpr std::int64_t kTextMax = model::kTextBytesMax;  // bytes of a description, of notes or of a label's value
constexpr std::int64_t kLabelsMax = 100;                 // labels, and keys of a target's metadata
constexpr std::int64_t kCalendarsMax = 100;              // attached to one schedule
constexpr std::int64_t kRotationMax = 1'000;             // entries of inputsRotation
constexpr std::int64_t kUrlMax = 2'000;                  // bytes; browsers and proxies support this length
constexpr std::int64_t kCountMax = 1'000'000'000;        // of maxRuns, maxConcurrency…; fits every counter
constexpr std::int64_t kPriorityMax = 1'000'000;

std::optional<Error> check_grace(std::string_view text) {
    if (text == "auto" || parse_duration(text)) return std::nullopt;
    return invalid("must be `auto` or a duration, for example PT5M or 5m");
}

ShapePtr target_request_shape();

ShapePtr interval_shape() {
    return record("Interval",
                  {{"every", text(), "Length of the interval, for example `PT6H` or `6h`.", Presence::required},
                   {"offset", or_null(text()), "Duration that shifts the interval from the Unix epoch."}});
}

ShapePtr schedule_type_shape() {
    return record(
        "ScheduleType",
        {{"type", one_of({"once", "recurring"}), "Whether the schedule fires `once` or is `recurring`.",
          Presence::required},
         {"runAt", text(), "Time of a `once` schedule, in RFC 3339 format."},
         {"cron", text(),
          "Cron expression of a `recurring` schedule: 5 fields, 6 with seconds first, 7 with a year last, or a macro."},
         {"timezone", text(), "IANA time zone. Defaults to UTC."},
         {"endAt", or_null(text()), "Last time of a `recurring` schedule, inclusive."},
         {"description", text(), "English description of the times. Set by the server."}});
}

std::vector<Member> definition_members() {
    return {
        {"name", name_text(), "Name of the schedule, unique in its tenant, 1 to 255 characters.", Presence::required},
        {"description", text(kTextMax), "Description of the schedule."},
        {"notes", text(kTextMax), "Free-form notes for the people who operate the schedule."},
        {"labels", map_of(text(kTextMax), kLabelsMax),
         "Key-value pairs to filter by, for example `?label=team:billing`."},
        {"memo", map_of(anything()), "Arbitrary data that Belfry stores and returns, but does not interpret."},
        {"searchAttributes", map_of(anything()), "Search attributes that Belfry stores and returns with the schedule."},
        {"spec", spec_shape(), "Times at which the schedule fires. Required unless `scheduleType` is set."},
        {"scheduleType", or_null(schedule_type_shape()),
         "Short form of `spec`. Null in responses if the spec cannot be expressed in the short form."},
        {"target", target_request_shape(), "The task or workflow that the schedule starts.", Presence::required},
        {"assignee", or_null(assignee_shape()),
         "Agent or team that does the work. If set, runs require approval and one retry is allowed, unless the "
         "schedule sets other values."},
        {"overlapPolicy", overlap_names(), "What happens when an occurrence is due while earlier runs are in flight."},
        {"maxConcurrency", or_null(integer(1, kCountMax)), "Maximum number of runs in flight at once."},
        {"missedRunPolicy", missed_names(), "What happens to missed occurrences."},
        {"maxBackfill", integer(1, decide::kMaxBackfillMax),
         "Maximum number of missed occurrences that `fire_all` runs. The newest ones count."},
        {"missedGrace", checked_text("duration-or-auto", &check_grace),
         "How late an occurrence may be before it counts as missed: an ISO 8601 duration, or `auto` for half of the "
         "time to the next occurrence, at "
         "least a minute and at most an hour. Defaults to `auto`."},
        {"missedWhilePaused", boolean(),
         "Whether occurrences during a pause count as missed when the pause ends. Defaults to false."},
        {"workerLostPolicy", worker_lost_names(),
         "What happens if the lease of a task ends without a report from its worker. `redeliver` queues the task "
         "again, at most 3 times in addition "
         "to its retries. `fail` ends the attempt as timed out."},
        {"retryPolicy",
         record("RetryPolicy", {{"maxRetries", integer(0, kRetriesMax), "Maximum number of attempts after the first."},
                                {"backoffMs", integer(0, kMillisecondsMax),
                                 "Delay before the first retry, in milliseconds. It doubles with each retry."},
                                {"retryOn", list_of(category_names()),
                                 "Failure categories to retry after. An empty list retries after every failure."},
                                {"timeoutMs", or_null(integer(0, kMillisecondsMax)),
                                 "Maximum duration of an attempt, in milliseconds."}}),
         "What happens when an attempt fails."},
        {"failurePolicy",
         record("FailurePolicy",
                {{"mode", failure_names(), "What a failed node means for the rest of its run."},
                 {"fallbackAssigneeId", or_null(text(kTextMax)), "Assignee that takes over in the mode `fallback`."}}),
         "What happens when a run fails."},
        {"approvalPolicy",
         record("ApprovalPolicy",
                {{"requiresApproval", boolean(), "Whether runs wait for approval before they start."},
                 {"mode", or_null(approval_names()),
                  "Which nodes of a workflow wait for approval, even if the run was approved."},
                 {"gates", list_of(text(kTextMax), kGatesMax),
                  "Actions that always wait for approval, for example `publish`, `spend` or `delete`."},
                 {"expiresAfterMs", or_null(integer(kExpiresAfterMsLeast, kExpiresAfterMsMost)),
                  "Milliseconds after which a pending approval is rejected. Null means 24 hours."}}),
         "Approvals that a run needs before it starts."},
        {"maxRuns", or_null(integer(1, kCountMax)), "Number of runs after which the schedule deletes itself."},
        {"calendars", list_of(name_text(), kCalendarsMax),
         "Names of calendars. All of them must allow the date of an occurrence."},
        {"preDispatchCondition", or_null(anything()),
         "Condition on the last result and the last 24 hours. If it does not hold, the occurrence is skipped."},
        {"inputsTemplate", anything(), "Input of each run if there is no rotation. If null, `target.input` is used."},
        {"inputsRotation", list_of(anything(), kRotationMax), "Inputs that successive runs use in turn."},
        {"signal",
         or_null(record("Signal", {{"url", text(kUrlMax), "URL that Belfry calls before it evaluates the condition.",
                                    Presence::required},
                                   {"timeoutMs", integer(0, kSignalTimeoutMsMax),
                                    "Timeout in milliseconds. After it, the signal is null."}})),
         "Source of `signal_rpc_result` in the condition."},
        {"breaker",
         or_null(record("Breaker", {{"maxConsecutiveFailures", integer(1, kCountMax),
                                     "Number of consecutive failures that opens the breaker.", Presence::required},
                                    {"retryAfter", or_null(duration()),
                                     "Duration after which an open breaker allows one run. Success closes the breaker, "
                                     "failure opens it again. Null "
                                     "keeps it open until the schedule is resumed."}})),
         "Skips occurrences after too many consecutive failures, until the schedule is resumed."},
        {"workflowAssignmentId", or_null(name_text()),
         "Workflow assignment that the schedule belongs to. Omitted members take its values, and its approval "
         "requirements apply."},
    };
}

Needed timing() {
    return {{"spec", "scheduleType"},
            R"("spec" is missing; add the times at which it fires, for example {"cron": ["0 9 * * *"], )"
            R"("timezone": "UTC"})"};
}

// The shape of a part of a patch: omitted members stay as they are. A list is replaced as a whole, so its elements must
// be complete.
ShapePtr part_of(const ShapePtr& shape) {
    if (shape->kind != Shape::Kind::object) return shape;
    auto part = *shape;
    part.name += "Patch";
    part.example = nullptr;
    part.needed.clear();
    for (auto& member : part.members) {
        member.presence = Presence::optional;
        member.shape = part_of(member.shape);
    }
    return std::make_shared<const Shape>(std::move(part));
}

std::vector<Member> with_server_members(std::vector<Member> members) {
    for (const auto& member : server_members()) {
        if (member.name == "status") {
            members.push_back({member.name, schedule_status_names(),
                               "`paused` pauses the schedule and `active` resumes it. Unchanged if omitted."});
        } else if (member.name == "enabled") {
            members.push_back({member.name, boolean(), "Alias of `status`: false means `paused`."});
        } else {
            members.push_back({member.name, anything(), "Set by the server. Ignored in requests."});
        }
    }
    return members;
}

}  // namespace

ShapePtr assignee_shape() {
    return record("Assignee", {{"type", one_of({"agent", "team"}), "Whether the assignee is an `agent` or a `team`.",
                                Presence::required},
                               {"id", name_text(), "Identifier of the assignee.", Presence::required}});
}

ShapePtr priority_shape() { return integer(-kPriorityMax, kPriorityMax); }

Member schedule_member(std::string_view name) {
    static const auto all = definition_members();
    return *std::ranges::find(all, name, &Member::name);
}

ShapePtr spec_shape() {
    static const auto shape = with_example(
        record(
            "Spec",
            {{"cron", list_of(text(), static_cast<std::int64_t>(spec::kCronPerSpecMax)),
              "Cron expressions: 5 fields, 6 with seconds first, 7 with a year last, or a macro."},
             {"intervals", list_of(interval_shape(), static_cast<std::int64_t>(spec::kIntervalsPerSpecMax)),
              "Fixed intervals in elapsed time, counted from 1970-01-01T00:00:00Z."},
             {"at", list_of(text(), static_cast<std::int64_t>(spec::kInstantsPerSpecMax)),
              "Single points in time, in RFC 3339 format."},
             {"timezone", text(), "IANA time zone. Defaults to UTC."},
             {"startAt", or_null(text()), "Start of the window, inclusive."},
             {"endAt", or_null(text()), "End of the window, inclusive."},
             {"dst",
              record("DstRules",
                     {{"gap", one_of({"shift", "skip"}), "What happens at a local time that does not exist."},
                      {"repeat", one_of({"auto", "first", "last", "both"}),
                       "What happens at a local time that occurs twice."}}),
              "Behavior at clock changes."},
             {"jitter",
              record("Jitter",
                     {{"before", or_null(text()), "Maximum shift before the occurrence, for example `PT90S` or `90s`."},
                      {"after", or_null(text()), "Maximum shift after the occurrence."}}),
              "Shifts the fire time from the occurrence by a stable amount."},
             {"events",
              list_of(record("EventSubscription",
                             {{"name", name_text(), "Name of the event, as clients report it.", Presence::required},
                              {"filter", or_null(anything()),
                               "Condition on the payload of the event, in the language of `preDispatchCondition`. Null "
                               "matches every event."}}),
                      static_cast<std::int64_t>(spec::kEventsPerSpecMax)),
              "Events that also start the schedule, subject to the guards of a trigger. Absent if there are none."}}),
        Json{{"cron", {"0 9 * * 1-5"}}, {"timezone", "America/New_York"}});
    return shape;
}

ShapePtr target_shape() {
    static const auto shape = record(
        "Target",
        {{"type", one_of({"workflow", "task"}),
          "Type of the target. Defaults to `task` if `taskKind` is set, otherwise to `workflow`."},
         {"workflowKind", name_text(), "Kind of the workflow to start."},
         {"taskKind", name_text(),
          "Kind of the task to start. The server itself runs tasks of the kind `http` and `command`."},
         {"version", or_null(integer(1, kCountMax)), "Version of the workflow. Defaults to the newest."},
         {"input", anything(), "Input of every run. Defaults to `{}`."},
         {"metadata", map_of(text(kTextMax), kLabelsMax), "Key-value pairs that Belfry passes to every run."},
         {"queue", name_text(), "Queue that workers claim the tasks from. Defaults to `default`."},
         {"connection", or_null(name_text()),
          "Connection to deliver the tasks to. By default, Belfry uses its own queue."},
         {"priority", priority_shape(), "Priority of the tasks. Workers claim tasks with a higher priority first."},
         {"maxRetries", integer(0, kRetriesMax),
          "Alias of `retryPolicy.maxRetries` in requests. Responses do not include it."}});
    return shape;
}

namespace {

// The target of a request accepts short forms that a response never uses.
ShapePtr target_request_shape() {
    static const auto shape = [] {
        auto members = target_shape()->members;
        members.front() = {"type", one_of({"workflow", "task", "http", "command"}),
                           "Type of the target. Defaults to `task`, `http` or `command` if `taskKind`, `url` or "
                           "`command` is set, otherwise to "
                           "`workflow`. `http` and `command` are short forms of server tasks."};
        for (auto& member : target_form_members()) members.push_back(std::move(member));
        return with_needed(record("TargetRequest", std::move(members)),
                           {{"workflowKind", "taskKind", "type", "url", "command"},
                            R"(has nothing to start; add "workflowKind" for a workflow, "taskKind" for a task, )"
                            R"(or "type": "http" with a "url")"});
    }();
    return shape;
}

}  // namespace

const std::vector<Member>& server_members() {
    static const auto members = [] {
        const auto when = or_null(instant());
        std::vector<Member> all{
            {"id", uuid(), "Unique identifier of the schedule. It never changes."},
            {"tenant", text(), "Tenant that the schedule belongs to."},
            {"status", one_of({"active", "paused", "completed", "deleted"}),
             "Status of the schedule. Only an `active` schedule fires."},
            {"enabled", boolean(), "Whether the status is `active`."},
            {"unreadable", or_null(text()),
             "Why the server cannot read the definition, or null. The schedule does not fire until its definition is "
             "replaced. If no part of the "
             "definition is readable, the other members have default values."},
            {"nextRunAt", when, "Next fire time, including jitter. Null unless the schedule is active."},
            {"nextRunAtLocal", or_null(local_time()), "Next fire time in the schedule's time zone."},
            {"nextOccurrence", when, "Occurrence that fires next."},
            {"lastRunAt", when, "Time at which the schedule last started a run."},
            {"lastRunId", or_null(text()), "Unique identifier of the last run."},
            {"runCount", integer(), "Number of runs that the schedule has started."},
            {"failuresCount", integer(), "Number of those runs that failed."},
            {"remainingActions", or_null(integer()), "Number of runs left of `maxRuns`."},
            {"skippedTriggerCount", integer(), "Number of occurrences and triggers that were skipped."},
            {"lastSkipReason", or_null(text()), "Reason of the last skip."},
            {"lastSkippedAt", when, "Time of the last skip."},
            {"lastDispatchStatus", or_null(dispatch_names()), "Outcome of the last occurrence."},
            {"lastErrorAt", when, "Time at which a run last failed."},
            {"lastErrorMessage", or_null(text()), "Error message of the last failed run."},
            {"lastCompletedAt", when, "Time at which a run last ended."},
            {"lastRotationIndex", or_null(integer()), "Index of the rotation entry that the last run used."},
            {"breakerState", one_of({"none", "closed", "open"}),
             "State of the breaker. `none` means that the schedule has no breaker. An `open` breaker skips runs."},
            {"breakerOpenedAt", or_null(instant()), "Time at which the breaker last opened. Null if it is closed."},
            {"inFlightCount", integer(), "Number of runs in flight."},
            {"bufferedCount", integer(), "Number of buffered runs that wait for an earlier run to end."},
            {"pausedAt", when, "Time at which the schedule was paused."},
            {"pausedUntil", when, "Time at which the schedule resumes automatically."},
            {"pauseReason", or_null(text()), "Reason for the pause."},
            {"deletedAt", when, "Time at which the schedule was deleted."},
            {"createdBy", or_null(text()), "Principal that created the schedule."},
            {"createdAt", instant(), "Time at which the schedule was created."},
            {"updatedAt", instant(), "Time at which the definition last changed."},
            {"version", integer(1), "Version of the definition. Also sent as the ETag."},
        };
        for (auto& member : all) member.presence = Presence::required;
        all.push_back({"lastResult", anything(), "Result of the last run that ended. Not included in lists."});
        all.push_back(
            {"runKeyName", text(),
             "Name of which the idempotency keys of its runs are made, instead of `id`. Only on schedules that "
             "a client of the cron service wrote."});
        return all;
    }();
    return members;
}

ShapePtr schedule_request_shape() {
    static const auto shape = with_example(
        with_needed(record("ScheduleRequest", with_server_members(definition_members())), timing()),
        Json{{"name", "nightly-invoices"},
             {"spec", {{"cron", {"0 2 * * *"}}, {"timezone", "America/New_York"}}},
             {"target", {{"type", "workflow"}, {"workflowKind", "invoice-sync"}, {"input", {{"region", "us"}}}}}});
    return shape;
}

namespace {

ShapePtr definition_without(const std::string& name, const std::vector<std::string>& optional) {
    auto members = definition_members();
    for (auto& member : members) {
        if (std::ranges::find(optional, member.name) != optional.end()) member.presence = Presence::optional;
    }
    return with_needed(record(name, with_server_members(std::move(members))), timing());
}

// Whether a member that the server sets belongs to a version of the definition, and not to the schedule's state.
bool is_of_a_version(const Member& member) {
    return std::ranges::find(model::schedule_fields(), member.name, &model::ScheduleField::name) !=
           model::schedule_fields().end();
}

}  // namespace

ShapePtr schedule_replacement_shape() {
    static const auto shape = definition_without("ScheduleReplacement", {"name"});
    return shape;
}

ShapePtr schedule_draft_shape() {
    static const auto shape = definition_without("ScheduleDraft", {"name", "target"});
    return shape;
}

ShapePtr schedule_patch_shape() {
    static const auto shape = part_of(record("Schedule", with_server_members(definition_members())));
    return shape;
}

ShapePtr schedule_version_shape() {
    static const auto shape = [] {
        auto members = definition_members();
        for (auto& member : members) member.presence = Presence::required;
        for (const auto& member : server_members()) {
            if (is_of_a_version(member)) members.push_back(member);
        }
        return record("ScheduleVersion", std::move(members));
    }();
    return shape;
}

ShapePtr schedule_shape() {
    static const auto shape = [] {
        auto members = definition_members();
        for (auto& member : members) {
            member.presence = Presence::required;
            if (member.name == "target") member.shape = target_shape();
        }
        members.insert(members.end(), server_members().begin(), server_members().end());
        return record("Schedule", std::move(members));
    }();
    return shape;
}

}  // namespace belfry::api
