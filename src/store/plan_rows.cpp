#include "store/plan_rows.hpp"

#include <algorithm>
#include <tuple>

#include "base/text/ascii.hpp"
#include "decide/approval/gate.hpp"
#include "model/schedule/cause.hpp"

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
    // The same plan started the run and then replaced it.
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

bool is_of_team(const model::Schedule& definition) {
    return definition.assignee && definition.assignee->type == "team";
}

std::int64_t dispatched_in(const decide::Plan& plan) {
    const auto is_dispatched = [](const auto& run) { return run.dispatch == DispatchStatus::dispatched; };
    return std::ranges::count_if(plan.runs, is_dispatched) + std::ranges::count_if(plan.releases, is_dispatched);
}

void add(model::BudgetDay& day, const model::BudgetDay& more) {
    day.runs += more.runs;
    day.reserved += more.reserved;
    day.spent += more.spent;
}

std::map<BudgetKey, model::BudgetDay> taken_by(const decide::Plan& plan) {
    std::map<BudgetKey, model::BudgetDay> taken;
    for (const auto* const rows : {&plan.runs, &plan.releases}) {
        for (const auto& run : *rows) {
            if (!run.reserves) continue;
            // A run that ends in the same plan holds no reservation.
            const auto reserved = is_in_flight(run.execution) ? run.reserves->reserved() : model::Credits{};
            add(taken[{run.reserves->assignee, run.reserves->day}], {.runs = 1, .reserved = reserved});
        }
    }
    return taken;
}

model::BudgetDay settlement(const model::Reservation& reservation, model::Credits used) {
    return {.reserved = model::Credits{} - reservation.reserved(), .spent = used};
}

std::string assignee_of_attempt(const decide::Facts& facts, const std::string& node) {
    const auto* const row = facts.walk ? facts.walk->find(node) : nullptr;
    if (row != nullptr && !row->assignee.empty()) return row->assignee;
    const auto& assignee = facts.definition_of_run().assignee;
    return assignee ? assignee->id : std::string();
}

std::optional<model::Usage> used_by_all(const UsageByAttempt& attempts) {
    if (attempts.empty()) return std::nullopt;
    model::Usage sum;
    for (const auto& [attempt, usage] : attempts) sum += usage;
    return sum;
}

std::optional<model::Usage> used_by_node(const UsageByAttempt& attempts, const std::string& node) {
    UsageByAttempt own;
    for (const auto& each : attempts) {
        if (each.first.first == node) own.insert(each);
    }
    return used_by_all(own);
}

void tell_of_usage(decide::Facts& facts, const UsageByAttempt& attempts, const model::LeaseRef& lease,
                   const std::optional<model::Usage>& report) {
    auto& spending = facts.spending;
    spending.others = {};
    spending.attempt = {};
    const std::pair own{lease.node, lease.attempt};
    for (const auto& [attempt, usage] : attempts) (attempt == own ? spending.attempt : spending.others) += usage;
    if (report) spending.attempt = raised(std::move(spending.attempt), *report);
}

bool wants_in_flight(const model::Schedule& definition, const FactsRequest& needs) {
    using model::OverlapPolicy;
    const auto policy = definition.overlap.policy;
    return needs.in_flight || policy == OverlapPolicy::cancel_other || policy == OverlapPolicy::terminate_other;
}

bool is_dead_letter(ExecutionStatus status) {
    return status == ExecutionStatus::failed || status == ExecutionStatus::timed_out;
}

bool is_history(const model::Run& run) { return run.dispatch == DispatchStatus::skipped || is_terminal(run.execution); }

std::int64_t workflow_key(const std::string& tenant, const std::string& name) {
    // The length distinguishes ("a", "b c") from ("a b", "c").
    return model::key_of("workflow " + std::to_string(tenant.size()) + " " + tenant + " " + name);
}

std::optional<Instant> ended_since(const decide::Plan& plan, const model::Schedule& definition) {
    using model::ScheduleStatus;
    const auto status = plan.state.status;
    if (status == ScheduleStatus::active || status == ScheduleStatus::paused) return Instant{};
    if (status == ScheduleStatus::completed && plan.state.buffered > 0) return Instant{};
    if (status == ScheduleStatus::completed && !model::is_immediate(definition)) return std::nullopt;
    return plan.decided_at;
}

