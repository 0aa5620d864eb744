#include "api/resources/runs/run_dto.hpp"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <span>

#include "api/contract/json_values.hpp"
#include "api/resources/tenants/usage_dto.hpp"
#include "base/text/enum_names.hpp"
#include "decide/approval/gate.hpp"
#include "model/limits.hpp"
#include "model/run/run_key.hpp"
#include "model/schedule/cause.hpp"
#include "model/schedule/schedule_json.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using store::RunState;

constexpr std::array<EnumName<RunState>, 11> kRunStates{{{RunState::awaiting_approval, "awaiting_approval"},
                                                         {RunState::queued, "queued"},
                                                         {RunState::running, "running"},
                                                         {RunState::succeeded, "succeeded"},
                                                         {RunState::failed, "failed"},
                                                         {RunState::cancelled, "cancelled"},
                                                         {RunState::terminated, "terminated"},
                                                         {RunState::timed_out, "timed_out"},
                                                         {RunState::skipped, "skipped"},
                                                         {RunState::buffered, "buffered"},
                                                         {RunState::succeeded, "completed"}}};  // an alias
constexpr std::span<const EnumName<RunState>> kRunStateNames{kRunStates};

using model::ApprovalStatus;

// Returns the most important status of a run's approvals: pending first, then those that were not approved.
Json approval_status(const std::string& run_id, std::span<const model::Approval> approvals) {
    for (const auto status : {ApprovalStatus::pending, ApprovalStatus::rejected, ApprovalStatus::expired,
                              ApprovalStatus::approved, ApprovalStatus::voided}) {
        const auto is_so = [&](const model::Approval& each) { return each.run_id == run_id && each.status == status; };
        if (std::ranges::any_of(approvals, is_so)) return Json(model::name_of(status));
    }
    return "not_required";
}

// Returns the status of the newest approval, because a node may have been blocked several times.
Json approval_status(const model::NodeRun& node, std::span<const model::Approval> approvals) {
    const auto* const newest = decide::newest_of(approvals, node.node);
    return newest == nullptr ? Json("not_required") : Json(model::name_of(newest->status));
}

Json range_json(const std::optional<model::SkippedRange>& range) {
    if (!range) return nullptr;
    return object{{"last", format_instant(range->last)}, {"count", range->count}, {"atLeast", range->at_least}};
}

// Describes the effect of a clock change. `nominal` is the local time that the expression matches.
Json dst_json(const std::optional<spec::DstMark>& mark) {
    using Kind = spec::DstMark::Kind;
    constexpr std::array<EnumName<Kind>, 5> kKinds{{{Kind::shifted, "shifted"},
                                                    {Kind::first_pass, "first_pass"},
                                                    {Kind::last_pass, "last_pass"},
                                                    {Kind::both_first, "both_first"},
                                                    {Kind::both_second, "both_second"}}};
    if (!mark) return nullptr;
    return object{{"kind", canonical_name(std::span<const EnumName<Kind>>(kKinds), mark->kind)},
                  {"nominal", format_local(mark->nominal)}};
}

// Reduces the state to four values: whether the run has ended, and how.
std::string_view outcome_of(RunState state) {
    switch (state) {
        case RunState::skipped: return "skipped";
        case RunState::succeeded: return "completed";
        case RunState::failed:
        case RunState::cancelled:
        case RunState::terminated:
        case RunState::timed_out: return "failed";
        default: return "running";
    }
}

Json reason_json(const std::optional<model::SkipReason>& reason) {
    return reason ? Json(name_of(*reason)) : Json(nullptr);
}

}  // namespace

std::string_view name_of(RunState state) { return canonical_name(kRunStateNames, state); }
Result<RunState> parse_run_state(std::string_view text) { return parse_name(kRunStateNames, "state", text); }

