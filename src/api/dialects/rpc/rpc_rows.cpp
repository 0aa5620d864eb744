// Writes a schedule as a row of workflow_schedules. JSON columns show what differs from the defaults, as it was sent.
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/json_values.hpp"
#include "api/dialects/rpc/rpc.hpp"
#include "api/resources/runs/run_shapes.hpp"
#include "engine/outgoing/connection.hpp"

namespace belfry::api::rpc {

namespace {

using boost::json::object;
using model::ScheduleStatus;
using model::SkipReason;

object approval_policy(const model::ApprovalPolicy& approval) {
    object out{{"requiresApproval", approval.requires_approval}};
    if (approval.mode) out["mode"] = name_of(*approval.mode);
    if (!approval.gates.empty()) out["gates"] = array_of(approval.gates);
    if (approval.expires_after) out["expiresAfterMs"] = approval.expires_after->count();
    return out;
}

object retry_policy(const model::RetryPolicy& retry) {
    object out{{"maxRetries", retry.max_retries}};
    if (retry.backoff != model::RetryPolicy{}.backoff) out["backoffMs"] = retry.backoff.count();
    if (!retry.retry_on.empty()) {
        auto& categories = out["retryOn"].emplace_array();
        for (const auto category : retry.retry_on) categories.push_back(Json(name_of(category)));
    }
    if (retry.timeout) out["timeoutMs"] = retry.timeout->count();
    return out;
}

object failure_policy(const model::FailurePolicy& failure) {
    object out{{"mode", name_of(failure.mode)}};
    if (failure.fallback_assignee_id) out["fallbackAssigneeId"] = *failure.fallback_assignee_id;
    return out;
}

std::string_view on_missed(model::MissedPolicy policy) {
    switch (policy) {
        case model::MissedPolicy::fire_once: return "run_once";
        case model::MissedPolicy::fire_all: return "backfill";
        default: return name_of(policy);
    }
}

object queue_policy(const model::Schedule& schedule) {
    object out{{"mode", queue_mode(schedule.overlap.policy)}};
    if (schedule.overlap.max_concurrency) out["maxConcurrency"] = *schedule.overlap.max_concurrency;
    if (schedule.target.priority != 0) out["priority"] = schedule.target.priority;
    if (schedule.missed.policy != model::MissedPolicy::skip) out["onMissed"] = on_missed(schedule.missed.policy);
    if (schedule.missed.max_backfill != model::MissedRules{}.max_backfill)
        out["maxBackfill"] = schedule.missed.max_backfill;
    return out;
}

// Null for a schedule with other times than one cron expression.
Json cron_expr(const spec::SpecText& spec) {
    const bool is_one = spec.cron.size() == 1 && spec.intervals.empty() && spec.at.empty();
    return is_one ? Json(spec.cron.front()) : Json(nullptr);
}

Json global_model(const model::Target& target) {
    const auto found = target.metadata.find("global_model_id");
    return found == target.metadata.end() ? Json(nullptr) : Json(found->second);
}

std::string skip_word(const std::string& reason) {
    const auto parsed = model::parse_skip_reason(reason);
    if (!parsed) return "skipped_" + reason;
    switch (*parsed) {
        case SkipReason::overlap_in_flight:
        case SkipReason::max_concurrency_reached: return "skipped_overlap";
        case SkipReason::validation_failed:
        case SkipReason::cycle_detected: return "validation_failed";
        default: return "skipped_" + reason;
    }
}

// Returns the newer of the two outcomes in the state. A dispatch has failed when no receiver accepted the delivery.
Json last_dispatch_status(const model::ScheduleState& state, const std::optional<model::Run>& completed,
                          const engine::Connections& connections) {
    if (state.status == ScheduleStatus::paused) return "paused";
    if (!state.last_fired_at && !state.last_skipped_at) return nullptr;
    const bool skipped =
        !state.last_fired_at || (state.last_skipped_at && *state.last_skipped_at > *state.last_fired_at);
    if (skipped) return Json(skip_word(state.last_skip_reason));
    const bool is_newest = completed && completed->id == state.last_run_id;
    const bool failed = is_newest && completed->execution == model::ExecutionStatus::failed;
    return failed && engine::tells_of_hand_over(connections, completed->error) ? "dispatch_failed" : "dispatched";
}

// Returns the run that completed last, or nothing when it is deleted.
Result<std::optional<model::Run>> last_completed(store::StoreReader& reader, const store::ScheduleRecord& record) {
    using Found = std::optional<model::Run>;
    if (record.state.last_completed_run.empty()) return Found();
    auto run = reader.run(record.definition.tenant, record.state.last_completed_run);
    if (run) return Found(std::move(*run));
    if (run.error().code == ErrorCode::not_found) return Found();
    return run.error();
}

object definition_columns(const model::Schedule& schedule) {
    return {{"id", schedule.id},
            {"workflow_id", schedule.target.kind},
            {"workflow_title", schedule.target.kind},
            {"description", or_null(schedule.description)},
            {"cron_expr", cron_expr(schedule.spec)},
            {"timezone", schedule.spec.timezone},
            {"assignee_type", schedule.assignee ? schedule.assignee->type : std::string("agent")},
            {"assignee_id", schedule.assignee ? Json(schedule.assignee->id) : Json(nullptr)},
            {"workflow_assignment_id", or_null(schedule.assignment)},
            {"approval_policy", approval_policy(schedule.approval)},
            {"retry_policy", retry_policy(schedule.retry)},
            {"failure_policy", failure_policy(schedule.failure)},
            {"queue_policy", queue_policy(schedule)},
            {"inputs_template", schedule.inputs_template.is_null() ? Json(object()) : schedule.inputs_template},
            {"global_model_id", global_model(schedule.target)},
            {"calendars", array_of(schedule.calendars)},
            {"pre_dispatch_condition", schedule.condition},
            {"inputs_rotation", array_of(schedule.inputs_rotation)},
            {"created_at", format_instant(schedule.created_at)},
            {"updated_at", format_instant(schedule.updated_at)}};
}

void add_state_columns(object& row, const model::ScheduleState& state) {
    const bool active = state.status == ScheduleStatus::active;
    row["is_active"] = active;
    row["last_rotation_index"] = state.rotation_index;
    row["next_run_at"] = or_null(active ? state.next_fire : std::nullopt);
    row["last_run_at"] = or_null(state.last_fired_at);
    row["last_run_id"] = or_null(state.last_run_id);
    row["last_error_at"] = or_null(state.last_error_at);
    row["last_error_message"] = or_null(state.last_error);
    row["last_completed_at"] = or_null(state.last_completed_at);
}

}  // namespace

std::string_view queue_mode(model::OverlapPolicy policy) {
    switch (policy) {
        case model::OverlapPolicy::allow_all: return "parallel";
        case model::OverlapPolicy::skip: return "serial";
        default: return name_of(policy);
    }
}

Result<object> schedule_row(store::StoreReader& reader, const engine::Connections& connections,
                            const store::ScheduleRecord& record) {
    const auto completed = last_completed(reader, record);
    if (!completed) return completed.error();
    auto row = definition_columns(record.definition);
    add_state_columns(row, record.state);
    row["last_dispatch_status"] = last_dispatch_status(record.state, *completed, connections);
    row["last_result"] = *completed ? (*completed)->result : Json(nullptr);
    return row;
}

Result<void> add_row(const RpcServices& services, const Result<store::ScheduleRecord>& record, RowSink& sink) {
    if (!record) return in_arguments(record.error());
    auto row = schedule_row(services.reader, services.connections, *record);
    if (!row) return row.error();
    sink.add(std::move(*row));
    return {};
}

ShapePtr schedule_row_shape() {
    const auto policy = [](const char* argument) {
        const auto& members = upsert_arguments()->members;
        return std::ranges::find(members, argument, &Member::name)->shape;
    };
    static const auto shape = answer_record(
        "WorkflowScheduleRecord",
        {{"id", uuid(), "Unique identifier of the schedule, as in the native API."},
         {"workflow_id", text(), "Name of the workflow. For a schedule that starts a task, the kind of the task."},
         {"workflow_title", text(), "The same name, which is the title of the workflow."},
         {"description", or_null(text()), "Description of the schedule."},
         {"cron_expr", or_null(text()),
          "Cron expression. Null if the schedule has other times than one cron expression."},
         {"timezone", text(), "IANA time zone."},
         {"is_active", boolean(), "Whether the schedule is active: neither paused nor completed."},
         {"assignee_type", one_of({"agent", "team"}), "Type of the assignee. `agent` if there is none."},
         {"assignee_id", or_null(text()), "Assignee that does the work."},
         {"workflow_assignment_id", or_null(text()), "Workflow assignment that the schedule belongs to."},
         {"approval_policy", policy("p_approval_policy"),
          "Approval policy: `requiresApproval`, and what differs from the defaults."},
         {"retry_policy", policy("p_retry_policy"), "Retry policy: `maxRetries`, and what differs from the defaults."},
         {"failure_policy", policy("p_failure_policy"), "Failure policy: `mode`, and what differs from the defaults."},
         {"queue_policy", policy("p_queue_policy"), "Queue policy: `mode`, and what differs from the defaults."},
         {"inputs_template", anything(), "Input of each run if there is no rotation."},
         {"global_model_id", or_null(text()), "Model identifier for every task of the runs."},
         {"next_run_at", or_null(instant()), "Next fire time. Null unless the schedule is active."},
         {"last_run_at", or_null(instant()), "Time at which a run was last dispatched."},
         {"last_run_id", or_null(text()), "Unique identifier of the last run."},
         {"last_dispatch_status", or_null(text()),
          "Outcome of the last occurrence: `dispatched`, `skipped_overlap`, `validation_failed`, `dispatch_failed`, or "
          "`skipped_` with "
          "another reason. `paused` while the schedule is paused."},
         {"last_error_at", or_null(instant()), "Time at which a run last failed."},
         {"last_error_message", or_null(text()), "Error message of the last failed run."},
         {"last_completed_at", or_null(instant()), "Time at which a run last ended."},
         {"last_result", anything(), "Result of the run that ended last."},
         {"calendars", list_of(text()), "Names of the calendars that must allow the date."},
         {"pre_dispatch_condition", anything(), "Condition that must hold. Null if there is none."},
         {"inputs_rotation", list_of(anything()), "Inputs that successive runs use in turn."},
         {"last_rotation_index", integer(),
          "Counter of the rotation. Modulo the number of inputs, it is the index of the next one."},
         {"created_at", instant(), "Time at which the schedule was created."},
         {"updated_at", instant(), "Time at which the definition last changed."}});
    return shape;
}

}  // namespace belfry::api::rpc