std::optional<Error> check_events(const decide::Plan& plan, std::int64_t before) {
    for (const auto& event : plan.events) {
        if (event.sequence != ++before) {
            return Error{ErrorCode::corrupt, "event " + std::to_string(event.sequence) + " cannot follow event " +
                                                 std::to_string(before - 1)};
        }
        if (auto error = model::check_payload(event.type, event.payload)) return error;
    }
    if (plan.state.events != before)
        return Error{ErrorCode::corrupt, "the event count of the state does not match the plan"};
    for (const auto& note : plan.notes) {
        const auto type = model::parse_event_type(note.event.type);
        if (!type) return type.error();
        if (auto error = model::check_payload(*type, note.event.payload)) return error;
    }
    return std::nullopt;
}

namespace {

bool asks_for(const decide::Plan& plan, const std::string& run_id, const std::string& node) {
    return std::ranges::any_of(plan.asks,
                               [&](const auto& asked) { return asked.run_id == run_id && asked.node == node; });
}

std::optional<Error> check_node(const decide::Plan& plan, const std::string& run_id, const model::NodeRun& node) {
    const bool asked = asks_for(plan, run_id, node.node);
    if (node.status == model::NodeStatus::queued && asked) return not_approved(run_id, node.node);
    if (node.status == model::NodeStatus::awaiting_approval && !asked) {
        return Error{ErrorCode::corrupt,
                     "node " + node.node + " of run " + run_id + " would wait, but no approval is requested"};
    }
    return std::nullopt;
}

}  // namespace

std::optional<Error> check_asks(const decide::Plan& plan, const model::ApprovalPolicy& approval,
                                const WalkedBy& workflow) {
    const auto is_gated = [&](const decide::PlannedRun& run) {
        if (decide::is_run_gated(approval, run.walk.has_value())) return true;
        if (!run.walk) return false;
        const auto walked = workflow(*run.walk);
        return !walked || decide::is_run_gated(walked->approval, true);
    };
    const auto check_nodes = [&plan](const std::string& run_id,
                                     const std::optional<decide::WorkflowStart>& walk) -> std::optional<Error> {
        if (!walk) return std::nullopt;
        for (const auto& node : walk->nodes) {
            if (auto error = check_node(plan, run_id, node)) return error;
        }
        return std::nullopt;
    };
    for (const auto* const runs : {&plan.runs, &plan.releases}) {
        for (const auto& run : *runs) {
            const bool asked = asks_for(plan, run.id, {});
            if (run.execution == ExecutionStatus::awaiting_approval && !asked) {
                return Error{ErrorCode::corrupt, "run " + run.id + " would wait, but no approval is requested"};
            }
            if (run.execution != ExecutionStatus::queued) continue;
            if (asked || is_gated(run)) return not_approved(run.id, {});
            if (auto error = check_nodes(run.id, run.walk)) return error;
        }
    }
    for (const auto& start : plan.starts) {
        if (asks_for(plan, start.run_id, {})) return not_approved(start.run_id, {});
        if (auto error = check_nodes(start.run_id, start.walk)) return error;
    }
    for (const auto& change : plan.nodes) {
        if (auto error = check_node(plan, change.run_id, change.node)) return error;
    }
    return std::nullopt;
}

const std::string* newly_assigned(const decide::Plan& plan, const model::Schedule* before) {
    if (!plan.definition || plan.definition->assignment.empty()) return nullptr;
    const auto& named = plan.definition->assignment;
    return before != nullptr && before->assignment == named ? nullptr : &named;
}

void sort_by_run(std::vector<model::Approval>& approvals) {
    std::ranges::sort(approvals, {}, [](const model::Approval& approval) {
        return std::tuple(approval.run_id, approval.requested_at, approval.node, approval.attempts);
    });
}

namespace {

std::string with_receiver(std::string queue, const Json& input) {
    return queue == model::kHttpQueue ? model::receiver_queue(input) : queue;
}

}  // namespace

NewTask single_task(const model::Schedule& definition, const Json& input, const model::RunKey& run, Instant ready_at,
                    int attempts, const std::string& default_connection) {
    auto queue = model::queue_for({.target = definition.target}, default_connection);
    // The server's own tasks have no assignee.
    const bool own = queue.starts_with(model::kOwnQueueMark);
    return {.run = run,
            .queue = with_receiver(std::move(queue), input),
            .assignee = definition.assignee && !own ? definition.assignee->id : std::string(),
            .priority = definition.target.priority,
            .ready_at = ready_at,
            .attempts = attempts,
            .timeout = definition.retry.timeout};
}

NewTask node_task(const model::NodeRun& node, const Json& input, const model::RunKey& run, int priority) {
    auto queue = with_receiver(node.queue, node.node.empty() ? input : node.input);
    return {run, node.node, std::move(queue), node.assignee, priority, node.ready_at, node.attempts, node.timeout};
}