Json to_json(const model::Run& run, const model::Schedule& schedule, std::span<const model::Approval> approvals) {
    const bool started = run.dispatch == model::DispatchStatus::dispatched;
    return object{{"id", run.id},
                  {"idempotencyKey", model::idempotency_key(schedule, run.slot)},
                  {"instanceId", model::instance_id(schedule.name, run.slot)},
                  {"scheduleId", run.schedule_id},
                  {"scheduleName", schedule.name},
                  {"scheduleVersion", run.version},
                  {"labels", object_of(schedule.labels)},
                  {"memo", schedule.memo},
                  {"searchAttributes", schedule.search_attributes},
                  {"scheduledAt", format_instant(run.slot.occurrence)},
                  {"fireAt", format_instant(run.fire_at)},
                  {"decidedAt", format_instant(run.decided_at)},
                  {"startedAt", or_null(run.started_at)},
                  {"completedAt", or_null(run.completed_at)},
                  {"status", name_of(store::state_of(run))},
                  {"outcome", outcome_of(store::state_of(run))},
                  {"dispatchStatus", model::name_of(run.dispatch)},
                  {"reason", reason_json(run.reason)},
                  {"detail", or_null(run.detail)},
                  {"cause", model::cause_name(run.slot, schedule)},
                  {"triggerNumber", run.trigger_number > 0 ? Json(run.trigger_number) : Json(nullptr)},
                  {"targetType", model::name_of(schedule.target.type)},
                  {"targetId", started ? Json(run.id) : Json(nullptr)},
                  {"input", run.input},
                  {"rotationIndex", or_null(run.rotation_index_used)},
                  {"overlapPolicy", model::name_of(run.overlap)},
                  {"result", run.result},
                  {"error", or_null(run.error)},
                  {"attempts", run.attempts},
                  {"cost", to_json(run.used)},
                  {"approvalStatus", approval_status(run.id, approvals)},
                  {"range", range_json(run.range)}};
}

Json to_json(const model::Task& task) {
    return object{{"runId", task.run_id},
                  {"attempt", task.attempt},
                  {"leaseUntil", format_instant(task.lease_until)},
                  {"idempotencyKey", task.idempotency_key},
                  {"instanceId", task.instance_id},
                  {"scheduleId", task.schedule_id},
                  {"scheduleName", task.schedule_name},
                  {"scheduledAt", format_instant(task.slot.occurrence)},
                  {"cause", model::cause_name(task.slot, task.immediate)},
                  {"node", or_null(task.node)},
                  {"taskKind", task.task_kind},
                  {"action", or_null(task.action)},
                  {"assignee", or_null(task.assignee)},
                  {"workflowVersion", or_null(task.workflow_version)},
                  {"target", model::to_json(task.target)},
                  {"input", task.input},
                  {"timeoutMs", task.timeout ? Json(task.timeout->count()) : Json(nullptr)}};
}

Json to_json(const model::LeaseRef& lease) {
    return object{{"runId", lease.run_id}, {"attempt", lease.attempt}, {"node", or_null(lease.node)}};
}

Json to_json(const model::Approval& approval) {
    return object{{"runId", approval.run_id},
                  {"node", or_null(approval.node)},
                  {"action", or_null(approval.action)},
                  {"why", model::name_of(approval.why)},
                  {"status", model::name_of(approval.status)},
                  {"attempts", approval.attempts},
                  {"requestedAt", format_instant(approval.requested_at)},
                  {"expiresAt", format_instant(approval.expires_at)},
                  {"decidedAt", or_null(approval.decided_at)},
                  {"decidedBy", or_null(approval.decided_by)},
                  {"comment", or_null(approval.comment)}};
}

Json to_json(const model::NodeRun& node, std::span<const model::Approval> approvals) {
    return object{
        {"node", node.node},
        {"status", model::name_of(node.status)},
        {"attempts", node.attempts},
        {"queue", or_null(node.queue)},
        {"assignee", or_null(node.assignee)},
        {"readyAt", node.status == model::NodeStatus::waiting ? Json(nullptr) : Json(format_instant(node.ready_at))},
        {"startedAt", or_null(node.started_at)},
        {"completedAt", or_null(node.completed_at)},
        {"timeoutMs", node.timeout ? Json(node.timeout->count()) : Json(nullptr)},
        {"input", node.input},
        {"result", node.result},
        {"error", or_null(node.error)},
        {"category", node.category ? Json(model::name_of(*node.category)) : Json(nullptr)},
        {"approvalStatus", approval_status(node, approvals)},
        {"cost", to_json(node.used)}};
}

