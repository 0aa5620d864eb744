// Tasks and leases. A ready task is a narrow row in its own table. A claim moves it to the leases and does not touch
// the run, which is written again only when it ends. What happens to a claim after a crash:
//
//   worker, after the claim         the lease expires, the reaper ends the attempt, and the task is ready again
//   server, before the commit       nothing was claimed
//   server, after the commit        the worker never learns of the claim: as in the first case
//   worker that was only slow       its fencing token is the attempt's number; the next claim has a higher one, and the
//                                   server rejects the old worker's report
#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>

#include "base/time/clock_guard.hpp"
#include "store/listing.hpp"
#include "store/rules/attempt_events.hpp"
#include "store/rules/claimed_task.hpp"
#include "store/rules/lease_rules.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements.hpp"

namespace belfry::store::sql {

using model::ExecutionStatus;
using model::RunKey;

namespace {

constexpr int kPicksMax = 100;                // rounds of a claim that finds tasks of ended or unreadable runs
constexpr Seconds kAsideFor{60};              // until an unreadable task is tried again
constexpr std::int64_t kPromotedMax = 1'000;  // delayed tasks that one claim makes ready
constexpr int kTriesMax = 5;                  // once something may be committed; the database backs off in between

struct Picked {
    std::int64_t rank = 0;
    std::int64_t ready_us = 0;
    RunKey key;
    std::string node = {};
    std::int64_t attempt = 0;  // until now
    std::optional<std::int64_t> timeout_us = {};
    const ClaimRequest* by = nullptr;  // who gets it
    std::size_t bytes = 0;             // about so many in the answer, for claims with a bound