TasksReady news_of(const NewTask& task, const std::string& tenant, Instant now) {
    const std::string queue(model::without_receiver(task.queue));
    return {tenant, queue, task.assignee, task.ready_at > now ? std::optional(task.ready_at) : std::nullopt};
}

model::Task task_of(const Claimed& claimed) {
    const auto& [run, definition, walk, node, attempt, lease_until, assignee, ready_at] = claimed;
    model::Task task;
    task.run_id = run.id;
    task.schedule_id = definition.id;
    task.tenant = definition.tenant;
    task.schedule_name = definition.name;
    task.idempotency_key = model::idempotency_key(definition.id, run.slot);
    task.instance_id = model::instance_id(definition.name, run.slot);
    task.target = definition.target;
    task.node = node;
    task.kind = definition.target.type == model::TargetType::task ? model::kind_of_task(definition.target.kind)
                                                                  : model::NodeKind::task;
    task.task_kind = definition.target.kind;
    task.assignee = assignee;
    task.input = run.input;
    task.slot = run.slot;
    task.attempt = attempt;
    task.lease_until = lease_until;
    task.timeout = definition.retry.timeout;
    task.ready_at = ready_at;
    task.queue = definition.target.queue;
    task.created_by = definition.created_by;
    task.immediate = model::is_immediate(definition);
    if (node.empty() || walk == nullptr || walk->workflow == nullptr) return task;
    task.workflow_version = walk->workflow->version;
    // Each node has its own key, so that a receiver distinguishes their work.
    task.idempotency_key += ":" + node;
    if (const auto* const row = walk->find(node)) {
        task.input = row->input;
        task.timeout = row->timeout;
    }
    if (const auto* const described = walk->workflow->find(node)) {
        task.kind = described->kind;
        task.task_kind = described->task_kind.empty() ? described->id : described->task_kind;
        task.action = described->action;
        task.queue = model::named_queue({described, definition.target, walk->workflow.get()});
    }
    return task;
}

void tell_of_attempt(decide::Facts& facts, const model::Lease& lease) {
    facts.node = lease.ref.node;
    facts.handed_over = model::is_handed_over(lease.worker);
    if (facts.walk) {
        for (auto& node : facts.walk->nodes) {
            if (node.node != lease.ref.node) continue;
            node.status = model::NodeStatus::running;
            node.attempts = lease.ref.attempt;
            node.started_at = lease.since;
        }
    }
    if (!lease.ref.node.empty()) return;
    facts.run->attempts = lease.ref.attempt;
    facts.run->started_at = lease.since;
}

namespace {

// The single task of a run ends like the run. The end of a run cancels its unfinished workflow nodes.
model::NodeStatus status_at_end(const model::NodeRun& node, const model::Run& run) {
    if (!node.node.empty()) return model::NodeStatus::cancelled;
    switch (run.execution) {
        case ExecutionStatus::succeeded: return model::NodeStatus::succeeded;
        case ExecutionStatus::failed: return model::NodeStatus::failed;
        case ExecutionStatus::timed_out: return model::NodeStatus::timed_out;
        default: return model::NodeStatus::cancelled;
    }
}

}  // namespace

void show_progress(model::NodeRun& node, const model::Run& run, const std::optional<model::Lease>& lease) {
    if (is_over(node.status)) return;
    if (is_terminal(run.execution)) {
        node.status = status_at_end(node, run);
        node.completed_at = run.completed_at;
        if (!node.node.empty()) return;
        node.attempts = run.attempts;
        node.started_at = run.started_at;
        node.result = run.result;
        node.error = run.error;
    } else if (lease) {
        node.status = model::NodeStatus::running;
        node.attempts = lease->ref.attempt;
        node.started_at = lease->since;
    }
}

model::RunEvent passing_event(const LeaseTransfer& passed, bool again, Instant now) {
    const auto& lease = passed.lease;
    model::RunEvent event{.type = passed.event, .at = now, .node = lease.node, .payload = passed.payload};
    event.payload.as_object()["attempt"] = lease.attempt;
    if (!lease.node.empty()) return event;
    const auto numbers = model::numbers_of(lease.attempt, true);
    event.sequence = again ? numbers.started : numbers.handed_over;
    return event;
}

