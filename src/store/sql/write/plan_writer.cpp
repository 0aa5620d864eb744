#include "store/sql/write/plan_writer.hpp"

#include <algorithm>

#include "base/crypto/uuid.hpp"
#include "decide/approval/gate.hpp"
#include "decide/explain/feed.hpp"
#include "model/schedule/schedule_json.hpp"
#include "store/errors.hpp"
#include "store/rules/fact_rules.hpp"
#include "store/rules/new_task.hpp"
#include "store/rules/plan_checks.hpp"
#include "store/rules/retention_rules.hpp"
#include "store/rules/run_rows.hpp"
#include "store/rules/workflow_targets.hpp"
#include "store/sql/read/facts_reader.hpp"
#include "store/sql/statements/run_columns.hpp"
#include "store/sql/statements/statements_approvals.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_reading.hpp"
#include "store/sql/statements/statements_registry.hpp"
#include "store/sql/statements/statements_targets.hpp"
#include "store/sql/statements/statements_tasks.hpp"
#include "store/sql/statements/statements_workflow_runs.hpp"
#include "store/sql/values.hpp"

namespace belfry::store::sql {

using model::DispatchStatus;
using model::ExecutionStatus;

namespace {

Value number_of(auto enumerator) { return static_cast<std::int64_t>(enumerator); }

Value null_or_number(const auto& optional) { return optional ? number_of(*optional) : Value(); }

std::int64_t new_stamp() { return static_cast<std::int64_t>(system_random() >> 1U); }

// A completed schedule has ended only when its buffer is empty.
bool is_drained(const model::ScheduleState& before, const model::ScheduleState& after) {
    return after.status == model::ScheduleStatus::completed && before.buffered > 0 && after.buffered == 0;
}

// Null stands for the input of the definition.
Value input_value(const model::Schedule& definition, const decide::PlannedRun& run) {
    if (run.dispatch == DispatchStatus::dispatched && run.input == own_input(definition, run.rotation_index_used))
        return {};
    return to_text(run.input);
}

std::optional<Instant> completed_at(const decide::Plan& plan, const decide::PlannedRun& run) {
    return is_terminal(run.execution) ? std::optional{plan.decided_at} : std::nullopt;
}

// Begins a row with the columns of an ended run.
void add_values_of(Batch& rows, const decide::RunEnd& end, Instant at) {
    rows.begin_row();
    rows.push(number_of(end.status));
    rows.push(null_or(standing_of(DispatchStatus::dispatched, end.status)));
    rows.push(end.result.is_null() ? Value() : Value(to_text(end.result)));
    rows.push(null_if_empty(end.error));
    rows.push(epoch_us(at));
}

// Whether it is known that the run has no nodes and no history of its own.
bool has_no_nodes(const decide::Facts& facts, const std::string& run_id, const KnownToWriter& known) {
    return known.lease_taken && !facts.workflow_run && facts.run->id == run_id;
}

// What shows, after a commit with unknown outcome, that the plan was written.
CommitEvidence evidence_of(const decide::Plan& plan, std::int64_t key, const model::ChainHash& chain) {
    CommitEvidence trace{key, plan.state.revision};
    if (!plan.events.empty()) {
        trace.sequence = plan.events.back().sequence;
        trace.hash = chain;
    } else if (!plan.ends.empty()) {
        trace.ended = model::parse_run_id(plan.ends.back().run_id);
        trace.ended_as = plan.ends.back().status;
        trace.ended_at = plan.decided_at;
    } else if (!plan.starts.empty()) {
        trace.started = model::parse_run_id(plan.starts.back().run_id);
    } else if (!plan.nodes.empty()) {
        trace.node = plan.nodes.front();
    } else {
        trace.state = plan.state;
    }
    return trace;
}

}  // namespace

Result<void> run_batch(Session& session, const Statement& statement, const Batch& batch) {
    return batch.empty() ? Result<void>() : session.later(statement, batch);
}

Result<void> run_exactly(Session& session, const Statement& statement, const Batch& batch, const char* otherwise) {
    if (batch.empty()) return {};
    return session.later(statement, batch, {}, Expected{static_cast<std::int64_t>(batch.rows()), otherwise});
}

void TaskRows::add(const NewTask& task, std::int64_t queue_key, Instant now) {
    // Ranks sort ascending, so the highest priority has the lowest rank.
    const auto rank = -std::int64_t{task.priority};
    (task.ready_at <= now ? ready_ : delayed_)
        .add_row(queue_key, rank, epoch_us(task.ready_at), task.run.schedule, task.run.slot, task.node,
                 std::int64_t{task.attempts}, task.timeout ? Value(Micros{*task.timeout}.count()) : Value());
}

Result<void> TaskRows::write(Session& session) const {
    if (auto done = run_batch(session, kInsertReady, ready_); !done) return done;
    return run_batch(session, kInsertDelayed, delayed_);
}

PlanWriter::PlanWriter(std::size_t plans) {
    for (auto* const batch : {&states_, &runs_, &events_}) batch->reserve(plans);
    tasks_.reserve(plans);
    traces_.reserve(plans);
}

std::optional<Error> PlanWriter::add(const CachedSchedule& schedule, const StateRow& row, const decide::Facts& facts,
                                     const decide::Plan& plan, const KnownToWriter& known) {
    if (plan.revision != row.state.revision) return moved_on(plan, row.state.revision);
    if (auto error = check_events(plan, row.state.events)) return error;
    const auto walked = [&facts](const decide::WorkflowStart& workflow_run) {
        return facts.workflow && facts.workflow->version == workflow_run.version ? facts.workflow : nullptr;
    };
    if (auto error = check_asks(plan, schedule.compiled->approval, walked)) return error;
    add_runs(schedule, plan);
    add_nodes(schedule, facts, plan, known);
    add_ends(schedule, facts, plan, known);
    add_approvals(schedule, facts, plan);
    const auto chain = add_events(schedule.key, plan, row.chain);
    if (known.lease_taken && plan.events.empty() && is_only_end(row.state, plan.state)) {
        add_state_at_end(states_at_end_, plan.state, {schedule.key, plan.revision, row.stamp});
    } else {
        add_state(states_, plan.state, chain, {}, {schedule.key, plan.revision, row.stamp});
    }
    add_changes(schedule, row.state, plan);
    add_request(schedule.tenant_key, schedule.key, plan);
    traces_.push_back(evidence_of(plan, schedule.key, chain));
    if (known.followed) tell(plan, plan.definition ? *plan.definition : schedule.compiled->definition);
    return std::nullopt;
}

// The columns of the schedule itself, which change rarely.
void PlanWriter::add_changes(const CachedSchedule& schedule, const model::ScheduleState& before,
                             const decide::Plan& plan) {
    const auto ended = [&plan](const model::Schedule& definition) { return null_or(ended_since(plan, definition)); };
    if (plan.definition) {
        add_definition(schedule.key, *plan.definition, takes_name(plan));
        if (const auto* const named = newly_assigned(plan, &schedule.compiled->definition))
            assigned_.emplace(schedule.tenant_key, *named);
        relabelled_.add_row(schedule.key);
        stamps_.add_row(new_stamp(), schedule.key);
        const auto& target = plan.definition->target;
        changed_schedules_.add_row(plan.definition->name, number_of(plan.state.status), plan.definition->version,
                                   number_of(target.type), target.kind, plan.definition->assignment,
                                   ended(*plan.definition), schedule.key);
    } else if (plan.state.status != before.status || is_drained(before, plan.state)) {
        changed_schedules_.add_row(std::monostate(), number_of(plan.state.status), std::monostate(), std::monostate(),
                                   std::monostate(), std::monostate(), ended(schedule.compiled->definition),
                                   schedule.key);
    }
    using model::ScheduleStatus;
    if (plan.state.status == ScheduleStatus::deleted && before.status != ScheduleStatus::deleted) {
        ++fewer_[schedule.tenant_key];
        forsaken_.add_row(schedule.key);
    }
}

void PlanWriter::tell(const decide::Plan& plan, const model::Schedule& definition) {
    const auto tenant = model::tenant_key(definition.tenant);
    for (const auto& item : decide::feed_items(plan, definition)) tell(tenant, item);
}

void PlanWriter::tell(std::int64_t tenant_key, const model::FeedItem& item) {
    const auto run = model::parse_run_id(item.run_id);
    feed_.add_row(tenant_key, item.type, epoch_us(item.at), model::key_of(item.schedule_id),
                  run ? Value(run->slot) : Value(), to_text(item.body));
}

StateRow PlanWriter::add_new(const decide::Plan& plan) {
    const auto& definition = *plan.definition;
    const auto key = model::key_of(plan.schedule_id);
    const auto tenant = model::tenant_key(definition.tenant);
    new_schedules_.add_row(key, plan.schedule_id, tenant, definition.name, number_of(plan.state.status),
                           definition.version, number_of(definition.target.type), definition.target.kind,
                           definition.assignment, null_or(ended_since(plan, definition)));
    if (const auto* const named = newly_assigned(plan, nullptr)) assigned_.emplace(tenant, *named);
    if (takes_name(plan)) ++more_[tenant];
    add_request(tenant, key, plan);
    StateRow row{key, new_stamp(), plan.state, add_events(key, plan, {})};
    add_state(new_states_, plan.state, row.chain, {key, row.stamp}, {});
    add_definition(key, definition, takes_name(plan));
    CommitEvidence trace{key, plan.state.revision};
    trace.sequence = plan.state.events;
    trace.hash = row.chain;
    traces_.push_back(std::move(trace));
    return row;
}

void PlanWriter::add_request(std::int64_t tenant, std::int64_t key, const decide::Plan& plan) {
    if (!plan.request) return;
    requests_.add_row(tenant, plan.request->key, plan.request->fingerprint, key, null_or(requested_slot(plan)),
                      std::monostate(), epoch_us(plan.decided_at));
}

// Takes the lock for positions first: see sql_feed.cpp.
Result<void> PlanWriter::write_feed(Session& session) const {
    if (feed_.empty()) return {};
    if (auto held = session.later(kHoldFeed, {}); !held) return held;
    return session.later(kInsertFeed, feed_);
}

// Waits for a concurrent request with the same key.
Result<void> PlanWriter::write_requests(Session& session) const {
    if (requests_.empty()) return {};
    auto done = session.run(kInsertRequest, requests_);
    if (!done) return done.error();
    if (*done != static_cast<std::int64_t>(requests_.rows())) return request_taken();
    return {};
}

// Written last and in key order, because all transactions that create or delete schedules of a tenant meet there.
Result<void> PlanWriter::write_counts(Session& session) {
    Batch more;
    for (const auto& [tenant, count] : more_) more.add_row(tenant, count);
    if (!more.empty()) {
        auto added = session.run(kAddSchedules, more,
                                 [this](const ScheduleTotal& total) { counts_[total.tenant] = total.schedules; });
        if (!added) return added.error();
    }
    Batch fewer;
    for (const auto& [tenant, count] : fewer_) fewer.add_row(count, tenant);
    return run_batch(session, kSubtractSchedules, fewer);
}

void PlanWriter::add_runs(const CachedSchedule& schedule, const decide::Plan& plan) {
    const auto& definition = schedule.compiled->definition;
    for (const auto& run : plan.runs) {
        const auto slot = slot_number(run.slot);
        if (run.replaces) {
            add_again(schedule, plan, run, DispatchStatus::skipped);
            continue;
        }
        runs_.add_row(
            schedule.key, slot, schedule.tenant_key, definition.version, epoch_us(run.fire_at),
            epoch_us(plan.decided_at), number_of(run.dispatch), number_of(run.execution),
            null_or(standing_of(run.dispatch, run.execution)), null_or_number(run.reason), null_if_empty(run.detail),
            input_value(definition, run), run.trigger_number, null_or(run.rotation_index_used), number_of(run.overlap),
            run.range ? Value(epoch_us(run.range->last)) : Value(), run.range ? Value(run.range->count) : Value(),
            run.range ? Value(std::int64_t{run.range->at_least}) : Value(), null_or(completed_at(plan, run)));
        add_first_tasks(schedule, run, plan.decided_at);
    }
    for (const auto& run : plan.releases) add_again(schedule, plan, run, DispatchStatus::buffered);
    for (const auto& start : plan.starts) {
        const auto key = model::parse_run_id(start.run_id).value_or(model::RunKey{});
        starts_.emplace(key, Start{start.ready_at, plan.decided_at, start.workflow_run.has_value()});
        if (start.workflow_run) add_workflow_run(schedule, key.slot, *start.workflow_run, plan.decided_at);
    }
}

void PlanWriter::add_again(const CachedSchedule& schedule, const decide::Plan& plan, const decide::PlannedRun& run,
                           DispatchStatus before) {
    const auto& definition = schedule.compiled->definition;
    releases_.add_row(definition.version, epoch_us(run.fire_at), epoch_us(plan.decided_at), number_of(run.dispatch),
                      number_of(run.execution), null_or(standing_of(run.dispatch, run.execution)),
                      null_or_number(run.reason), null_if_empty(run.detail), input_value(definition, run),
                      run.trigger_number, null_or(run.rotation_index_used), number_of(run.overlap),
                      null_or(completed_at(plan, run)), schedule.key, slot_number(run.slot), number_of(before));
    add_first_tasks(schedule, run, plan.decided_at);
}

void PlanWriter::add_first_tasks(const CachedSchedule& schedule, const decide::PlannedRun& run, Instant now) {
    const auto slot = slot_number(run.slot);
    const auto& definition = schedule.compiled->definition;
    if (run.dispatch == DispatchStatus::dispatched && is_of_team(definition)) {
        team_runs_.add_row(schedule.tenant_key, definition.assignee->id, slot, schedule.key);
    }
    if (is_terminal(run.execution))
        add_target_end({schedule.key, slot}, definition.target.name(), {schedule.tenant_key, run.execution, now});
    if (run.execution != ExecutionStatus::queued) return;
    if (run.workflow_run) return add_workflow_run(schedule, slot, *run.workflow_run, now);
    // Only the queue's key is written, and it is known unless it depends on the input.
    const auto task = single_task(definition, run.input, {schedule.key, slot}, run.fire_at, 0, {});
    const bool has_receiver = model::receiver_in(task.queue).has_value();
    tasks_.add(task, has_receiver ? queue_key(definition.tenant, task.queue, {}) : schedule.queue_key, now);
}

void PlanWriter::add_workflow_run(const CachedSchedule& schedule, std::int64_t slot,
                                  const decide::WorkflowStart& workflow_run, Instant now) {
    const auto workflow = workflow_key(schedule.compiled->definition.tenant, workflow_run.workflow);
    walks_.add_row(schedule.key, slot, workflow, workflow_run.version, epoch_us(workflow_run.deadline));
    for (const auto& node : workflow_run.nodes)
        put_node(schedule, node, node_task(node, {}, {schedule.key, slot}, workflow_run.priority), now);
}

void PlanWriter::put_node(const CachedSchedule& schedule, const model::NodeRun& node, const NewTask& task,
                          Instant now) {
    nodes_.add_row(task.run.schedule, task.run.slot, node.node, number_of(node.status), std::int64_t{node.attempts},
                   std::int64_t{node.attempts_before}, std::int64_t{node.redeliveries}, node.queue, node.assignee,
                   epoch_us(node.ready_at), node.timeout ? Value(Micros{*node.timeout}.count()) : Value(),
                   null_or(node.started_at), null_or(node.completed_at),
                   node.input.is_null() ? Value() : Value(to_text(node.input)),
                   node.result.is_null() ? Value() : Value(to_text(node.result)), null_if_empty(node.error),
                   null_or_number(node.category));
    if (node.status != model::NodeStatus::queued) return;
    tasks_.add(task, queue_key(schedule.compiled->definition.tenant, task.queue, task.assignee), now);
}

void PlanWriter::add_nodes(const CachedSchedule& schedule, const decide::Facts& facts, const decide::Plan& plan,
                           const KnownToWriter& known) {
    static const Json kNone;
    const auto& input = facts.run ? facts.run->input : kNone;
    for (const auto& change : plan.nodes) {
        const auto run = model::parse_run_id(change.run_id).value_or(model::RunKey{});
        const auto& node = change.node;
        if (!known.lease_taken || node.node != facts.node) left_nodes_.add_row(run.schedule, run.slot, node.node);
        if (node.node.empty()) {
            requeued_runs_.add_row(std::int64_t{node.attempts}, null_or(node.started_at), null_if_empty(node.error),
                                   run.schedule, run.slot);
        }
        put_node(schedule, node, node_task(node, input, run, change.priority), plan.decided_at);
    }
    for (const auto& note : plan.notes) {
        // Without nodes there is no history that counts its events.
        if (has_no_nodes(facts, note.run_id, known) && note.event.sequence == 0) continue;
        notes_[model::parse_run_id(note.run_id).value_or(model::RunKey{})].push_back(note.event);
    }
    if (!plan.replays.empty()) {
        const auto run = model::parse_run_id(plan.replays).value_or(model::RunKey{});
        replayed_.add_row(run.schedule, run.slot);
    }
}

void PlanWriter::add_ends(const CachedSchedule& schedule, const decide::Facts& facts, const decide::Plan& plan,
                          const KnownToWriter& known) {
    for (const auto& end : plan.ends) {
        const auto run = model::parse_run_id(end.run_id).value_or(model::RunKey{});
        const bool alone = has_no_nodes(facts, end.run_id, known);
        if (known.lease_taken && end.run_id == facts.run->id) {
            add_values_of(ended_attempts_, end, plan.decided_at);
            ended_attempts_.push(std::int64_t{facts.run->attempts});
            ended_attempts_.push(null_or(facts.run->started_at));
            ended_attempts_.push(run.schedule);
            ended_attempts_.push(run.slot);
            if (!alone) leases_beside_them_.add_row(run.schedule, run.slot);
        } else {
            ends_.emplace(run, std::pair{end, plan.decided_at});
        }
        if (schedule.may_run_workflow() && !alone) ended_walks_.add_row(run.schedule, run.slot);
        if (known.watched) add_result(schedule, facts, end, plan.decided_at);
        if (is_dead_letter(end.status))
            dead_letters_.add_row(schedule.tenant_key, epoch_us(plan.decided_at), run.slot, run.schedule);
    }
}

// A plan knows the target of its own run. Another run that it ends may be of an earlier version, with another target.
void PlanWriter::add_result(const CachedSchedule& schedule, const decide::Facts& facts, const decide::RunEnd& end,
                            Instant at) {
    const auto run = model::parse_run_id(end.run_id).value_or(model::RunKey{});
    const auto& definition = schedule.compiled->definition;
    const TargetResult result{schedule.tenant_key, end.status, at};
    const bool is_own = facts.run && facts.run->id == end.run_id;
    if (end.target || is_own || definition.version == 1) {
        add_target_end(run, end.target.value_or(definition.target.name()), result);
    } else {
        results_to_place_.emplace(run, result);
    }
}

void PlanWriter::add_target_end(const model::RunKey& run, const model::TargetName& target, const TargetResult& result) {
    target_ends_.add_row(result.tenant_key, target.kind, number_of(target.type), epoch_us(result.at), run.slot,
                         run.schedule, number_of(result.status));
}

// A run that cannot be read has no known target, so no condition counts it.
Result<void> PlanWriter::place_results(Session& session, StoreMemory& memory) {
    if (results_to_place_.empty()) return {};
    Batch keys;
    for (const auto& [run, result] : results_to_place_) keys.add_row(run.schedule, run.slot);
    auto runs = read_runs_with_definitions(session, kRunsByKey, keys, memory.definitions, Sees::anything);
    if (!runs) return runs.error();
    for (const auto& [run, definition, unreadable] : *runs) {
        const auto key = *model::parse_run_id(run.id);
        if (!unreadable) add_target_end(key, definition->target.name(), results_to_place_.at(key));
    }
    results_to_place_.clear();
    return {};
}

void PlanWriter::add_approvals(const CachedSchedule& schedule, const decide::Facts& facts, const decide::Plan& plan) {
    for (const auto& asked : plan.asks) {
        const auto run = model::parse_run_id(asked.run_id).value_or(model::RunKey{});
        asks_.add_row(run.schedule, run.slot, asked.node, std::int64_t{asked.attempts}, schedule.tenant_key,
                      asked.action, number_of(asked.why), epoch_us(asked.requested_at), epoch_us(asked.expires_at),
                      null_or(asked.workflow_version));
    }
    for (const auto& verdict : plan.verdicts) {
        const auto run = model::parse_run_id(verdict.run_id).value_or(model::RunKey{});
        verdicts_.add_row(number_of(verdict.status), null_or(verdict.decided_at), verdict.decided_by, verdict.comment,
                          run.schedule, run.slot, verdict.node, std::int64_t{verdict.attempts});
    }
    // The workflow of the plan's own run is known. The workflows of other runs that the plan starts or ends are not.
    const auto* const walked = facts.workflow_run ? facts.workflow_run->workflow.get() : nullptr;
    const auto may_ask = [&](const std::string& run_id) {
        return decide::may_ask(schedule.compiled->definition, facts.run && facts.run->id == run_id ? walked : nullptr);
    };
    const auto begins = [this](const std::string& run_id, const std::string& node) {
        const auto run = model::parse_run_id(run_id).value_or(model::RunKey{});
        begun_.add_row(run.schedule, run.slot, node);
    };
    for (const auto& start : plan.starts) begins(start.run_id, {});
    for (const auto& change : plan.nodes) {
        if (change.node.status == model::NodeStatus::queued && may_ask(change.run_id))
            begins(change.run_id, change.node.node);
    }
    for (const auto& end : plan.ends) {
        if (!may_ask(end.run_id)) continue;
        const auto run = model::parse_run_id(end.run_id).value_or(model::RunKey{});
        voided_.add_row(epoch_us(plan.decided_at), run.schedule, run.slot);
    }
}

// Checks the approvals of everything that starts, after writing new decisions and before voiding the open requests of
// ended runs.
Result<void> PlanWriter::write_approvals(Session& session) const {
    if (auto asked = run_batch(session, kInsertApproval, asks_); !asked) return asked;
    if (auto decided = run_exactly(session, kDecideApproval, verdicts_, "an approval is no longer pending"); !decided)
        return decided;
    std::optional<Error> lacking;
    auto read = session.run(kUnapproved, begun_, [&lacking](const UnapprovedWork& work) {
        lacking = not_approved(model::run_id(work.run.schedule, work.run.slot), work.node);
    });
    if (!read) return read.error();
    if (lacking) return *lacking;
    return run_batch(session, kVoidApprovals, voided_);
}

void PlanWriter::add_definition(std::int64_t key, const model::Schedule& definition, bool living) {
    const auto tenant = model::tenant_key(definition.tenant);
    if (living && !definition.condition.is_null()) {
        const auto type = static_cast<std::int64_t>(definition.target.type);
        watches_.add_row(key, tenant, definition.target.kind, type);
        watched_.emplace(std::tuple(tenant, definition.target.kind, type), definition.updated_at);
    }
    if (living) {
        for (const auto& event : definition.spec.events) subscriptions_.add_row(tenant, event.name, key);
    }
    definitions_.add_row(key, definition.version, to_text(model::to_json(definition)));
    for (const auto& [label, value] : definition.labels) labels_.add_row(tenant, label, value, definition.name, key);
    for (const auto& calendar : definition.calendars) calendar_uses_.add_row(tenant, calendar, key);
}

model::ChainHash PlanWriter::add_events(std::int64_t key, const decide::Plan& plan, model::ChainHash chain) {
    for (const auto& event : plan.events) {
        auto payload = to_text(event.payload);
        chain = model::chain_hash(chain, plan.schedule_id, event, payload);
        events_.add_row(key, event.sequence, number_of(event.type), epoch_us(event.recorded_at), std::move(payload),
                        Bytes{chain});
    }
    return chain;
}

// A run that ends at this moment may be missed, because neither transaction sees the other: then one past result is
// missing.
Result<void> PlanWriter::write_watches(Session& session) const {
    for (const auto* const gone : {&relabelled_, &forsaken_}) {
        if (auto deleted = run_batch(session, kDeleteWatch, *gone); !deleted) return deleted;
        if (auto deleted = run_batch(session, kDeleteSubscriptions, *gone); !deleted) return deleted;
    }
    for (const auto& [target, since] : watched_) {
        const auto& [tenant, kind, type] = target;
        // A run that ended within the span was mostly decided within twice the span.
        const auto from = epoch_ms(since - 2 * kStatsSpan) * 4;
        if (auto filled = session.later(kFillEnds, {tenant, kind, type, from, kStatsRunsMax}); !filled) return filled;
        if (auto filled = session.later(kFillLastEnds, {tenant, kind, type, kStatsRunsMax}); !filled) return filled;
    }
    if (auto watched = run_batch(session, kInsertWatch, watches_); !watched) return watched;
    return run_batch(session, kInsertSubscription, subscriptions_);
}

// Removes the run's lease, which has the number of attempts and the start.
Result<void> PlanWriter::write_ends(Session& session) const {
    Batch keys;
    Batch rows;
    for (const auto& [key, end] : ends_) {
        keys.add_row(key.schedule, key.slot);
        add_values_of(rows, end.first, end.second);
        rows.push(key.schedule);
        rows.push(key.slot);
    }
    static const char* const kEndedBefore = "a run that should end has already ended";
    if (auto ended = run_exactly(session, kEndRun, rows, kEndedBefore); !ended) return ended;
    if (auto ended = run_exactly(session, kEndAttempt, ended_attempts_, kEndedBefore); !ended) return ended;
    if (auto left = run_batch(session, kDeleteLeasesOfRun, leases_beside_them_); !left) return left;
    return run_batch(session, kDeleteLeasesOfRun, keys);
}

// A run that waited may use an older definition: its task goes to that definition's queue.
Result<void> PlanWriter::write_starts(Session& session, StoreMemory& memory) {
    if (starts_.empty()) return {};
    Batch keys;
    for (const auto& [key, turn] : starts_) keys.add_row(key.schedule, key.slot);
    if (auto started = run_exactly(session, kStartRun, keys, "a run that should start does not wait for approval");
        !started)
        return started;
    auto runs = read_runs_with_definitions(session, kRunsByKey, keys, memory.definitions, Sees::anything);
    if (!runs) return runs.error();
    for (const auto& [run, definition, unreadable] : *runs) {
        const auto key = *model::parse_run_id(run.id);
        if (unreadable) return Error{ErrorCode::corrupt, "run " + run.id + " cannot be read"};
        const auto& start = starts_.at(key);
        if (start.walks) continue;
        const auto task = single_task(*definition, run.input, key, start.ready_at, 0, memory.default_connection);
        tasks_.add(task, queue_key(definition->tenant, task.queue, task.assignee), start.now);
    }
    return {};
}

// Writes the schedules' own rows first: concurrent writers meet there, in key order.
Result<void> PlanWriter::write(Session& session, StoreMemory& memory) {
    struct Step {
        const Statement& statement;
        const Batch& batch;
        const char* otherwise;  // null: any number of rows
    };
    const std::array steps{
        Step{kInsertSchedule, new_schedules_, nullptr},
        Step{kInsertState, new_states_, nullptr},
        Step{kUpdateState, states_, "a schedule was changed by another transaction"},
        Step{kUpdateStateAtEnd, states_at_end_, "a schedule was changed by another transaction"},
        Step{kInsertRun, runs_, nullptr},
        Step{kReleaseRun, releases_, "a run to release or to decide again was changed by another transaction"},
        Step{kInsertTeamRun, team_runs_, nullptr},
        Step{kInsertEnd, target_ends_, nullptr},
        Step{kInsertEvent, events_, nullptr},
        Step{kInsertWorkflowRun, walks_, nullptr},
        Step{kPutNode, nodes_, nullptr},
        Step{kDeleteLease, left_nodes_, nullptr},
        Step{kRetryRun, requeued_runs_, "a run to continue has already ended"},
        Step{kInsertDeadLetter, dead_letters_, nullptr},
        Step{kDeleteDeadLetter, replayed_, kNoDeadLetter},
        Step{kUpdateSchedule, changed_schedules_, nullptr},
        Step{kInsertDefinition, definitions_, nullptr},
        Step{kDeleteLabels, relabelled_, nullptr},
        Step{kDeleteCalendarUses, relabelled_, nullptr},
        Step{kInsertLabel, labels_, nullptr},
        Step{kInsertCalendarUse, calendar_uses_, nullptr},
        Step{kStamp, stamps_, nullptr}};
    if (auto held = hold_assignments(session, assigned_); !held) return held;
    if (auto requested = write_requests(session); !requested) return requested;
    if (auto placed = place_results(session, memory); !placed) return placed;
    for (const auto& step : steps) {
        auto done = step.otherwise ? run_exactly(session, step.statement, step.batch, step.otherwise)
                                   : run_batch(session, step.statement, step.batch);
        if (!done) return done;
    }
    if (auto watched = write_watches(session); !watched) return watched;
    if (auto told = write_feed(session); !told) return told;
    if (auto approved = write_approvals(session); !approved) return approved;
    if (auto started = write_starts(session, memory); !started) return started;
    if (auto written = tasks_.write(session); !written) return written;
    // A claim of a node locks in the same order: first the workflow run, then the run. Once this transaction holds
    // the lock, a claim has either committed, and its lease is removed here, or it will find that the workflow run
    // has ended.
    if (auto noted = write_notes(session, notes_); !noted) return noted;
    if (auto ended = run_batch(session, kEndWorkflowRun, ended_walks_); !ended) return ended;
    if (auto ended = write_ends(session); !ended) return ended;
    return write_counts(session);
}

}  // namespace belfry::store::sql