    [[nodiscard]] std::optional<Instant> deadline() const {
        return timeout_us ? std::optional(by->now + Micros{*timeout_us}) : std::nullopt;
    }
    [[nodiscard]] Instant lease_until() const { return lease_end(by->now, by->lease, deadline()); }
};

// Tasks taken from a queue, with the rows of their runs.
struct Picks {
    std::vector<Picked> tasks = {};
    std::map<RunKey, RunRow> runs = {};
};

// Takes the next ready tasks from a queue. Delayed tasks of this queue that have become due are included; the same
// round trip looks for them, and there are rarely any. Delayed tasks of other queues are left to the claims from
// those queues.
Result<std::vector<Picked>> take_ready(Session& session, std::int64_t queue, Instant now, std::size_t limit) {
    Batch due;
    Batch gone;
    const auto find_due = [&](const Row& row) {
        due.add_row(row.integer(0), row.integer(1), row.integer(2), row.integer(3), row.integer(4), text_at(row, 5),
                    row.integer(6), null_or(optional_integer(row, 7)));
        gone.add_row(row.integer(0), row.integer(2), row.integer(3), row.integer(4), text_at(row, 5));
    };
    std::vector<Picked> taken;
    const auto take = [&]() -> Result<void> {
        taken.clear();
        auto read = session.run(kPickReady, {queue, static_cast<std::int64_t>(limit)}, [&taken](const Row& row) {
            const RunKey run{row.integer(2), row.integer(3)};
            taken.push_back({row.integer(0), row.integer(1), run, text_at(row, 4), row.integer(5),
                             optional_integer(row, 6), nullptr});
        });
        if (!read) return read.error();
        return {};
    };
    if (auto asked = session.later(kPickDelayed, {queue, epoch_us(now), kPromotedMax}, find_due); !asked)
        return asked.error();
    if (auto done = take(); !done) return done.error();
    if (!due.empty()) {
        // Inserts all of them and picks again: a task that has just become due may come before the others.
        for (const auto& task : taken) {
            due.add_row(queue, task.rank, task.ready_us, task.key.schedule, task.key.slot, task.node, task.attempt,
                        null_or(task.timeout_us));
        }
        if (auto inserted = run_batch(session, kInsertReady, due); !inserted) return inserted.error();
        if (auto deleted = run_batch(session, kDeleteDelayed, gone); !deleted) return deleted.error();
        if (auto done = take(); !done) return done.error();
    }
    std::ranges::sort(taken, {},
                      [](const Picked& task) { return std::tie(task.rank, task.ready_us, task.key, task.node); });
    return taken;
}

// Delays tasks that no worker can do, because they are unreadable. They lose no attempt: an operator may repair their
// schedule.
Result<void> set_aside(Session& session, std::int64_t queue, Instant now, const std::vector<Picked>& tasks) {
    Batch later;
    for (const auto& task : tasks) {
        later.add_row(queue, task.rank, epoch_us(now + kAsideFor), task.key.schedule, task.key.slot, task.node,
                      task.attempt, null_or(task.timeout_us));
    }
    return run_batch(session, kInsertDelayed, later);
}

// About how many bytes a worker gets with each: its input, and the target of its definition.
Result<void> weigh(Session& session, std::vector<Picked>& tasks) {
    std::set<RunKey> keys;
    Batch nodes;
    for (const auto& task : tasks) {
        keys.insert(task.key);
        if (!task.node.empty()) nodes.add_row(task.key.schedule, task.key.slot, task.node);
    }
    Batch runs;
    for (const auto& key : keys) runs.add_row(key.schedule, key.slot);
    struct Weight {
        std::int64_t input = 0;
        std::int64_t definition = 0;
    };
    std::map<RunKey, Weight> weights;
    auto read = session.run(kTaskBytes, runs, [&weights](const Row& row) {
        const auto definition = row.integer(3);
        weights[{row.integer(0), row.integer(1)}] = {optional_integer(row, 2).value_or(definition), definition};
    });
    if (!read) return read.error();
    std::map<std::pair<RunKey, std::string>, std::int64_t> inputs;
    read = session.run(kNodeBytes, nodes, [&inputs](const Row& row) {
        inputs[{{row.integer(0), row.integer(1)}, text_at(row, 2)}] = optional_integer(row, 3).value_or(0);
    });
    if (!read) return read.error();
    for (auto& task : tasks) {
        const auto& [input, definition] = weights[task.key];
        task.bytes = static_cast<std::size_t>(definition + (task.node.empty() ? input : inputs[{task.key, task.node}]));
    }
    return {};
}

// Tasks that were picked and do not fit: they are ready again in their old places, and lose no attempt.
Result<void> put_back(Session& session, std::int64_t queue, const ClaimRequest& request,
                      const std::vector<Picked>& tasks) {
    if (tasks.empty()) return {};
    Batch ready;
    for (const auto& task : tasks) {
        ready.add_row(queue, task.rank, task.ready_us, task.key.schedule, task.key.slot, task.node, task.attempt,
                      null_or(task.timeout_us));
    }
    if (auto inserted = run_batch(session, kInsertReady, ready); !inserted) return inserted;
    // A claim that waits may have looked meanwhile.
    return notify(session,
                  {TasksReady{.tenant = request.tenant, .queue = request.queue, .assignee = request.assignee}});
}

// What one transaction takes from a queue.
struct Take {
    std::size_t limit = 0;
    std::size_t bytes = 0;  // all of them; the last one may go beyond
    [[nodiscard]] bool weighs() const { return limit > 1 && bytes < std::numeric_limits<std::size_t>::max(); }
};

// Cuts what does not fit any more off the end. The first always fits.
std::vector<Picked> cut_off(std::vector<Picked>& tasks, std::size_t bytes) {
    PageBudget budget(tasks.size(), bytes);
    auto end = tasks.begin();
    for (; end != tasks.end() && !budget.is_full(); ++end) budget.add(end->bytes);
    std::vector<Picked> rest(std::make_move_iterator(end), std::make_move_iterator(tasks.end()));
    tasks.erase(end, tasks.end());
    return rest;
}

// The next ready tasks of the queue, without those whose runs were ended meanwhile: their rows go. `request` is any of
// those who ask.
Result<Picks> pick_ready(Session& session, std::int64_t queue, Instant now, Take take, const ClaimRequest& request,
                         DefinitionCache& definitions) {
    Picks all;
    const bool weighs = take.weighs();
    for (int round = 0; round < kPicksMax && all.tasks.size() < take.limit && take.bytes > 0; ++round) {
        auto found = take_ready(session, queue, now, take.limit - all.tasks.size());
        if (!found) return found.error();
        if (found->empty()) break;
        if (weighs) {
            if (auto weighed = weigh(session, *found); !weighed) return weighed.error();
            // Before their runs are read: large ones would fill the memory.
            const auto rest = cut_off(*found, take.bytes);
            if (auto back = put_back(session, queue, request, rest); !back) return back.error();
        }
        std::set<RunKey> keys;
        for (const auto& task : *found) keys.insert(task.key);
        Batch asked;
        for (const auto& key : keys) asked.add_row(key.schedule, key.slot);
        auto runs = read_run_rows(session, kRunsByKey, asked);
        if (!runs) return runs.error();
        const auto unreadable = unreadable_among(session, *runs, definitions);
        if (!unreadable) return unreadable.error();
        std::vector<Picked> aside;
        for (auto& run : *runs) all.runs.insert_or_assign(run.key, std::move(run));
        for (auto& task : *found) {
            const auto run = all.runs.find(task.key);
            if (run == all.runs.end()) continue;
            const auto status = run->second.run.execution;
            if (status != ExecutionStatus::queued && status != ExecutionStatus::running) continue;
            const bool waits = unreadable->contains(task.key);
            if (!waits) take.bytes -= std::min(take.bytes, task.bytes);
            (waits ? aside : all.tasks).push_back(std::move(task));
        }
        if (auto waits = set_aside(session, queue, now, aside); !waits) return waits.error();
    }
    return all;
}

// Starts the runs whose first node is claimed. Single tasks write nothing: their lease shows the start. Locks the
// workflow runs, so that only one of several concurrent claims starts a run. Omits the tasks of workflow runs that
// have ended.
Result<void> begin_walks(Session& session, std::vector<Picked>& picked) {
    std::map<RunKey, std::vector<const Picked*>> nodes;
    for (const auto& task : picked) {
        if (!task.node.empty()) nodes[task.key].push_back(&task);
    }
    if (nodes.empty()) return {};
    Batch keys;
    for (const auto& [key, tasks] : nodes) keys.add_row(key.schedule, key.slot);
    std::map<RunKey, bool> under_way;  // and whether it starts now
    Batch told;                        // runs with events, perhaps only a request for approval
    auto locked = session.run(kLockWorkflowRuns, keys, [&](const Row& row) {
        const RunKey key{row.integer(0), row.integer(1)};
        under_way[key] = row.integer(2) == model::WorkflowRun{}.events;
        if (!under_way[key]) told.add_row(key.schedule, key.slot);
    });
    if (!locked) return locked.error();
    // Read after the lock on the workflow runs: no other claim can start them now.
    auto read = session.run(kRunEnd, told, [&](const Row& row) {
        under_way[{row.integer(0), row.integer(1)}] =
            static_cast<ExecutionStatus>(row.integer(2)) == ExecutionStatus::queued;
    });
    if (!read) return read.error();
    Batch first;
    RunNotes notes;
    for (const auto& [key, new_run] : under_way) {
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
    std::erase_if(picked, [&](const Picked& task) { return !task.node.empty() && !under_way.contains(task.key); });
    if (auto begun = run_batch(session, kBeginRun, first); !begun) return begun;
    return write_notes(session, notes);
}

// A queue's key is a shortened hash, so its tasks may be handed out only if they belong to the tenant.
bool are_all_of(const std::map<RunKey, RunRow>& runs, const std::string& tenant) {
    const auto key = model::tenant_key(tenant);
    return std::ranges::all_of(runs, [key](const auto& each) { return each.second.tenant == key; });
}

std::size_t limit_of(const ClaimRequest& request) { return std::min(request.limit, kClaimMax); }

void limit_time(Picks& picks, const decide::RunCaps& caps) {
    for (auto& task : picks.tasks) {
        const auto timeout = task.timeout_us ? std::optional<Micros>(*task.timeout_us) : std::nullopt;
        const auto longest = attempt_time(
            {timeout, task.node.empty(), task.attempt > 0, picks.runs.at(task.key).run.fire_at}, caps, task.by->now);
        if (longest) task.timeout_us = longest->count();
    }
}

// To the first as many as it asked for and has room for, then to the next. Returns the tasks that no request has room
// for.
std::vector<Picked> hand_out(std::vector<Picked>& picked, const std::vector<const ClaimRequest*>& requests) {
    auto task = picked.begin();
    for (const auto* const request : requests) {
        PageBudget budget(limit_of(*request), request->bytes);
        for (; task != picked.end() && !budget.is_full(); ++task) {
            task->by = request;
            budget.add(task->bytes);
        }
    }
    std::vector<Picked> rest(std::make_move_iterator(task), std::make_move_iterator(picked.end()));
    picked.erase(task, picked.end());
    return rest;
}

}  // namespace

Result<std::vector<model::Task>> SqlStore::claim(const ClaimRequest& request) {
    return claims_.ask(queue_key(request.tenant, request.queue, request.assignee), limit_of(request), &request);
}

std::vector<SqlStore::Claimed> SqlStore::claim_together(std::int64_t queue,
                                                        const std::vector<const ClaimRequest*>& requests) {
    auto tasks = claim_for_all(queue, requests);
    std::vector<Claimed> answers;
    for (const auto* const request : requests) {
        if (!tasks) {
            answers.emplace_back(tasks.error());
        } else {
            answers.emplace_back(std::move((*tasks)[request]));
        }
    }
    return answers;
}

Result<std::map<const ClaimRequest*, std::vector<model::Task>>> SqlStore::claim_for_all(
    std::int64_t queue, const std::vector<const ClaimRequest*>& requests) {
    Take take;
    auto now = requests.front()->now;
    for (const auto* const request : requests) {
        take.limit += limit_of(*request);
        take.bytes += std::min(request->bytes, std::numeric_limits<std::size_t>::max() - take.bytes);
        now = std::max(now, request->now);
    }
    Picks picks;
    auto& picked = picks.tasks;
    const auto work = [&](Session& session) -> Result<void> {
        auto ready = pick_ready(session, queue, now, take, *requests.front(), memory_.definitions);
        if (!ready) return ready.error();
        picks = std::move(*ready);
        if (picked.empty()) return need_tenant(session, requests.front()->tenant);
        if (!are_all_of(picks.runs, requests.front()->tenant))
            return Error{ErrorCode::conflict, "the queue's key is taken by another tenant's: use another name"};
        const auto rest = hand_out(picked, requests);
        if (auto back = put_back(session, queue, *requests.front(), rest); !back) return back;
        limit_time(picks, memory_.caps);
        if (auto begun = begin_walks(session, picked); !begun) return begun;
        Batch leases;
        for (const auto& task : picked) {
            leases.add_row(task.key.schedule, task.key.slot, task.node, task.attempt + 1, task.by->worker,
                           epoch_us(task.by->now), epoch_us(task.lease_until()), null_or(task.deadline()), queue);
        }
        return run_batch(session, kInsertLease, leases);
    };
    auto done = commit(work, [&](Session& session) -> Result<CommitOutcome> {
        if (picked.empty()) return CommitOutcome::yes;
        // A lost claim still holds the lock on the task's row, in the ready tasks or, if it had just become due, in
        // the delayed ones.
        const auto& first = picked.front();
        auto read = session.run(kLockDelayed, {queue, first.ready_us, first.key.schedule, first.key.slot, first.node});
        if (!read) return read.error();
        read = session.run(kLockReady,
                           {queue, first.rank, first.ready_us, first.key.schedule, first.key.slot, first.node});
        if (!read) return read.error();
        // After the task was free again, another worker may have claimed it, with the same attempt number.
        bool ours = false;
        read = session.run(kLockLeases, {first.key.schedule, first.key.slot, first.node}, [&](const Row& row) {
            ours = row.integer(2) == first.attempt + 1 && instant_at(row, 3) == first.by->now &&
                   row.text(5) == first.by->worker;
        });
        if (!read) return read.error();
        return ours ? CommitOutcome::yes : CommitOutcome::no;
    });
    if (!done) return done.error();
    if (picked.empty()) return std::map<const ClaimRequest*, std::vector<model::Task>>();

    // The rest of the task is mostly cached. Anything else is read after the commit, because then it is committed
    // data and may be cached.
    Batch keys;
    std::vector<RunKey> nodes;
    std::vector<RunRow> rows;
    std::set<RunKey> asked;
    for (const auto& task : picked) {
        if (!asked.insert(task.key).second) continue;
        keys.add_row(task.key.schedule, task.key.slot);
        rows.push_back(std::move(picks.runs.at(task.key)));
        if (task.node.empty()) continue;
        nodes.push_back(task.key);
    }
    std::map<RunKey, RunWithDefinition> runs;
    const auto keep = [&runs](std::vector<RunWithDefinition> read) {
        for (auto& each : read) runs.emplace(*model::parse_run_id(each.run.id), std::move(each));
    };
    auto remembered = complete_from_memory(rows, memory_.definitions);
    if (remembered) keep(std::move(*remembered));
    std::map<RunKey, WorkflowRunRow> walks;
    const auto read_tasks = [&](Session& session) -> Result<void> {
        if (runs.empty()) {
            auto read = read_runs_with_definitions(session, kRunsByKey, keys, memory_.definitions, Sees::committed);
            if (!read) return read.error();
            keep(std::move(*read));
        }
        if (nodes.empty()) return {};
        auto walked = read_readable_walks(session, nodes, memory_.workflows);
        if (!walked) return walked.error();
        walks = std::move(*walked);
        return {};
    };
    if (!remembered || !nodes.empty()) {
        auto read = database_->read(read_tasks);
        for (int i = 1; !read && i < kTriesMax; ++i) read = database_->read(read_tasks);
        // The leases exist, so the error must not claim that nothing was changed.
        if (!read)
            return from_database(ErrorCode::unknown,
                                 "tasks were claimed but could not be read: " + read.error().message);
    }
    std::map<const ClaimRequest*, std::vector<model::Task>> in_order;
    for (const auto& task : picked) {
        const auto found = runs.find(task.key);
        // Its workflow is unreadable: its lease expires, and the run ends with it.
        const auto walk = walks.find(task.key);
        if (found == runs.end() || found->second.unreadable || (!task.node.empty() && walk == walks.end())) continue;
        in_order[task.by].push_back(
            task_of({found->second.run, *found->second.definition, walk == walks.end() ? nullptr : &walk->second.walk,
                     task.node, static_cast<int>(task.attempt + 1), task.lease_until(), task.by->assignee,
                     Instant{Micros{task.ready_us}}}));
    }
    return in_order;
}

Result<std::vector<model::LeaseRef>> SqlStore::heartbeat(std::span<const model::LeaseRef> leases, Instant now,
                                                         Instant until, const ClockGuard::Move& step) {
    using Held = std::tuple<RunKey, std::string, std::int64_t>;
    const auto held_by = [](const model::LeaseRef& lease) -> std::optional<Held> {
        const auto key = model::parse_run_id(lease.run_id);
        return key ? std::optional(Held{*key, lease.node, lease.attempt}) : std::nullopt;
    };
    Batch rows;
    std::set<Held> asked;
    for (const auto& lease : leases) {
        const auto held = held_by(lease);
        if (!held || !asked.insert(*held).second) continue;
        const auto& run = std::get<RunKey>(*held);
        rows.add_row(epoch_us(step.before), step.by.count(), epoch_us(until), epoch_us(now), run.schedule, run.slot,
                     lease.node, std::int64_t{lease.attempt});
    }
    std::set<Held> held;
    const auto work = [&](Session& session) -> Result<void> {
        auto done = session.run(kHeartbeat, rows, [&held](const Row& row) {
            held.emplace(RunKey{row.integer(0), row.integer(1)}, text_at(row, 3), row.integer(2));
        });
        if (!done) return done.error();
        return {};
    };
    if (auto done = commit_repeatable(work); !done) return done.error();
    std::vector<model::LeaseRef> answer;
    for (const auto& lease : leases) {
        const auto each = held_by(lease);
        if (each && held.contains(*each)) answer.push_back(lease);
    }
    return answer;
}

// The lease's worker shows whether it was already transferred, so the whole call may be repeated.
Result<std::vector<model::LeaseRef>> SqlStore::transfer_lease(std::span<const LeaseTransfer> leases, Instant now) {
    std::map<std::pair<RunKey, std::string>, const LeaseTransfer*> asked;
    for (const auto& passed : leases) {
        if (const auto key = model::parse_run_id(passed.lease.run_id)) asked[{*key, passed.lease.node}] = &passed;
    }
    Batch schedules;
    Batch keys;
    std::optional<std::int64_t> last;
    for (const auto& [place, passed] : asked) {
        if (std::exchange(last, place.first.schedule) != place.first.schedule) schedules.add_row(place.first.schedule);
        keys.add_row(place.first.schedule, place.first.slot, place.second);
    }
    std::vector<model::LeaseRef> held;
    const auto work = [&](Session& session) -> Result<void> {
        held.clear();
        Batch rows;
        RunNotes notes;
        // Locks in the same order as complete(): schedules, leases, workflow runs.
        auto read = session.run(kLockStatesWait, schedules);
        if (!read) return read.error();
        read = session.run(kLockLeasesNamed, keys, [&](const Row& row) {
            const RunKey run{row.integer(0), row.integer(1)};
            const auto& passed = *asked.at({run, text_at(row, 4)});
            if (row.integer(2) != passed.lease.attempt) return;
            held.push_back(passed.lease);
            const auto worker = text_at(row, 3);
            const bool known = worker.starts_with(passed.worker);
            rows.add_row(known ? worker : passed.worker, epoch_us(passed.until), epoch_us(now), run.schedule, run.slot,
                         passed.lease.node);
            if (!known) notes[run].push_back(passing_event(passed, !model::is_publisher(worker), now));
        });
        if (!read) return read.error();
        if (auto done = run_batch(session, kPassOn, rows); !done) return done;
        return write_notes(session, notes);
    };
    if (auto done = commit_repeatable(work); !done) return done.error();
    return held;
}

Result<std::vector<model::Lease>> SqlStore::expired(Instant now, std::size_t limit) {
    std::vector<model::Lease> leases;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = session.run(
            kExpiredLeases, {epoch_us(now), static_cast<std::int64_t>(limit), epoch_us(now + kClockTolerance)},
            [&leases](const Row& row) {
                leases.push_back(
                    {{model::run_id(row.integer(0), row.integer(1)), static_cast<int>(row.integer(2)), text_at(row, 6)},
                     text_at(row, 3),
                     instant_at(row, 4),
                     instant_at(row, 5),
                     optional_instant(row, 7),
                     instant_at(row, 8)});
            });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    return leases;
}

// A moved row no longer has the times in the request, so the whole call may be repeated.
Result<void> SqlStore::redate(std::span<const Redated> leases, Instant now) {
    Batch rows;
    for (const auto& [lease, by] : leases) {
        const auto run = model::parse_run_id(lease.ref.run_id);
        if (!run) continue;
        const auto deadline = lease.deadline ? std::optional(*lease.deadline + by) : std::nullopt;
        rows.add_row(epoch_us(lease.until + by), null_or(deadline), epoch_us(now), run->schedule, run->slot,
                     lease.ref.node, std::int64_t{lease.ref.attempt}, epoch_us(lease.until), epoch_us(lease.renewed));
    }
    return commit_repeatable([&](Session& session) { return run_batch(session, kRedate, rows); });
}

}  // namespace belfry::store::sql