model::RunEvent retry_event(const model::Lease& lease, const decide::AttemptEnd& end, const decide::Retry& retry,
                            Instant now) {
    const auto category = decide::category_of(end);
    return {.sequence = model::numbers_of(lease.ref.attempt, model::is_handed_over(lease.worker)).end,
            .type = "node.failed",
            .at = now,
            .payload = boost::json::object{{"attempt", lease.ref.attempt},
                                           {"startedAt", format_instant(lease.since)},
                                           {"cause", category ? Json(name_of(*category)) : Json(nullptr)},
                                           {"error", storable(end.error)},
                                           {"retryAt", format_instant(retry.ready_at)}}};
}

decide::TargetCheck check_target(const model::Target& target, bool known, const model::WorkflowPtr& found) {
    if (found && !found->cycle.empty()) return {decide::TargetCheck::Verdict::cycle, found->cycle};
    if (!known || found) return {};
    return {decide::TargetCheck::Verdict::not_found,
            "workflow " + target.kind +
                (target.version ? " of version " + std::to_string(*target.version) : std::string())};
}

decide::TargetCheck check_waiting(model::Target target, std::int64_t version, const model::WorkflowPtr& found) {
    target.version = version;
    return check_target(target, true, found);
}

std::optional<Micros> attempt_time(const AttemptOf& attempt, const decide::RunCaps& caps, Instant now) {
    auto longest = attempt.timeout     ? attempt.timeout
                   : caps.task_timeout ? std::optional<Micros>(*caps.task_timeout)
                                       : std::nullopt;
    if (!attempt.alone) return longest;
    // A first attempt has the full time, no matter how long the task waited in its queue.
    const auto end = attempt.fire_at + caps.timeout;
    const auto left = attempt.again && end > now ? end - now : caps.timeout;
    return longest ? std::min(*longest, left) : left;
}

Instant lease_end(Instant now, Micros lease, const std::optional<Instant>& deadline) {
    return deadline ? std::min(*deadline, now + lease) : now + lease;
}