Json to_json(const model::RunEvent& event) {
    return object{{"sequence", event.sequence},
                  {"type", event.type},
                  {"recordedAt", format_instant(event.at)},
                  {"node", or_null(event.node)},
                  {"payload", event.payload}};
}

Json to_json(const model::Backfill& backfill) {
    return object{{"id", backfill.id},
                  {"scheduleId", backfill.schedule_id},
                  {"from", format_instant(backfill.from)},
                  {"to", format_instant(backfill.to)},
                  {"overlapPolicy", backfill.overlap ? Json(model::name_of(*backfill.overlap)) : Json(nullptr)},
                  {"concurrency", or_null(backfill.concurrency)},
                  {"rerun", model::name_of(backfill.rerun)},
                  {"status", model::name_of(backfill.status)},
                  {"nextFrom", or_null(backfill.next_from)},
                  {"dispatched", backfill.dispatched},
                  {"skipped", backfill.skipped},
                  {"error", or_null(backfill.error)},
                  {"createdBy", or_null(backfill.created_by)},
                  {"createdAt", format_instant(backfill.created_at)},
                  {"updatedAt", format_instant(backfill.updated_at)},
                  {"version", backfill.version}};
}

Json to_json(const store::EventRecord& record) {
    return object{{"sequence", record.event.sequence},
                  {"type", model::name_of(record.event.type)},
                  {"recordedAt", format_instant(record.event.recorded_at)},
                  {"payload", record.event.payload},
                  {"hash", record.hash}};
}

Json to_json(const decide::PreviewRow& row) {
    return object{{"occurrence", format_instant(row.occurrence)},
                  {"local", format_local(row.local)},
                  {"decision", model::name_of(row.decision)},
                  {"reason", reason_json(row.reason)},
                  {"detail", or_null(row.detail)},
                  {"inputs", row.input},
                  {"dst", dst_json(row.dst)}};
}

Json to_json(const decide::PlannedRun& run) {
    return object{{"scheduledAt", format_instant(run.slot.occurrence)},
                  {"decision", model::name_of(run.dispatch)},
                  {"reason", reason_json(run.reason)},
                  {"detail", or_null(run.detail)},
                  {"input", run.input}};
}

Json to_json(const decide::SimulatedRun& simulated) {
    const auto& run = simulated.run;
    return object{{"decidedAt", format_instant(simulated.decided_at)},
                  {"scheduledAt", format_instant(run.slot.occurrence)},
                  {"fireAt", format_instant(run.fire_at)},
                  {"decision", model::name_of(run.dispatch)},
                  {"reason", reason_json(run.reason)},
                  {"detail", or_null(run.detail)},
                  {"input", run.input},
                  {"rotationIndex", or_null(run.rotation_index_used)},
                  {"range", range_json(run.range)},
                  {"endedAt", or_null(simulated.ended_at)},
                  {"end", simulated.end ? Json(model::name_of(*simulated.end)) : Json(nullptr)}};
}

Json list_json(boost::json::array items, const std::string& next) {
    return object{{"items", std::move(items)}, {"nextCursor", or_null(next)}};
}

std::string cut_error(const std::optional<std::string>& error) {
    return error ? std::string(whole_characters(*error, model::kErrorBytesMax)) : std::string();
}

decide::AttemptEnd read_attempt_end(const Values& values) {
    decide::AttemptEnd end;
    end.status = *values.parsed("status", &model::parse_execution_status);
    end.category = values.parsed("category", &model::parse_failure_category);
    if (const auto* const result = values.any("result")) end.result = *result;
    end.error = cut_error(values.text("error"));
    end.usage = read_usage(values);
    if (const auto wait = values.integer("retryAfterMs")) end.retry_after = std::chrono::milliseconds{*wait};
    return end;
}

}  // namespace belfry::api
