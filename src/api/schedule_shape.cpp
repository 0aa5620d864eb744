#include "api/schedule_shape.hpp"

#include <algorithm>

#include "api/names.hpp"
#include "api/target_forms.hpp"
#include "base/duration.hpp"
#include "decide/facts.hpp"
#include "model/limits.hpp"

namespace belfry::api {

namespace {

using model::kMillisecondsMax;
using model::kRetriesMax;

constexpr std::int64_t kTextMax = model::kTextBytesMax;                   // bytes of a description, of notes or of a label's value
constexpr std::int64_t kLabelsMax = 100;                                  // labels, and keys of a target's metadata
constexpr std::int64_t kTimesMax = 1'000;                                 // expressions, intervals or instants of one spec
constexpr std::int64_t kCalendarsMax = 100;                               // attached to one schedule
constexpr std::int64_t kRotationMax = 1'000;                              // entries of inputsRotation
constexpr std::int64_t kExpiresAfterMsLeast = 60LL * 1000;                // a minute
constexpr std::int64_t kExpiresAfterMsMost = 90LL * 24 * 60 * 60 * 1000;  // 90 days
constexpr std::int64_t kGatesMax = 100;                                   // of an approval policy
constexpr std::int64_t kUrlMax = 2'000;                                   // bytes, what browsers and proxies agree on
constexpr std::int64_t kCountMax = 1'000'000'000;                         // of maxRuns, maxConcurrency…: fits every counter
constexpr std::int64_t kPriorityMax = 1'000'000;

std::optional<Error> check_grace(std::string_view text) {
    if (text == "auto" || parse_duration(text)) return std::nullopt;
    return invalid("must be `auto` or a duration, for example PT5M or 5m");
}

ShapePtr target_request_shape();

ShapePtr interval_shape() {
    return record("Interval", {{"every", text(), "A duration: `PT6H` or `6h`.", Presence::required},
                               {"offset", or_null(text()), "Moves its beats away from the epoch's: a duration."}});
}

ShapePtr schedule_type_shape() {
    return record("ScheduleType", {{"type", one_of({"once", "recurring"}), "Which of the two.", Presence::required},
                                   {"runAt", text(), "Of `once`: RFC 3339."},
                                   {"cron", text(), "Of `recurring`: 5 fields, 6 with seconds first, 7 with a year last, or a macro."},
                                   {"timezone", text(), "An IANA zone; UTC when absent."},
                                   {"endAt", or_null(text()), "Of `recurring`: the last moment, included."},
                                   {"description", text(), "The same in English, by the server."}});
}

std::vector<Member> definition_members() {
    return {
        {"name", name_text(), "Unique in its tenant, 1 to 255 characters.", Presence::required},
        {"description", text(kTextMax), "What it is for."},
        {"notes", text(kTextMax), "Anything else that whoever looks at it should know."},
        {"labels", map_of(text(kTextMax), kLabelsMax), "To find it by: `?label=team:billing`."},
        {"memo", map_of(anything()), "Kept and answered, never looked at."},
        {"searchAttributes", map_of(anything()), "Kept and answered with the schedule."},
        {"spec", spec_shape(), "When it fires. This or `scheduleType`."},
        {"scheduleType", or_null(schedule_type_shape()), "The short form of `spec`; null in an answer whose spec says more than it can."},
        {"target", target_request_shape(), "What it starts.", Presence::required},
        {"assignee", or_null(assignee_shape()),
         "Who does the work; with one, approval is required and one retry is allowed unless the schedule says otherwise."},
        {"overlapPolicy", overlap_names(), "What happens when it is due while earlier runs go on."},
        {"maxConcurrency", or_null(integer(1, kCountMax)), "How many runs may go on at once."},
        {"missedRunPolicy", missed_names(), "What happens with occurrences that nobody could start in time."},
        {"maxBackfill", integer(1, decide::kMaxBackfillMax), "How many missed occurrences `fire_all` makes up for, the newest."},
        {"missedGrace", checked_text("duration-or-auto", &check_grace),
         "How late an occurrence may be before it counts as missed: an ISO 8601 duration, or `auto`, half of the time to the next occurrence, at "
         "least a minute and at most an hour. `auto` when absent."},
        {"missedWhilePaused", boolean(), "Whether what came due during a pause counts as missed when the pause ends. False when absent."},
        {"workerLostPolicy", worker_lost_names(),
         "A lease that ends without a word from its worker: `redeliver` hands the task out again, at most 3 times beside its retries; with `fail` "
         "the attempt has timed out."},
        {"retryPolicy",
         record("RetryPolicy", {{"maxRetries", integer(0, kRetriesMax), "Attempts after the first."},
                                {"backoffMs", integer(0, kMillisecondsMax), "Before the first retry; doubles with each."},
                                {"retryOn", list_of(category_names()), "Only after these failures; empty: after every one."},
                                {"timeoutMs", or_null(integer(0, kMillisecondsMax)), "How long an attempt may take."}}),
         "What happens when an attempt fails."},
        {"failurePolicy",
         record("FailurePolicy", {{"mode", failure_names(), "What a failed run does to the schedule."},
                                  {"fallbackAssigneeId", or_null(text(kTextMax)), "Of `fallback`: who takes over."}}),
         "What happens when a run fails."},
        {"approvalPolicy",
         record("ApprovalPolicy",
                {{"requiresApproval", boolean(), "Runs wait until somebody approves them."},
                 {"mode", or_null(approval_names()), "Which nodes of a workflow wait for approval, also when the run was approved."},
                 {"gates", list_of(text(kTextMax), kGatesMax), "Actions that always wait for approval: publish, spend, delete…"},
                 {"expiresAfterMs", or_null(integer(kExpiresAfterMsLeast, kExpiresAfterMsMost)),
                  "What nobody approves within this is refused; null: 24 hours."}}),
         "Who must agree before a run starts."},
        {"maxRuns", or_null(integer(1, kCountMax)), "The schedule deletes itself after so many runs."},
        {"calendars", list_of(name_text(), kCalendarsMax), "Calendars that all must allow the date."},
        {"preDispatchCondition", or_null(anything()), "A filter over the last result and the last day; it must hold, or the occurrence is skipped."},
        {"inputsTemplate", anything(), "The input of its runs, when nothing rotates; `target.input` when it is null."},
        {"inputsRotation", list_of(anything(), kRotationMax), "Inputs that its runs take in turn."},
        {"signal",
         or_null(record("Signal", {{"url", text(kUrlMax), "Asked before the condition is judged.", Presence::required},
                                   {"timeoutMs", integer(0, kMillisecondsMax), "After this long the signal is null."}})),
         "Where `signal_rpc_result` of the condition comes from."},
        {"breaker",
         or_null(record("Breaker", {{"maxConsecutiveFailures", integer(1, kCountMax), "So many, and it opens.", Presence::required},
                                    {"retryAfter", or_null(duration()),
                                     "After this long it lets one run through: success closes it, failure opens it again. Null: it stays open "
                                     "until the schedule is resumed."}})),
         "Skips runs after so many failures in a row, until the schedule is resumed."},
        {"workflowAssignmentId", or_null(name_text()),
         "The workflow assignment that it is on: what it leaves out is that one's, and what that one wants approved is."},
    };
}

Needed timing() {
    return {{"spec", "scheduleType"}, R"("spec" is missing; say when it fires, for example {"cron": ["0 9 * * *"], "timezone": "UTC"})"};
}

// A part of a patch: what is not said stays. Lists are replaced as a whole, so their elements are whole.
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
            members.push_back({member.name, schedule_status_names(), "`paused` pauses it and `active` resumes it; as it is when absent."});
        } else if (member.name == "enabled") {
            members.push_back({member.name, boolean(), "The same in another word: `false` is `paused`."});
        } else {
            members.push_back({member.name, anything(), "The server's own; not looked at in a request."});
        }
    }
    return members;
}

}  // namespace

