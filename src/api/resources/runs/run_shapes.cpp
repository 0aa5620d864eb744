#include "api/resources/runs/run_shapes.hpp"

#include "api/contract/names.hpp"
#include "api/resources/schedules/schedule_shape.hpp"
#include "api/resources/tenants/usage_dto.hpp"
#include "model/limits.hpp"

namespace belfry::api {

ShapePtr answer_record(std::string name, std::vector<Member> members) {
    for (auto& member : members) member.presence = Presence::required;
    return record(std::move(name), std::move(members));
}

ShapePtr page_with_more(std::string name, const ShapePtr& element) {
    auto members = page_of(element)->members;
    members.push_back({"hasMore", boolean(), "Whether there is a next page."});
    return answer_record(std::move(name), std::move(members));
}

namespace {

ShapePtr answer(std::string name, std::vector<Member> members) {
    return answer_record(std::move(name), std::move(members));
}

ShapePtr approval_outcome() { return one_of({"pending", "approved", "rejected", "expired", "void", "not_required"}); }

constexpr std::int64_t kRetryAfterMsMost = 60LL * 60 * 1000;

ShapePtr skipped_range_shape() {
    return answer("SkippedRange",
                  {{"last", instant(), "Last occurrence that the record covers."},
                   {"count", integer(), "Number of occurrences that the record covers."},
                   {"atLeast", boolean(), "Whether there may be more occurrences, because counting is bounded."}});
}

}  // namespace

ShapePtr approval_shape() {
    static const auto shape = answer(
        "Approval",
        {{"runId", text(), "Unique identifier of the run."},
         {"scheduleId", or_null(uuid()), "Unique identifier of the schedule."},
         {"scheduleName", or_null(text()), "Name of the schedule when the run was decided."},
         {"scheduleVersion", or_null(integer()), "Version of the definition that decided the run."},
         {"definitionChanged", boolean(),
          "Whether the schedule has changed since. An approval still starts what is shown here."},
         {"target", or_null(map_of(anything())),
          "Target that the approval starts. `version` is the workflow version that will run."},
         {"input", anything(), "Input of the run or node."},
         {"node", or_null(text()), "Node that waits for approval. Null means the run as a whole."},
         {"action", or_null(text()), "Action of the node, as the workflow defines it."},
         {"why", one_of({"run", "every_node", "sensitive_action", "gate", "blocked"}), "Why the approval is required."},
         {"status", approval_status_names(),
          "Status of the approval. `void` means that the run ended before a decision."},
         {"attempts", integer(0), "Number of earlier attempts of the node. Greater than 0 if the node was blocked."},
         {"requestedAt", instant(), "Time at which the approval was requested."},
         {"expiresAt", instant(), "Time after which the approval can no longer be decided."},
         {"decidedAt", or_null(instant()), "Time at which the approval was decided or ended otherwise."},
         {"decidedBy", or_null(text()), "Principal that decided. Null if there was no decision."},
         {"comment", or_null(text()), "Comment of the decision."}});
    return shape;
}

ShapePtr run_shape() {
    static const auto shape = answer(
        "Run",
        {{"id", text(), "Unique identifier of the run."},
         {"idempotencyKey", text(),
          "Key that Belfry sends with every outgoing request or message for this run. Receivers use it to drop "
          "repeats."},
         {"instanceId", text(), "Readable name of the run: `schedule:{name}:{time}`."},
         {"scheduleId", uuid(), "Unique identifier of the schedule."},
         {"scheduleName", text(), "Name of the schedule when the run was decided."},
         {"scheduleVersion", integer(),
          "Version of the definition that decided the run. The run keeps the target, policies and labels of that "
          "version."},
         {"labels", map_of(text()), "Labels of the schedule when the run was decided."},
         {"memo", anything(), "Memo of the schedule when the run was decided."},
         {"searchAttributes", anything(), "Search attributes of the schedule when the run was decided."},
         {"scheduledAt", instant(), "Time of the occurrence."},
         {"fireAt", instant(), "Fire time: the occurrence plus its jitter."},
         {"decidedAt", instant(), "Time at which the server decided the occurrence."},
         {"startedAt", or_null(instant()), "Time at which a worker first claimed the run."},
         {"completedAt", or_null(instant()), "Time at which the run ended."},
         {"status", run_state_names(), "Current state of the run, or how it ended."},
         {"outcome", one_of({"running", "completed", "failed", "skipped"}),
          "Simplified `status`. It is `running` until the run ends."},
         {"dispatchStatus", dispatch_names(), "Decision for the occurrence."},
         {"reason", or_null(reason_names()), "Skip reason, if the run was skipped."},
         {"detail", or_null(text()), "Explanation of the decision."},
         {"cause", cause_names(), "What started the run."},
         {"triggerNumber", or_null(integer()), "Position among the dispatched runs of the schedule."},
         {"targetType", one_of({"workflow", "task"}), "Type of the target."},
         {"targetId", or_null(text()), "Unique identifier of the execution. Null if none was started."},
         {"input", anything(), "Input of the run."},
         {"rotationIndex", or_null(integer()), "Index of the `inputsRotation` entry that the run used."},
         {"overlapPolicy", overlap_names(), "Overlap policy that decided the run."},
         {"result", anything(), "Result of the run."},
         {"error", or_null(text()), "Error message of a failed run."},
         {"attempts", integer(), "Number of attempts."},
         {"cost", or_null(usage_shape()), "Usage that the workers of the run reported. Null if they reported none."},
         {"approvalStatus", approval_outcome(),
          "Combined status of the run's approvals. It is `pending` while any of them is."},
         {"range", or_null(skipped_range_shape()),
          "Set if the record covers several skipped occurrences, starting at `scheduledAt`."}});
    return shape;
}

ShapePtr task_shape() {
    static const auto shape = answer(
        "Task", {{"runId", text(), "Unique identifier of the run."},
                 {"attempt", integer(1), "Number of the attempt. Identifies the lease together with `runId`."},
                 {"leaseUntil", instant(),
                  "End of the lease. Renew it before this time, or another worker may claim the task."},
                 {"idempotencyKey", text(), "Key that is the same for every attempt."},
                 {"instanceId", text(), "Readable name of the run: `schedule:{name}:{time}`."},
                 {"scheduleId", uuid(), "Unique identifier of the schedule."},
                 {"scheduleName", text(), "Name of the schedule."},
                 {"scheduledAt", instant(), "Time of the occurrence."},
                 {"cause", cause_names(), "What started the run."},
                 {"node", or_null(text()),
                  "Node of the run's workflow. Null if the run has only this task. Send it back with heartbeats and "
                  "completions."},
                 {"taskKind", text(), "Kind of the task, which decides what the worker does."},
                 {"action", or_null(text()),
                  "Action of the task, as the workflow defines it, for example `publish` or `spend`."},
                 {"assignee", or_null(text()), "Assignee of the task. Null if any worker of the queue may claim it."},
                 {"workflowVersion", or_null(integer(1)), "Version of the workflow that the run uses."},
                 {"target", target_shape(), "Target of the schedule."},
                 {"input", anything(), "Input of the task."},
                 {"timeoutMs", or_null(integer()), "Maximum duration of the attempt, in milliseconds."}});
    return shape;
}

ShapePtr lease_shape() {
    static const auto shape = record("Lease", {{"runId", text(), "Unique identifier of the run.", Presence::required},
                                               {"attempt", integer(1, std::numeric_limits<int>::max()),
                                                "Number of the attempt, as returned by the claim.", Presence::required},
                                               node_member()});
    return shape;
}

Member node_member() {
    return {"node", or_null(text()), "Node, as returned by the claim. Null or omitted if the run has only one task."};
}

ShapePtr node_shape() {
    static const auto shape = answer(
        "NodeRun",
        {{"node", text(), "Identifier of the node in the workflow. Empty if the run has only one task."},
         {"status",
          one_of({"waiting", "queued", "running", "succeeded", "failed", "timed_out", "cancelled", "skipped",
                  "awaiting_approval"}),
          "Status of the node."},
         {"attempts", integer(), "Number of attempts."},
         {"queue", or_null(text()), "Queue of the node's task."},
         {"assignee", or_null(text()), "The only assignee that may claim the task."},
         {"readyAt", or_null(instant()), "Time from which workers can claim the task."},
         {"startedAt", or_null(instant()), "Time at which the newest attempt started."},
         {"completedAt", or_null(instant()), "Time at which the node ended."},
         {"timeoutMs", or_null(integer()), "Maximum duration of an attempt, in milliseconds."},
         {"input", anything(), "Input of the node, with its references resolved."},
         {"result", anything(), "Result of the node."},
         {"error", or_null(text()), "Error message of the newest attempt, or why the node was never tried."},
         {"category", or_null(category_names()), "Category of the failure."},
         {"approvalStatus", approval_outcome(), "Status of the node's newest approval."},
         {"cost", or_null(usage_shape()), "Usage that the workers of the node reported. Null if they reported none."}});
    return shape;
}

ShapePtr run_event_shape() {
    static const auto shape =
        answer("RunEvent",
               {{"sequence", integer(1), "Position in the history of the run: 1, 2, 3…"},
                {"type", text(), "Type of the event, for example `ScheduleTriggered`, `run.started` or `node.failed`."},
                {"recordedAt", instant(), "Time of the event."},
                {"node", or_null(text()), "Node that the event is about. Null means the run as a whole."},
                {"payload", map_of(anything()), "Details of the event."}});
    return shape;
}

ShapePtr backfill_shape() {
    static const auto shape = answer(
        "Backfill",
        {{"id", uuid(), "Unique identifier of the backfill."},
         {"scheduleId", uuid(), "Unique identifier of the schedule."},
         {"from", instant(), "First occurrence of the range, inclusive."},
         {"to", instant(), "Last occurrence of the range, inclusive."},
         {"overlapPolicy", or_null(overlap_names()), "Overlap policy used instead of `concurrency`."},
         {"concurrency", or_null(integer(1)),
          "Maximum number of its runs in flight at once. Null if an overlap policy decides."},
         {"rerun", rerun_names(), "Which occurrences the backfill runs."},
         {"status", one_of({"running", "paused", "completed", "cancelled", "failed"}), "Status of the backfill."},
         {"nextFrom", or_null(instant()), "Occurrence from which the backfill continues."},
         {"dispatched", integer(), "Number of runs dispatched so far."},
         {"skipped", integer(), "Number of occurrences skipped so far."},
         {"error", or_null(text()), "Error message of a failed backfill."},
         {"createdBy", or_null(text()), "Principal that started the backfill."},
         {"createdAt", instant(), "Time at which the backfill was created."},
         {"updatedAt", instant(), "Time at which the backfill last made progress."},
         {"version", integer(1), "Version of the backfill. It increases with every step."}});
    return shape;
}

ShapePtr event_shape() {
    static const auto shape = answer(
        "Event",
        {{"sequence", integer(1), "Position in the history of the schedule: 1, 2, 3… without gaps."},
         {"type", text(), "Type of the event, for example `ScheduleCreated` or `ScheduleTriggered`."},
         {"recordedAt", instant(), "Time at which the server recorded the event."},
         {"payload", map_of(anything()), "Details of the event: what happened, why, and which principal requested it."},
         {"hash", text(), "Hash that chains the event to all earlier ones."}});
    return shape;
}

ShapePtr preview_row_shape() {
    static const auto shape =
        answer("PreviewRow",
               {{"occurrence", instant(), "Time of the occurrence."},
                {"local", local_time(), "Time of the occurrence in the schedule's time zone."},
                {"decision", dispatch_names(), "Decision that the guards would make."},
                {"reason", or_null(reason_names()), "Skip reason, if the occurrence would be skipped."},
                {"detail", or_null(text()), "Explanation of the decision."},
                {"inputs", anything(), "Input of the run."},
                {"dst",
                 or_null(answer("DstMark",
                                {{"kind", one_of({"shifted", "first_pass", "last_pass", "both_first", "both_second"}),
                                  "How the clock change affects the occurrence."},
                                 {"nominal", local_time(), "Local time that the expression matches."}})),
                 "Effect of a clock change on the occurrence."}});
    return shape;
}

ShapePtr planned_run_shape() {
    static const auto shape =
        answer("PlannedRun", {{"scheduledAt", instant(), "Time of the occurrence."},
                              {"decision", dispatch_names(), "Decision that the guards would make."},
                              {"reason", or_null(reason_names()), "Skip reason, if the occurrence would be skipped."},
                              {"detail", or_null(text()), "Explanation of the decision."},
                              {"input", anything(), "Input of the run."}});
    return shape;
}

ShapePtr simulated_run_shape() {
    static const auto shape = answer(
        "SimulatedRun",
        {{"decidedAt", instant(), "Time at which the server would decide the occurrence."},
         {"scheduledAt", instant(), "Time of the occurrence."},
         {"fireAt", instant(), "Fire time: the occurrence plus its jitter."},
         {"decision", dispatch_names(), "Final decision. A buffered run that was released is `dispatched`."},
         {"reason", or_null(reason_names()), "Skip reason, if the occurrence would be skipped."},
         {"detail", or_null(text()), "Explanation of the decision."},
         {"input", anything(), "Input of the run."},
         {"rotationIndex", or_null(integer()), "Index of the `inputsRotation` entry that the run would use."},
         {"range", or_null(skipped_range_shape()), "Set if the record covers several skipped occurrences."},
         {"endedAt", or_null(instant()), "Time at which the run would end. Null if it ends after the simulation."},
         {"end", or_null(one_of({"succeeded", "failed", "cancelled", "terminated", "timed_out"})),
          "How the run would end."}});
    return shape;
}

std::vector<Member> attempt_end_members() {
    return {{"status", one_of({"succeeded", "failed", "timed_out", "cancelled", "terminated"}),
             "How the attempt ended.", Presence::required},
            {"category", category_names(), "Category of the failure. The retry policy can depend on it."},
            {"result", anything(static_cast<std::int64_t>(model::kResultBytesMax)),
             "Result of the attempt, at most 1 MiB."},
            {"error", text(), "Error message of the attempt. Belfry keeps the first 64 KiB."},
            {"retryAfterMs", integer(0, kRetryAfterMsMost), "Minimum delay before the next attempt, in milliseconds."},
            usage_member()};
}

}  // namespace belfry::api
