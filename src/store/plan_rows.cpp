#include "store/plan_rows.hpp"

#include <algorithm>

namespace belfry::store {

using model::DispatchStatus;
using model::ExecutionStatus;

model::Run run_row(const decide::Plan& plan, const decide::PlannedRun& planned, std::int64_t version) {
    model::Run run;
    run.id = planned.id;
    run.schedule_id = plan.schedule_id;
    run.slot = planned.slot;
    run.version = version;
    run.fire_at = planned.fire_at;
    run.decided_at = plan.decided_at;
    run.dispatch = planned.dispatch;
    run.execution = planned.execution;
    run.reason = planned.reason;
    run.detail = planned.detail;
    run.input = planned.input;
    run.trigger_number = planned.trigger_number;
    run.rotation_index_used = planned.rotation_index_used;
    run.overlap = planned.overlap;
    run.range = planned.range;
    // A run that the same plan started and replaced.
    if (is_terminal(planned.execution)) run.completed_at = plan.decided_at;
    return run;
}

const Json& own_input(const model::Schedule& definition, const std::optional<std::int64_t>& rotation_index) {
    if (rotation_index) {
        const auto index = static_cast<std::size_t>(*rotation_index);
        if (index < definition.inputs_rotation.size()) return definition.inputs_rotation[index];
    }
    return definition.inputs_template.is_null() ? definition.target.input : definition.inputs_template;
}

std::int64_t dispatched_in(const decide::Plan& plan) {
    const auto is_dispatched = [](const auto& run) { return run.dispatch == DispatchStatus::dispatched; };
    return std::ranges::count_if(plan.runs, is_dispatched) + std::ranges::count_if(plan.releases, is_dispatched);
}

bool wants_in_flight(const model::Schedule& definition, const Needs& needs) {
    using model::OverlapPolicy;
    const auto policy = definition.overlap.policy;
    return needs.in_flight || policy == OverlapPolicy::cancel_other || policy == OverlapPolicy::terminate_other;
}

bool is_history(const model::Run& run) { return run.dispatch == DispatchStatus::skipped || is_terminal(run.execution); }

std::optional<Error> check_events(const decide::Plan& plan, std::int64_t before) {
    for (const auto& event : plan.events) {
        if (event.sequence != ++before) {
            return Error{ErrorCode::corrupt, "event " + std::to_string(event.sequence) + " cannot follow event " + std::to_string(before - 1)};
        }
        if (auto error = model::check_payload(event.type, event.payload)) return error;
    }
    if (plan.state.events != before) return Error{ErrorCode::corrupt, "the state counts other events than the plan has"};
    return std::nullopt;
}

std::optional<std::int64_t> requested_slot(const decide::Plan& plan) {
    return plan.runs.empty() ? std::nullopt : std::optional(model::slot_number(plan.runs.back().slot));
}

std::vector<std::int64_t> ascending(std::span<const std::int64_t> keys) {
    std::vector<std::int64_t> sorted(keys.begin(), keys.end());
    std::ranges::sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    return sorted;
}

std::vector<Announcement> announcements_of(const decide::Plan& plan, const model::Schedule& definition, NewsOf news) {
    std::vector<Announcement> all;
    if (news.moved) all.emplace_back(ScheduleMoved{model::key_of(plan.schedule_id), plan.state.next_fire, model::key_of(definition.tenant)});
    const auto is_queued = [](const auto& run) { return run.execution == ExecutionStatus::queued; };
    if (!plan.starts.empty() || std::ranges::any_of(plan.runs, is_queued) || std::ranges::any_of(plan.releases, is_queued)) {
        all.emplace_back(TasksReady{definition.tenant, definition.target.queue});
    }
    if (news.followed) all.emplace_back(FeedGrown{definition.tenant});
    return all;
}

RunState state_of(const model::Run& run) {
    if (run.dispatch == DispatchStatus::skipped) return RunState::skipped;
    switch (run.execution) {
        case ExecutionStatus::none: return RunState::buffered;
        case ExecutionStatus::awaiting_approval: return RunState::awaiting_approval;
        case ExecutionStatus::queued: return RunState::queued;
        case ExecutionStatus::running: return RunState::running;
        case ExecutionStatus::succeeded: return RunState::succeeded;
        case ExecutionStatus::failed: return RunState::failed;
        case ExecutionStatus::cancelled: return RunState::cancelled;
        case ExecutionStatus::terminated: return RunState::terminated;
        case ExecutionStatus::timed_out: return RunState::timed_out;
    }
    return RunState::buffered;
}

Error schedule_not_found(const ScheduleRef& schedule) {
    return {ErrorCode::not_found, "there is no schedule " + (schedule.id.empty() ? schedule.name : schedule.id)};
}
Error too_many_keys() { return invalid("no more than " + std::to_string(kTickBatchMax) + " schedules are looked at together"); }
Error run_not_found(const std::string& run_id) { return {ErrorCode::not_found, "there is no run " + run_id}; }
Error tenant_not_found(const std::string& tenant) { return {ErrorCode::not_found, "there is no tenant " + tenant}; }
Error calendar_not_found(const std::string& name) { return {ErrorCode::not_found, "there is no calendar " + name}; }
Error backfill_not_found(const std::string& id) { return {ErrorCode::not_found, "there is no backfill " + id}; }
Error name_taken(const std::string& name) { return {ErrorCode::already_exists, "a schedule named " + name + " already exists", "/name"}; }
Error id_taken(const std::string& id) { return {ErrorCode::already_exists, "a schedule with the id " + id + " already exists", "/id"}; }

Error tenant_full(const std::string& tenant, std::int64_t most) {
    return {ErrorCode::exhausted, "tenant " + tenant + " may have " + std::to_string(most) +
                                      " schedules and this would be more: delete some, or have its schedulesMax raised"};
}

Error moved_on(const decide::Plan& plan, std::int64_t revision) {
    return {ErrorCode::conflict, "schedule " + plan.schedule_id + " is at revision " + std::to_string(revision) + ", the plan was made at " +
                                     std::to_string(plan.revision)};
}

Error version_conflict(const std::string& what, std::int64_t expected) {
    return {ErrorCode::conflict, what + " has been changed meanwhile: its next version is " + std::to_string(expected)};
}

Error lease_lost(const model::LeaseRef& lease) {
    return {ErrorCode::conflict, "attempt " + std::to_string(lease.attempt) + " of run " + lease.run_id + " no longer holds its lease"};
}

Error lease_prolonged(const model::LeaseRef& lease) { return {ErrorCode::conflict, "the lease on run " + lease.run_id + " has been prolonged"}; }
Error backfill_taken(const std::string& id) { return {ErrorCode::already_exists, "a backfill with the id " + id + " already exists", "/id"}; }
Error backfill_running(const std::string& id) { return {ErrorCode::conflict, "backfill " + id + " of this schedule is not over yet"}; }

Error calendar_is_built_in(const std::string& name) {
    return {ErrorCode::invalid_argument, "calendar " + name + " ships with the program and cannot be changed: choose another name", "/name"};
}

Error calendar_in_use(const std::string& calendar, const std::string& schedule) {
    return {ErrorCode::conflict, "calendar " + calendar + " is used by schedule " + schedule};
}

Error not_deleted(const ScheduleRef& schedule) {
    return {ErrorCode::invalid_argument,
            "schedule " + (schedule.id.empty() ? schedule.name : schedule.id) + " must be deleted before its runs can be purged"};
}

Error bad_cursor() { return {ErrorCode::invalid_argument, "the cursor is not one that a list answered", "/cursor"}; }

Error foreign_cursor() {
    return {ErrorCode::invalid_argument,
            "the cursor belongs to a list with another filter: send the filter that it came with, or begin again without it", "/cursor"};
}

Error request_taken() { return {ErrorCode::already_exists, "this key has already been used", model::kRequestKeyField}; }
Error request_not_found() { return {ErrorCode::not_found, "no request with this key is known", model::kRequestKeyField}; }

}  // namespace belfry::store