ShapePtr assignee_shape() {
    return record("Assignee", {{"type", one_of({"agent", "team"}), "Which of the two.", Presence::required},
                               {"id", name_text(), "Whose work it is.", Presence::required}});
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
            {{"cron", list_of(text(), kTimesMax), "Cron expressions: 5 fields, 6 with seconds first, 7 with a year last, or a macro."},
             {"intervals", list_of(interval_shape(), kTimesMax), "Beats in real time, anchored at 1970-01-01T00:00:00Z."},
             {"at", list_of(text(), kTimesMax), "Single instants, RFC 3339."},
             {"timezone", text(), "An IANA zone; UTC when absent."},
             {"startAt", or_null(text()), "The first moment, included."},
             {"endAt", or_null(text()), "The last moment, included."},
             {"dst",
              record("DstRules", {{"gap", one_of({"shift", "skip"}), "A local time that does not exist."},
                                  {"repeat", one_of({"auto", "first", "last", "both"}), "A local time that happens twice."}}),
              "What happens when clocks change."},
             {"jitter", record("Jitter", {{"before", or_null(text()), "A duration: `PT90S` or `90s`."}, {"after", or_null(text()), "A duration."}}),
              "Moves the fire time, by a stable amount, away from the occurrence."},
             {"events",
              list_of(record("EventSubscription", {{"name", name_text(), "Of the event, as its reports name it.", Presence::required},
                                                   {"filter", or_null(anything()),
                                                    "A condition on the payload, in the language of preDispatchCondition; null: every one."}}),
                      static_cast<std::int64_t>(spec::kEventsPerSpecMax)),
              "Events that start it besides, under the guards of a trigger; absent when there are none."}}),
        Json{{"cron", {"0 9 * * 1-5"}}, {"timezone", "America/New_York"}});
    return shape;
}

