// Tasks and leases. A ready task is a narrow row of its own; claiming moves it to the leases and touches no run. A run is
// written once more, when it ends. What becomes of a claim when somebody dies:
//
//   worker, after the claim         the lease runs out, the reaper ends the attempt, and the task is ready again
//   server, before the commit       nothing was claimed
//   server, after the commit        the worker never hears of it: as the first case
//   worker that was only slow       its token is the attempt's number; the next claim has a higher one, and its word is refused
#include <algorithm>
#include <set>
#include <tuple>

#include "store/plan_rows.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements.hpp"

namespace belfry::store::sql {

using model::ExecutionStatus;
using model::RunKey;

namespace {

constexpr int kPicksMax = 10;                 // rounds of a claim that meets tasks of runs that have ended
constexpr std::int64_t kPromotedMax = 1'000;  // delayed tasks that one claim makes ready
constexpr int kTriesMax = 5;                  // once something is, or may be, committed; the database backs off between them

struct Picked {
    std::int64_t rank = 0;
    std::int64_t ready_us = 0;
    RunKey key;
    std::string node = {};
    std::int64_t attempt = 0;  // so far
    std::optional<std::int64_t> timeout_us = {};
};

// What was to be done later and has become due.
Result<void> promote_delayed(Session& session, Instant now) {
    Batch ready;
    Batch gone;
    auto picked = session.run(kPickDelayed, {epoch_us(now), kPromotedMax}, [&](const Row& row) {
        ready.add_row(row.integer(0), row.integer(1), row.integer(2), row.integer(3), row.integer(4), text_at(row, 5), row.integer(6),
                      null_or(optional_integer(row, 7)));
        gone.add_row(row.integer(2), row.integer(3), row.integer(4), text_at(row, 5));
    });
    if (!picked) return picked.error();
    if (auto inserted = run_batch(session, kInsertReady, ready); !inserted) return inserted;
    return run_batch(session, kDeleteDelayed, gone);
}

// The next ready tasks of the queue, without those whose runs were ended meanwhile: their rows go.
Result<std::vector<Picked>> pick_ready(Session& session, std::int64_t queue, Instant now, std::size_t limit) {
    std::vector<Picked> all;
    for (int round = 0; round < kPicksMax && all.size() < limit; ++round) {
        std::vector<Picked> picked;
        auto read = session.run(kPickReady, {queue, epoch_us(now), static_cast<std::int64_t>(limit - all.size())}, [&picked](const Row& row) {
            picked.push_back(
                {row.integer(0), row.integer(1), {row.integer(2), row.integer(3)}, text_at(row, 4), row.integer(5), optional_integer(row, 6)});
        });
        if (!read) return read.error();
        if (picked.empty()) break;
        Batch rows;
        Batch keys;
        for (const auto& task : picked) {
            rows.add_row(queue, task.rank, task.ready_us, task.key.schedule, task.key.slot, task.node);
            keys.add_row(task.key.schedule, task.key.slot);
        }
        if (auto deleted = run_batch(session, kDeleteReady, rows); !deleted) return deleted.error();
        std::map<RunKey, ExecutionStatus> status;
        read = session.run(kStatusOfRuns, keys, [&status](const Row& row) {
            status[{row.integer(0), row.integer(1)}] = static_cast<ExecutionStatus>(row.integer(2));
        });
        if (!read) return read.error();
        for (auto& task : picked) {
            const auto found = status.find(task.key);
            if (found == status.end()) continue;
            const bool under_way = found->second == ExecutionStatus::queued || found->second == ExecutionStatus::running;
            if (under_way) all.push_back(std::move(task));
        }
    }
    return all;
}

// A run whose first node is claimed has started. Single tasks write nothing of the kind: their lease says it. Walks are locked,
// so that of two who claim nodes of one run at once only one begins it; the tasks of those that have ended meanwhile are left out.
Result<void> begin_walks(Session& session, std::vector<Picked>& picked, const ClaimRequest& request) {
    std::map<RunKey, std::vector<std::pair<std::string, int>>> nodes;
    for (const auto& task : picked) {
        if (!task.node.empty()) nodes[task.key].emplace_back(task.node, static_cast<int>(task.attempt + 1));
    }
    if (nodes.empty()) return {};
    Batch keys;
    for (const auto& [key, names] : nodes) keys.add_row(key.schedule, key.slot);
    std::set<RunKey> under_way;
    Batch first;
    RunNotes notes;
    auto locked = session.run(kLockWalks, keys, [&](const Row& row) {
        const RunKey key{row.integer(0), row.integer(1)};
        under_way.insert(key);
        const bool begins = row.integer(2) == model::Walk{}.events;  // nothing has happened in it yet
        if (begins) first.add_row(epoch_us(request.now), key.schedule, key.slot);
        notes[key] = claim_events(begins, nodes.at(key), request.worker, request.now);
    });
    if (!locked) return locked.error();
    std::erase_if(picked, [&](const Picked& task) { return !task.node.empty() && !under_way.contains(task.key); });
    if (auto begun = run_batch(session, kBeginRun, first); !begun) return begun;
    return write_notes(session, notes);
}

}  // namespace

Result<std::vector<model::Task>> SqlStore::claim(const ClaimRequest& request) {
    const auto limit = std::min(request.limit, kClaimMax);
    const auto queue = queue_key(request.tenant, request.queue, request.assignee);
    const auto deadline_of = [&](const Picked& task) {
        return task.timeout_us ? std::optional(request.now + Micros{*task.timeout_us}) : std::nullopt;
    };
    std::vector<Picked> picked;
    const auto work = [&](Session& session) -> Result<void> {
        bool exists = false;
        auto read = session.run(kTenant, {model::key_of(request.tenant)}, [&exists](const Row&) { exists = true; });
        if (!read) return read.error();
        if (!exists) return tenant_not_found(request.tenant);
        if (auto promoted = promote_delayed(session, request.now); !promoted) return promoted;
        auto ready = pick_ready(session, queue, request.now, limit);
        if (!ready) return ready.error();
        picked = std::move(*ready);
        if (auto begun = begin_walks(session, picked, request); !begun) return begun;
        Batch leases;
        for (const auto& task : picked) {
            const auto deadline = deadline_of(task);
            leases.add_row(task.key.schedule, task.key.slot, task.node, task.attempt + 1, request.worker, epoch_us(request.now),
                           epoch_us(lease_end(request.now, request.lease, deadline)), null_or(deadline), queue);
        }
        return run_batch(session, kInsertLease, leases);
    };
    auto done = commit(work, [&](Session& session) -> Result<Happened> {
        if (picked.empty()) return Happened::yes;
        // The task's row is what a lost claim still holds, ready or, when it had just become due, delayed.
        const auto& first = picked.front();
        auto read = session.run(kLockDelayed, {first.ready_us, first.key.schedule, first.key.slot, first.node});
        if (!read) return read.error();
        read = session.run(kLockReady, {queue, first.rank, first.ready_us, first.key.schedule, first.key.slot, first.node});
        if (!read) return read.error();
        // Once it was free again, another worker may have been quicker: that has the same attempt.
        bool ours = false;
        read = session.run(kLockLeases, {first.key.schedule, first.key.slot, first.node}, [&](const Row& row) {
            ours = row.integer(2) == first.attempt + 1 && instant_at(row, 3) == request.now && row.text(5) == request.worker;
        });
        if (!read) return read.error();
        return ours ? Happened::yes : Happened::no;
    });
    if (!done) return done.error();
    if (picked.empty()) return std::vector<model::Task>();

    // What the worker needs to know is read after the commit: it is committed data, and may be kept in memory.
    Batch keys;
    Batch walking;
    std::set<RunKey> asked;
    for (const auto& task : picked) {
        if (!asked.insert(task.key).second) continue;
        keys.add_row(task.key.schedule, task.key.slot);
        if (!task.node.empty()) walking.add_row(task.key.schedule, task.key.slot);
    }
    std::map<RunKey, RunWithDefinition> runs;
    std::map<RunKey, WalkRow> walks;
    const auto read_tasks = [&](Session& session) -> Result<void> {
        auto read = read_runs_with_definitions(session, kRunsByKey, keys, memory_.definitions, Sees::committed);
        if (!read) return read.error();
        for (auto& each : *read) runs.emplace(*model::parse_run_id(each.run.id), std::move(each));
        if (walking.empty()) return {};
        auto walked = read_walks(session, walking, memory_.workflows, Sees::committed);
        if (!walked) return walked.error();
        walks = std::move(*walked);
        return {};
    };
    auto read = database_->read(read_tasks);
    for (int i = 1; !read && i < kTriesMax; ++i) read = database_->read(read_tasks);
    // The leases are there, so that nobody may say that nothing was changed.
    if (!read) return Error{ErrorCode::unknown, "tasks were claimed and could not be read: " + read.error().message};
    std::vector<model::Task> in_order;
    in_order.reserve(picked.size());
    for (const auto& task : picked) {
        const auto found = runs.find(task.key);
        if (found == runs.end()) continue;
        const auto walk = walks.find(task.key);
        in_order.push_back(task_of({found->second.run, *found->second.definition, walk == walks.end() ? nullptr : &walk->second.walk, task.node,
                                    static_cast<int>(task.attempt + 1), lease_end(request.now, request.lease, deadline_of(task)), request.assignee}));
    }
    return in_order;
}

Result<std::vector<model::LeaseRef>> SqlStore::heartbeat(std::span<const model::LeaseRef> leases, Instant until) {
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
        rows.add_row(epoch_us(until), run.schedule, run.slot, lease.node, std::int64_t{lease.attempt});
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

Result<std::vector<model::Lease>> SqlStore::expired(Instant now, std::size_t limit) {
    std::vector<model::Lease> leases;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = session.run(kExpiredLeases, {epoch_us(now), static_cast<std::int64_t>(limit)}, [&leases](const Row& row) {
            leases.push_back({{model::run_id(row.integer(0), row.integer(1)), static_cast<int>(row.integer(2)), text_at(row, 6)},
                              text_at(row, 3),
                              instant_at(row, 4),
                              instant_at(row, 5),
                              optional_instant(row, 7)});
        });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    return leases;
}

}  // namespace belfry::store::sql