std::vector<model::RunEvent> claim_events(bool first, const std::vector<std::pair<std::string, int>>& nodes,
                                          const std::string& worker, Instant now) {
    std::vector<model::RunEvent> events;
    if (first) events.push_back({.type = "run.started", .at = now});
    for (const auto& [node, attempt] : nodes) {
        events.push_back({.type = "node.started",
                          .at = now,
                          .node = node,
                          .payload = boost::json::object{{"attempt", attempt}, {"worker", worker}}});
    }
    return events;
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

bool is_moved(const decide::Plan& plan, const std::optional<Instant>& fired_at) {
    return plan.state.next_fire != fired_at || (!plan.empty() && waits_for_release(plan.state));
}

std::vector<Notification> notifications_of(const decide::Plan& plan, const model::Schedule& definition,
                                           const NewsOf& news) {
    std::vector<Notification> all;
    // A new definition is also reported: a server that could not decide the old one tries again.
    if (news.moved || plan.definition) {
        const auto look_at = waits_for_release(plan.state) ? plan.decided_at : plan.state.next_fire;
        all.emplace_back(ScheduleMoved{model::key_of(plan.schedule_id), look_at, model::tenant_key(definition.tenant)});
    }
    const auto add = [&](const NewTask& task) {
        Notification ready = news_of(task, definition.tenant, plan.decided_at);
        if (all.empty() || all.back() != ready) all.push_back(std::move(ready));
    };
    const auto add_nodes = [&](const std::vector<model::NodeRun>& nodes) {
        for (const auto& node : nodes) {
            if (node.status == model::NodeStatus::queued) add(node_task(node, {}, {}, 0));
        }
    };
    const auto add_run = [&](const std::optional<decide::WorkflowStart>& walk, const model::Schedule& by,
                             Instant ready_at) {
        walk ? add_nodes(walk->nodes) : add(single_task(by, {}, {}, ready_at, 0, news.default_connection));
    };
    for (const auto* const runs : {&plan.runs, &plan.releases}) {
        for (const auto& run : *runs) {
            if (run.execution == ExecutionStatus::queued) add_run(run.walk, definition, run.fire_at);
        }
    }
    const auto& of_start = news.run_definition ? *news.run_definition : definition;
    for (const auto& start : plan.starts) add_run(start.walk, of_start, start.ready_at);
    for (const auto& change : plan.nodes) {
        if (change.node.status == model::NodeStatus::queued) add(node_task(change.node, {}, {}, 0));
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
Error too_many_keys() { return invalid("a call may name at most " + std::to_string(kTickBatchMax) + " schedules"); }
Error run_not_found(const std::string& run_id) { return {ErrorCode::not_found, "there is no run " + run_id}; }
Error tenant_not_found(const std::string& tenant) { return {ErrorCode::not_found, "there is no tenant " + tenant}; }
Error workflow_not_found(const std::string& name, const std::optional<std::int64_t>& version) {
    return {ErrorCode::not_found,
            "there is no workflow " + name + (version ? " of version " + std::to_string(*version) : std::string())};
}
Error not_approved(const std::string& run_id, const std::string& node) {
    return {ErrorCode::conflict, (node.empty() ? std::string() : "node " + node + " of ") + "run " + run_id +
                                     " must not start: it is not approved"};
}
Error dead_letter_not_found(const std::string& run_id) {
    return {ErrorCode::not_found, "run " + run_id + " is not a dead letter"};
}
Error assignee_not_found(const std::string& id) { return {ErrorCode::not_found, "there is no assignee " + id}; }
Error assignment_not_found(const std::string& id) {
    return {ErrorCode::not_found, "there is no workflow assignment " + id};
}
Error assignment_not_there(const std::string& id) {
    return {ErrorCode::invalid_argument,
            "there is no workflow assignment " + in_quotes(id) + ": create it first, or omit it",
            "/workflowAssignmentId"};
}
Error assignment_in_use(const std::string& id, const std::string& schedule) {
    return {ErrorCode::conflict, "workflow assignment " + id + " is used by schedule " + schedule};
}
Error calendar_not_found(const std::string& name) { return {ErrorCode::not_found, "there is no calendar " + name}; }
Error backfill_not_found(const std::string& id) { return {ErrorCode::not_found, "there is no backfill " + id}; }
Error name_taken(const std::string& name) {
    return {ErrorCode::already_exists, "a schedule named " + name + " already exists", "/name"};
}
Error id_taken(const std::string& id) {
    return {ErrorCode::already_exists, "a schedule with the id " + id + " already exists", "/id"};
}

Error tenant_full(const std::string& tenant, std::int64_t most) {
    Error full{
        ErrorCode::exhausted,
        "tenant " + tenant + " may have " + std::to_string(most) +
            " schedules and this would be more: delete some, or let the operator raise schedulesMax of the tenant"};
    full.retry_after_s = 0;
    return full;
}

Error moved_on(const decide::Plan& plan, std::int64_t revision) {
    return {ErrorCode::conflict, "schedule " + plan.schedule_id + " is at revision " + std::to_string(revision) +
                                     ", but the plan was made for " + std::to_string(plan.revision)};
}

Error version_conflict(const std::string& what, std::int64_t expected) {
    return {ErrorCode::conflict,
            what + " was changed by another request: its next version is " + std::to_string(expected)};
}

Error lease_lost(const model::LeaseRef& lease) {
    return {ErrorCode::conflict,
            "attempt " + std::to_string(lease.attempt) + " of run " + lease.run_id + " no longer holds its lease"};
}

Error lease_renewed(const model::LeaseRef& lease) {
    return {ErrorCode::conflict, "the lease on run " + lease.run_id + " has been renewed"};
}
Error backfill_taken(const std::string& id) {
    return {ErrorCode::already_exists, "a backfill with the id " + id + " already exists", "/id"};
}
Error backfill_running(const std::string& id) {
    return {ErrorCode::conflict, "backfill " + id + " of this schedule has not ended yet"};
}

Error calendar_is_built_in(const std::string& name) {
    return {ErrorCode::invalid_argument,
            "calendar " + name + " ships with the program and cannot be changed: choose another name", "/name"};
}

Error calendar_in_use(const std::string& calendar, const std::string& schedule) {
    return {ErrorCode::conflict, "calendar " + calendar + " is used by schedule " + schedule};
}

Error not_deleted(const ScheduleRef& schedule) {
    return {ErrorCode::invalid_argument, "schedule " + (schedule.id.empty() ? schedule.name : schedule.id) +
                                             " must be deleted before its runs can be purged"};
}

Error bad_cursor() {
    return {ErrorCode::invalid_argument, "the cursor is not valid: send one that a list returned", "/cursor"};
}

Error foreign_cursor() {
    return {ErrorCode::invalid_argument,
            "the cursor belongs to a list with another filter: send the same filter again, or start without a cursor",
            "/cursor"};
}

Error request_taken() { return {ErrorCode::already_exists, "this key has already been used", model::kRequestKeyField}; }
Error request_not_found() {
    return {ErrorCode::not_found, "there is no request with this key", model::kRequestKeyField};
}

}  // namespace belfry::store