ShapePtr target_shape() {
    static const auto shape =
        record("Target", {{"type", one_of({"workflow", "task"}), "A workflow when absent, unless it has a `taskKind`."},
                          {"workflowKind", name_text(), "Of a workflow: which one."},
                          {"taskKind", name_text(), "Of a task: which one; the server itself does `http` and `command`."},
                          {"version", or_null(integer(1, kCountMax)), "Of the workflow; the newest when absent."},
                          {"input", anything(), "What every run is given; `{}` when absent."},
                          {"metadata", map_of(text(kTextMax), kLabelsMax), "Texts that are passed on with every run."},
                          {"queue", name_text(), "Where workers look for it; `default` when absent."},
                          {"connection", or_null(name_text()), "Where tasks are handed over; the built-in queue when absent."},
                          {"priority", priority_shape(), "Higher ones are claimed first."},
                          {"maxRetries", integer(0, kRetriesMax), "In a request, the same as `retryPolicy.maxRetries`, where answers have it."}});
    return shape;
}

namespace {

// What a request may say in fewer words, and an answer never does.
ShapePtr target_request_shape() {
    static const auto shape = [] {
        auto members = target_shape()->members;
        members.front() = {
            "type", one_of({"workflow", "task", "http", "command"}),
            "A workflow when absent, unless it has a `taskKind`, a `url` or a `command`. `http` and `command` are the server's own tasks, "
            "written short."};
        for (auto& member : target_form_members()) members.push_back(std::move(member));
        return with_needed(record("TargetRequest", std::move(members)),
                           {{"workflowKind", "taskKind", "type", "url", "command"},
                            R"(says nothing to start; add "workflowKind" for a workflow, "taskKind" for a task, or "type": "http" with a "url")"});
    }();
    return shape;
}

}  // namespace

const std::vector<Member>& server_members() {
    static const auto members = [] {
        const auto when = or_null(instant());
        std::vector<Member> all{
            {"id", uuid(), "Never changes."},
            {"tenant", text(), "Where it lives."},
            {"status", one_of({"active", "paused", "completed", "deleted"}), "Only an active one fires."},
            {"enabled", boolean(), "Whether it is active."},
            {"unreadable", or_null(text()),
             "Why the server cannot read its definition; null when it can. Until somebody replaces it, it does not fire. When nothing of the "
             "definition "
             "can be read, the other members have defaults."},
            {"nextRunAt", when, "When it fires next, with jitter; null while it is not active."},
            {"nextRunAtLocal", or_null(local_time()), "The same in its own zone."},
            {"nextOccurrence", when, "The occurrence that fires next."},
            {"lastRunAt", when, "When it last started a run."},
            {"lastRunId", or_null(text()), "That run."},
            {"runCount", integer(), "Runs that it has started."},
            {"failuresCount", integer(), "Of them, those that failed."},
            {"remainingActions", or_null(integer()), "Runs left of `maxRuns`."},
            {"skippedTriggerCount", integer(), "Occurrences and triggers that were skipped."},
            {"lastSkipReason", or_null(text()), "Why the last one was."},
            {"lastSkippedAt", when, "When that was."},
            {"lastDispatchStatus", or_null(dispatch_names()), "What its last occurrence came to."},
            {"lastErrorAt", when, "When a run last failed."},
            {"lastErrorMessage", or_null(text()), "And why."},
            {"lastCompletedAt", when, "When a run last ended."},
            {"lastRotationIndex", or_null(integer()), "The input that the last run took."},
            {"breakerState", one_of({"none", "closed", "open"}), "`none`: the schedule has no breaker. An open one skips runs."},
            {"breakerOpenedAt", or_null(instant()), "When the breaker opened last; null: it is closed."},
            {"inFlightCount", integer(), "Runs that go on now."},
            {"bufferedCount", integer(), "Occurrences that wait for a run to end."},
            {"pausedAt", when, "Since when it is paused."},
            {"pausedUntil", when, "When it goes on by itself."},
            {"pauseReason", or_null(text()), "Why it is paused."},
            {"deletedAt", when, "When it was deleted."},
            {"createdBy", or_null(text()), "Who made it."},
            {"createdAt", instant(), "When that was."},
            {"updatedAt", instant(), "When its definition last changed."},
            {"version", integer(1), "Of its definition; also the ETag."},
        };
        for (auto& member : all) member.presence = Presence::required;
        all.push_back({"lastResult", anything(), "What the last run that ended gave; not in lists."});
        return all;
    }();
    return members;
}

ShapePtr schedule_request_shape() {
    static const auto shape = with_example(with_needed(record("ScheduleRequest", with_server_members(definition_members())), timing()),
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

}  // namespace

// What the server says of a definition, whatever becomes of the schedule.
namespace {
constexpr std::array<std::string_view, 6> kOfAVersion{"id", "tenant", "createdBy", "createdAt", "updatedAt", "version"};
}

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
            if (std::ranges::find(kOfAVersion, member.name) != kOfAVersion.end()) members.push_back(member);
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
