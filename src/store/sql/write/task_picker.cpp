#include "store/sql/write/task_picker.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>

#include "store/listing.hpp"
#include "store/rules/lease_rules.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_reading.hpp"
#include "store/sql/values.hpp"
#include "store/sql/write/plan_writer.hpp"

namespace belfry::store::sql {

using model::ExecutionStatus;
using model::RunKey;

namespace {

constexpr int kPicksMax = 100;                // rounds of a claim that finds tasks of ended or unreadable runs
constexpr Seconds kAsideFor{60};              // until an unreadable task is tried again
constexpr std::int64_t kPromotedMax = 1'000;  // delayed tasks that one claim makes ready

// A row of kInsertReady or kInsertDelayed.
void add_task(Batch& rows, std::int64_t queue, const QueuedTask& task, std::int64_t ready_us) {
    rows.add_row(queue, task.rank, ready_us, task.run.schedule, task.run.slot, task.node, task.attempt,
                 null_or(task.timeout_us));
}

// Cuts what does not fit any more off the end. The first always fits.
std::vector<PickedTask> cut_off(std::vector<PickedTask>& tasks, std::size_t bytes) {
    PageBudget budget(tasks.size(), bytes);
    auto end = tasks.begin();
    for (; end != tasks.end() && !budget.is_full(); ++end) budget.add(end->bytes);
    std::vector<PickedTask> rest(std::make_move_iterator(end), std::make_move_iterator(tasks.end()));
    tasks.erase(end, tasks.end());
    return rest;
}

Batch runs_of(const std::vector<PickedTask>& tasks) {
    std::set<RunKey> keys;
    for (const auto& task : tasks) keys.insert(task.run);
    Batch runs;
    for (const auto& key : keys) runs.add_row(key.schedule, key.slot);
    return runs;
}

}  // namespace

Instant PickedTask::lease_until() const { return lease_end(by->now, by->lease, deadline()); }

Result<Picks> TaskPicker::pick(PickLimits limits) {
    Picks picks;
    const bool weighs = limits.tasks > 1 && limits.bytes < std::numeric_limits<std::size_t>::max();
    for (int round = 0; round < kPicksMax && picks.tasks.size() < limits.tasks && limits.bytes > 0; ++round) {
        auto found = take_ready(limits.tasks - picks.tasks.size());
        if (!found) return found.error();
        if (found->empty()) break;
        if (weighs) {
            if (auto kept = keep_fitting(*found, limits.bytes); !kept) return kept.error();
        }
        if (auto sorted = sort_out(std::move(*found), limits, picks); !sorted) return sorted.error();
    }
    return picks;
}

// Delayed tasks of this queue that have become due are included; the same round trip looks for them, and there are
// rarely any. Delayed tasks of other queues are left to the claims from those queues.
Result<std::vector<PickedTask>> TaskPicker::take_ready(std::size_t limit) {
    std::vector<QueuedTask> due;
    auto asked = session_.later(kPickDelayed, {queue_, epoch_us(now_), kPromotedMax},
                                [&due](QueuedTask task) { due.push_back(std::move(task)); });
    if (!asked) return asked.error();
    std::vector<PickedTask> taken;
    if (auto done = take_into(taken, limit); !done) return done.error();
    if (!due.empty()) {
        if (auto promoted = promote(due, taken); !promoted) return promoted.error();
        taken.clear();
        if (auto done = take_into(taken, limit); !done) return done.error();
    }
    std::ranges::sort(taken, {},
                      [](const PickedTask& task) { return std::tie(task.rank, task.ready_us, task.run, task.node); });
    return taken;
}

Result<void> TaskPicker::take_into(std::vector<PickedTask>& taken, std::size_t limit) {
    auto read = session_.run(kPickReady, {queue_, static_cast<std::int64_t>(limit)},
                             [&taken](QueuedTask task) { taken.push_back({std::move(task)}); });
    if (!read) return read.error();
    return {};
}

// Makes all of them ready, to pick again: a task that has just become due may come before the others.
Result<void> TaskPicker::promote(const std::vector<QueuedTask>& due, const std::vector<PickedTask>& taken) {
    Batch ready;
    Batch gone;
    for (const auto& task : due) {
        add_task(ready, queue_, task, task.ready_us);
        gone.add_row(queue_, task.ready_us, task.run.schedule, task.run.slot, task.node);
    }
    for (const auto& task : taken) add_task(ready, queue_, task, task.ready_us);
    if (auto inserted = run_batch(session_, kInsertReady, ready); !inserted) return inserted;
    return run_batch(session_, kDeleteDelayed, gone);
}

// Before their runs are read: large ones would fill the memory.
Result<void> TaskPicker::keep_fitting(std::vector<PickedTask>& tasks, std::size_t bytes) {
    if (auto weighed = weigh(tasks); !weighed) return weighed;
    return put_back(cut_off(tasks, bytes));
}

// About how many bytes a worker gets with each: its input, and the target of its definition.
Result<void> TaskPicker::weigh(std::vector<PickedTask>& tasks) {
    std::map<RunKey, TaskBytes> weights;
    auto read = session_.run(kTaskBytes, runs_of(tasks), [&weights](const TaskBytes& run) { weights[run.run] = run; });
    if (!read) return read.error();
    Batch nodes;
    for (const auto& task : tasks) {
        if (!task.node.empty()) nodes.add_row(task.run.schedule, task.run.slot, task.node);
    }
    std::map<std::pair<RunKey, std::string>, std::int64_t> inputs;
    read = session_.run(kNodeBytes, nodes, [&inputs](NodeBytes node) {
        inputs[{node.run, std::move(node.node)}] = node.input;
    });
    if (!read) return read.error();
    for (auto& task : tasks) {
        const auto& weight = weights[task.run];
        const auto input = task.node.empty() ? weight.input.value_or(weight.definition) : inputs[{task.run, task.node}];
        task.bytes = static_cast<std::size_t>(weight.definition + input);
    }
    return {};
}

Result<void> TaskPicker::put_back(const std::vector<PickedTask>& tasks) {
    if (tasks.empty()) return {};
    Batch ready;
    for (const auto& task : tasks) add_task(ready, queue_, task, task.ready_us);
    if (auto inserted = run_batch(session_, kInsertReady, ready); !inserted) return inserted;
    // A claim that waits may have looked meanwhile.
    return notify(session_,
                  {TasksReady{.tenant = request_.tenant, .queue = request_.queue, .assignee = request_.assignee}});
}

// Keeps the tasks that a worker can do. Tasks of ended runs are dropped.
Result<void> TaskPicker::sort_out(std::vector<PickedTask> found, PickLimits& limits, Picks& picks) {
    auto runs = read_all(session_, kRunsAlone, runs_of(found));
    if (!runs) return runs.error();
    const auto unreadable = unreadable_among(session_, *runs, definitions_);
    if (!unreadable) return unreadable.error();
    for (auto& run : *runs) picks.runs.insert_or_assign(run.key, std::move(run));
    std::vector<PickedTask> aside;
    for (auto& task : found) {
        const auto run = picks.runs.find(task.run);
        if (run == picks.runs.end()) continue;
        const auto status = run->second.run.execution;
        if (status != ExecutionStatus::queued && status != ExecutionStatus::running) continue;
        const bool waits = unreadable->contains(task.run);
        if (!waits) limits.bytes -= std::min(limits.bytes, task.bytes);
        (waits ? aside : picks.tasks).push_back(std::move(task));
    }
    return set_aside(aside);
}

// Delays tasks that no worker can do, because they are unreadable. They lose no attempt: an operator may repair their
// schedule.
Result<void> TaskPicker::set_aside(const std::vector<PickedTask>& tasks) {
    Batch later;
    for (const auto& task : tasks) add_task(later, queue_, task, epoch_us(now_ + kAsideFor));
    return run_batch(session_, kInsertDelayed, later);
}

}  // namespace belfry::store::sql
