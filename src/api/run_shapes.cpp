#include "api/run_shapes.hpp"

#include "api/names.hpp"
#include "api/schedule_shape.hpp"
#include "api/usage_dto.hpp"

namespace belfry::api {

ShapePtr answer_record(std::string name, std::vector<Member> members) {
    for (auto& member : members) member.presence = Presence::required;
    return record(std::move(name), std::move(members));
}

ShapePtr page_with_more(std::string name, const ShapePtr& element) {
    auto members = page_of(element)->members;
    members.push_back({"hasMore", boolean(), "There is a next page."});
    return answer_record(std::move(name), std::move(members));
}

namespace {

ShapePtr answer(std::string name, std::vector<Member> members) { return answer_record(std::move(name), std::move(members)); }

ShapePtr approval_outcome() { return one_of({"pending", "approved", "rejected", "expired", "void", "not_required"}); }

constexpr std::int64_t kRetryAfterMsMost = 60LL * 60 * 1000;

ShapePtr skipped_range_shape() {
    return answer("SkippedRange", {{"last", instant(), "The last occurrence of the record."},
                                   {"count", integer(), "How many it stands for."},
                                   {"atLeast", boolean(), "There may be more: counting is bounded."}});
}

}  // namespace

ShapePtr approval_shape() {
    static const auto shape =
        answer("Approval",
               {{"runId", text(), "The run."},
                {"scheduleId", or_null(uuid()), "Its schedule."},
                {"scheduleName", or_null(text()), "The name of that schedule when the run was decided."},
                {"scheduleVersion", or_null(integer()), "The version of the definition that decided the run."},
                {"definitionChanged", boolean(), "Whether the schedule has been changed since. An approval starts what is shown here all the same."},
                {"target", or_null(map_of(anything())), "What starts. `version` is that of the workflow that will run."},
                {"input", anything(), "What it starts with: the run, or the node."},
                {"node", or_null(text()), "Of the run's workflow; null: the run as a whole."},
                {"action", or_null(text()), "What kind of deed the node is, as the workflow says."},
                {"why", one_of({"run", "every_node", "sensitive_action", "gate", "blocked"}), "What asks for it."},
                {"status", approval_status_names(), "`void`: the run ended first."},
                {"attempts", integer(0), "How often the node was tried before; not 0 when it was blocked."},
                {"requestedAt", instant(), "When it was asked for."},
                {"expiresAt", instant(), "When it is too late to decide."},
                {"decidedAt", or_null(instant()), "When it was decided, or was over otherwise."},
                {"decidedBy", or_null(text()), "Who decided; null: nobody did."},
                {"comment", or_null(text()), "What they said."}});
    return shape;
}

ShapePtr run_shape() {
    static const auto shape =
        answer("Run", {{"id", text(), "Never changes."},
                       {"idempotencyKey", text(), "Goes with whatever leaves the server on behalf of this run."},
                       {"instanceId", text(), "`schedule:{name}:{time}`."},
                       {"scheduleId", uuid(), "Whose run it is."},
                       {"scheduleName", text(), "The name of that schedule when the run was decided."},
                       {"scheduleVersion", integer(), "The version of the definition that decided it. A run keeps its target, policies and labels."},
                       {"labels", map_of(text()), "Of the schedule when the run was decided."},
                       {"memo", anything(), "Of the schedule when the run was decided."},
                       {"searchAttributes", anything(), "Of the schedule when the run was decided."},
                       {"scheduledAt", instant(), "The occurrence."},
                       {"fireAt", instant(), "The occurrence with its jitter."},
                       {"decidedAt", instant(), "When it was decided."},
                       {"startedAt", or_null(instant()), "When a worker first took it."},
                       {"completedAt", or_null(instant()), "When it ended."},
                       {"status", run_state_names(), "What it is doing, or how it ended."},
                       {"outcome", one_of({"running", "completed", "failed", "skipped"}), "The same in four words; `running` until it is over."},
                       {"dispatchStatus", dispatch_names(), "What was decided."},
                       {"reason", or_null(reason_names()), "Why it was skipped."},
                       {"detail", or_null(text()), "The same in words."},
                       {"cause", cause_names(), "What asked for it."},
                       {"triggerNumber", or_null(integer()), "Its place among the schedule's dispatched runs."},
                       {"targetType", one_of({"workflow", "task"}), "What it starts."},
                       {"targetId", or_null(text()), "The execution; null when nothing was started."},
                       {"input", anything(), "What it was given."},
                       {"rotationIndex", or_null(integer()), "Which entry of inputsRotation that was."},
                       {"overlapPolicy", overlap_names(), "By which it was decided."},
                       {"result", anything(), "What it gave."},
                       {"error", or_null(text()), "Why it failed."},
                       {"attempts", integer(), "How often it was tried."},
                       {"cost", or_null(usage_shape()), "What its workers have reported to have used; null: nothing."},
                       {"approvalStatus", approval_outcome(), "Of all that was to be approved in it: `pending` while anybody is waited for."},
                       {"range", or_null(skipped_range_shape()), "A record of many skipped occurrences, from `scheduledAt` on."}});
    return shape;
}

ShapePtr task_shape() {
    static const auto shape = answer("Task", {{"runId", text(), "The run that it belongs to."},
                                              {"attempt", integer(1), "With the run the token of the lease."},
                                              {"leaseUntil", instant(), "Prolong it before, or somebody else gets the task."},
                                              {"idempotencyKey", text(), "The same for every attempt."},
                                              {"instanceId", text(), "`schedule:{name}:{time}`."},
                                              {"scheduleId", uuid(), "The schedule."},
                                              {"scheduleName", text(), "Its name."},
                                              {"scheduledAt", instant(), "The occurrence."},
                                              {"cause", cause_names(), "What asked for the run."},
                                              {"node", or_null(text()), "Of the run's workflow; null: the run's only task. Send it back."},
                                              {"taskKind", text(), "What to do."},
                                              {"action", or_null(text()), "What kind of deed that is, as the workflow says: `publish`, `spend`…"},
                                              {"assignee", or_null(text()), "For whom the task is; null: for every worker of the queue."},
                                              {"workflowVersion", or_null(integer(1)), "Of the workflow that the run walks."},
                                              {"target", target_shape(), "What the schedule starts."},
                                              {"input", anything(), "With what."},
                                              {"timeoutMs", or_null(integer()), "How long the attempt may take."}});
    return shape;
}

ShapePtr lease_shape() {
    static const auto shape =
        record("Lease", {{"runId", text(), "The run.", Presence::required},
                         {"attempt", integer(1, std::numeric_limits<int>::max()), "As the claim answered it.", Presence::required},
                         node_member()});
    return shape;
}

Member node_member() { return {"node", or_null(text()), "As the claim answered it; null or absent: the run's only task."}; }

ShapePtr node_shape() {
    static const auto shape =
        answer("NodeRun",
               {{"node", text(), "Its id in the workflow; empty: the run's only task."},
                {"status", one_of({"waiting", "queued", "running", "succeeded", "failed", "timed_out", "cancelled", "skipped", "awaiting_approval"}),
                 "How it stands."},
                {"attempts", integer(), "How often it was tried."},
                {"queue", or_null(text()), "Where its task stands."},
                {"assignee", or_null(text()), "For whom alone."},
                {"readyAt", or_null(instant()), "When its task may be claimed."},
                {"startedAt", or_null(instant()), "The newest attempt."},
                {"completedAt", or_null(instant()), "When it was over."},
                {"timeoutMs", or_null(integer()), "How long an attempt may take."},
                {"input", anything(), "With its references resolved."},
                {"result", anything(), "What it gave."},
                {"error", or_null(text()), "Why the newest attempt failed, or why it was never tried."},
                {"category", or_null(category_names()), "What kind of failure that was."},
                {"approvalStatus", approval_outcome(), "What was said when somebody was last asked for it."},
                {"cost", or_null(usage_shape()), "What its workers have reported to have used; null: nothing."}});
    return shape;
}

ShapePtr run_event_shape() {
    static const auto shape = answer("RunEvent", {{"sequence", integer(1), "1, 2, 3…"},
                                                  {"type", text(), "`ScheduleTriggered`, `run.started`, `node.failed`…"},
                                                  {"recordedAt", instant(), "When it happened."},
                                                  {"node", or_null(text()), "Null: the run as a whole."},
                                                  {"payload", map_of(anything()), "What there is to say about it."}});
    return shape;
}

ShapePtr backfill_shape() {
    static const auto shape =
        answer("Backfill", {{"id", uuid(), "Never changes."},
                            {"scheduleId", uuid(), "The schedule."},
                            {"from", instant(), "The first occurrence, included."},
                            {"to", instant(), "The last, included."},
                            {"overlapPolicy", or_null(overlap_names()), "Instead of `concurrency`."},
                            {"concurrency", or_null(integer(1)), "So many of its runs go on at once; null: overlap policies decide."},
                            {"rerun", rerun_names(), "Which occurrences it runs."},
                            {"status", one_of({"running", "paused", "completed", "cancelled", "failed"}), "How it stands."},
                            {"nextFrom", or_null(instant()), "Where it goes on."},
                            {"dispatched", integer(), "Runs so far."},
                            {"skipped", integer(), "Occurrences that it passed over."},
                            {"error", or_null(text()), "Why it failed."},
                            {"createdBy", or_null(text()), "Who asked for it."},
                            {"createdAt", instant(), "When that was."},
                            {"updatedAt", instant(), "When it last went on."},
                            {"version", integer(1), "Grows with every step."}});
    return shape;
}

ShapePtr event_shape() {
    static const auto shape = answer("Event", {{"sequence", integer(1), "1, 2, 3… without gaps."},
                                               {"type", text(), "`ScheduleCreated`, `ScheduleTriggered`…"},
                                               {"recordedAt", instant(), "When it was decided."},
                                               {"payload", map_of(anything()), "What happened, to whom, why, and who asked."},
                                               {"hash", text(), "Chains it to all events before it."}});
    return shape;
}

ShapePtr preview_row_shape() {
    static const auto shape = answer(
        "PreviewRow", {{"occurrence", instant(), "The instant."},
                       {"local", local_time(), "The same in the schedule's zone."},
                       {"decision", dispatch_names(), "What would happen."},
                       {"reason", or_null(reason_names()), "Why it would be skipped."},
                       {"detail", or_null(text()), "The same in words."},
                       {"inputs", anything(), "The input of the run."},
                       {"dst",
                        or_null(answer("DstMark", {{"kind", one_of({"shifted", "first_pass", "last_pass", "both_first", "both_second"}), "How."},
                                                   {"nominal", local_time(), "The local time that the expression means."}})),
                        "What a change of clocks did to it."}});
    return shape;
}

ShapePtr planned_run_shape() {
    static const auto shape = answer("PlannedRun", {{"scheduledAt", instant(), "The occurrence."},
                                                    {"decision", dispatch_names(), "What would happen."},
                                                    {"reason", or_null(reason_names()), "Why it would be skipped."},
                                                    {"detail", or_null(text()), "The same in words."},
                                                    {"input", anything(), "The input of the run."}});
    return shape;
}

ShapePtr simulated_run_shape() {
    static const auto shape =
        answer("SimulatedRun", {{"decidedAt", instant(), "When it would be decided."},
                                {"scheduledAt", instant(), "The occurrence."},
                                {"fireAt", instant(), "The occurrence with its jitter."},
                                {"decision", dispatch_names(), "What would happen in the end: a buffered run that had its turn is dispatched."},
                                {"reason", or_null(reason_names()), "Why it would be skipped."},
                                {"detail", or_null(text()), "The same in words."},
                                {"input", anything(), "The input of the run."},
                                {"rotationIndex", or_null(integer()), "Which entry of inputsRotation that is."},
                                {"range", or_null(skipped_range_shape()), "A record of many skipped occurrences."},
                                {"endedAt", or_null(instant()), "When it would end; null: after the simulation."},
                                {"end", or_null(one_of({"succeeded", "failed", "cancelled", "terminated", "timed_out"})), "How."}});
    return shape;
}

std::vector<Member> attempt_end_members() {
    return {{"status", one_of({"succeeded", "failed", "timed_out", "cancelled", "terminated"}), "How it ended.", Presence::required},
            {"category", category_names(), "What kind of failure it was: the retry policy may look at it."},
            {"result", anything(), "What it gave."},
            {"error", text(), "Why it failed."},
            {"retryAfterMs", integer(0, kRetryAfterMsMost), "How long at least the next attempt should wait."},
            usage_member()};
}

}  // namespace belfry::api
