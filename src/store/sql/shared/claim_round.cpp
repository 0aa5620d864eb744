#include "store/sql/shared/claim_round.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include "store/listing.hpp"
#include "store/rules/attempt_events.hpp"
#include "store/rules/claimed_task.hpp"
#include "store/rules/lease_rules.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/tenant_rows.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_reading.hpp"
#include "store/sql/statements/statements_tasks.hpp"
#include "store/sql/statements/statements_workflow_runs.hpp"
#include "store/sql/values.hpp"
#include "store/sql/write/plan_writer.hpp"

namespace belfry::store::sql {

using model::ExecutionStatus;
using model::RunKey;

namespace {

constexpr int kTriesMax = 5;  // once something is committed; the database backs off in between

// A queue's key is a shortened hash, so its tasks may be handed out only if they belong to the tenant.
bool are_all_of(const std::map<RunKey, RunRow>& runs, const std::string& tenant) {
    const auto key = model::tenant_key(tenant);
    return std::ranges::all_of(runs, [key](const auto& each) { return each.second.tenant == key; });
}

// Workflow runs in progress, and whether they start now. Locks them, so that only one of several concurrent claims
// starts a run.
Result<std::map<RunKey, bool>> lock_walks(Session& session, const Batch& keys) {
    std::map<RunKey, bool> under_way;
    Batch told;  // runs with events, perhaps only a request for approval
    auto read = session.run(kLockWorkflowRuns, keys, [&](const RunEventCount& workflow_run) {
        const bool begins = workflow_run.events == model::WorkflowRun{}.events;
        under_way[workflow_run.run] = begins;
        if (!begins) told.add_row(workflow_run.run.schedule, workflow_run.run.slot);
    });
    if (!read) return read.error();
    // Read after the lock on the workflow runs: no other claim can start them now.
    read = session.run(kRunEnd, told, [&under_way](const RunProgress& run) {
        under_way[run.run] = run.execution == ExecutionStatus::queued;
    });
    if (!read) return read.error();
    return under_way;
}

}  // namespace

std::size_t claim_limit(const ClaimRequest& request) { return std::min(request.limit, kClaimMax); }

PickLimits ClaimRound::limits() const {
    PickLimits sum;
    for (const auto* const request : requests_) {
        sum.tasks += claim_limit(*request);
        sum.bytes += std::min(request->bytes, std::numeric_limits<std::size_t>::max() - sum.bytes);
    }
    return sum;
}

Instant ClaimRound::now() const {
    return (*std::ranges::max_element(requests_, {}, [](const auto* request) { return request->now; }))->now;
}

Result<void> ClaimRound::take(Session& session) {
    const auto& any = *requests_.front();
    TaskPicker picker(session, queue_, any, now(), memory_.definitions);
    auto picks = picker.pick(limits());
    if (!picks) return picks.error();
    picks_ = std::move(*picks);
    if (picks_.tasks.empty()) return require_tenant(session, any.tenant);
    if (!are_all_of(picks_.runs, any.tenant))
        return Error{ErrorCode::conflict, "the queue's key is taken by another tenant's: use another name"};
    if (auto back = picker.put_back(hand_out()); !back) return back;
    limit_time();
    if (auto begun = begin_walks(session); !begun) return begun;
    return write_leases(session);
}

// To the first as many as it asked for and has room for, then to the next. Returns the tasks that no request has room
// for.
std::vector<PickedTask> ClaimRound::hand_out() {
    auto& tasks = picks_.tasks;
    auto task = tasks.begin();
    for (const auto* const request : requests_) {
        PageBudget budget(claim_limit(*request), request->bytes);
        for (; task != tasks.end() && !budget.is_full(); ++task) {
            task->by = request;
            budget.add(task->bytes);
        }
    }
    std::vector<PickedTask> rest(std::make_move_iterator(task), std::make_move_iterator(tasks.end()));
    tasks.erase(task, tasks.end());
    return rest;
}

void ClaimRound::limit_time() {
    for (auto& task : picks_.tasks) {
        const auto timeout = task.timeout_us ? std::optional<Micros>(*task.timeout_us) : std::nullopt;
        const auto longest =
            attempt_time({timeout, task.node.empty(), task.attempt > 0, picks_.runs.at(task.run).run.fire_at},
                         memory_.caps, task.by->now);
        if (longest) task.timeout_us = longest->count();
    }
}

// Starts the runs whose first node is claimed. Single tasks write nothing: their lease shows the start. Omits the tasks
// of workflow runs that have ended.
Result<void> ClaimRound::begin_walks(Session& session) {
    std::map<RunKey, std::vector<const PickedTask*>> nodes;
    for (const auto& task : picks_.tasks) {
        if (!task.node.empty()) nodes[task.run].push_back(&task);
    }
    if (nodes.empty()) return {};
    Batch keys;
    for (const auto& [key, tasks] : nodes) keys.add_row(key.schedule, key.slot);
    const auto under_way = lock_walks(session, keys);
    if (!under_way) return under_way.error();
    Batch first;
    RunNotes notes;
    for (const auto& [key, new_run] : *under_way) {
        bool begins = new_run;
        const auto& tasks = nodes.at(key);
        if (begins) first.add_row(epoch_us(tasks.front()->by->now), key.schedule, key.slot);
        for (const auto* const task : tasks) {
            std::ranges::move(claim_events(begins, {{task->node, static_cast<int>(task->attempt + 1)}},
                                           task->by->worker, task->by->now),
                              std::back_inserter(notes[key]));
            begins = false;
        }
    }
    std::erase_if(picks_.tasks,
                  [&](const PickedTask& task) { return !task.node.empty() && !under_way->contains(task.run); });
    if (auto begun = run_batch(session, kBeginRun, first); !begun) return begun;
    return write_notes(session, notes);
}

Result<void> ClaimRound::write_leases(Session& session) const {
    Batch leases;
    for (const auto& task : picks_.tasks) {
        leases.add_row(task.run.schedule, task.run.slot, task.node, task.attempt + 1, task.by->worker,
                       epoch_us(task.by->now), epoch_us(task.lease_until()), null_or(task.deadline()), queue_);
    }
    return run_batch(session, kInsertLease, leases);
}

Result<CommitOutcome> ClaimRound::look_for(Session& session) const {
    if (picks_.tasks.empty()) return CommitOutcome::yes;
    // A lost claim still holds the lock on the task's row, in the ready tasks or, if it had just become due, in the
    // delayed ones.
    const auto& task = picks_.tasks.front();
    const auto& run = task.run;
    auto read = session.run(kLockDelayed, {queue_, task.ready_us, run.schedule, run.slot, task.node});
    if (!read) return read.error();
    read = session.run(kLockReady, {queue_, task.rank, task.ready_us, run.schedule, run.slot, task.node});
    if (!read) return read.error();
    const auto held = read_one(session, kLockLeases, {run.schedule, run.slot, task.node});
    if (!held) return held.error();
    if (!*held) return CommitOutcome::no;
    // After the task was free again, another worker may have claimed it, with the same attempt number.
    const auto& lease = (*held)->lease;
    const bool ours =
        lease.ref.attempt == task.attempt + 1 && lease.since == task.by->now && lease.worker == task.by->worker;
    return ours ? CommitOutcome::yes : CommitOutcome::no;
}

Result<TasksByClaim> ClaimRound::read_tasks(Database& database) {
    TasksByClaim tasks;
    if (picks_.tasks.empty()) return tasks;
    // The leases exist, so the error must not claim that nothing was changed.
    if (auto loaded = load(database); !loaded)
        return from_database(ErrorCode::unknown, "tasks were claimed but could not be read: " + loaded.error().message);
    for (const auto& task : picks_.tasks) {
        const auto found = runs_.find(task.run);
        const auto workflow_run = walks_.find(task.run);
        const bool walks = workflow_run != walks_.end();
        // Its workflow is unreadable: its lease expires, and the run ends with it.
        if (found == runs_.end() || found->second.unreadable || (!task.node.empty() && !walks)) continue;
        tasks[task.by].push_back(
            task_of({found->second.run, *found->second.definition, walks ? &workflow_run->second.workflow_run : nullptr,
                     task.node, static_cast<int>(task.attempt + 1), task.lease_until(), task.by->assignee,
                     Instant{Micros{task.ready_us}}}));
    }
    return tasks;
}

// The rest of the task is mostly cached. Anything else is read after the commit, because then it is committed data and
// may be cached.
Result<void> ClaimRound::load(Database& database) {
    std::vector<RunRow> rows;
    std::vector<RunKey> walking;
    std::set<RunKey> seen;
    for (const auto& task : picks_.tasks) {
        if (!seen.insert(task.run).second) continue;
        rows.push_back(std::move(picks_.runs.at(task.run)));
        if (!task.node.empty()) walking.push_back(task.run);
    }
    auto remembered = complete_from_memory(rows, memory_.definitions);
    if (remembered) keep(std::move(*remembered));
    if (remembered && walking.empty()) return {};
    const auto read = [&](Session& session) { return load(session, rows, walking); };
    auto done = database.read(read);
    for (int i = 1; !done && i < kTriesMax; ++i) done = database.read(read);
    return done;
}

Result<void> ClaimRound::load(Session& session, const std::vector<RunRow>& rows, const std::vector<RunKey>& walking) {
    if (runs_.empty()) {
        Batch keys;
        for (const auto& row : rows) keys.add_row(row.key.schedule, row.key.slot);
        auto read = read_runs_with_definitions(session, kRunsByKey, keys, memory_.definitions, Sees::committed);
        if (!read) return read.error();
        keep(std::move(*read));
    }
    if (walking.empty()) return {};
    auto walks = read_readable_walks(session, walking, memory_.workflows);
    if (!walks) return walks.error();
    walks_ = std::move(*walks);
    return {};
}

void ClaimRound::keep(std::vector<RunWithDefinition> runs) {
    for (auto& each : runs) runs_.emplace(*model::parse_run_id(each.run.id), std::move(each));
}

}  // namespace belfry::store::sql
