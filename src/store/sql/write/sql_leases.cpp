// Leases of tasks. A ready task is a narrow row in its own table. A claim moves it to the leases and does not touch
// the run, which is written again only when it ends. What happens to a claim after a crash:
//
//   worker, after the claim         the lease expires, the reaper ends the attempt, and the task is ready again
//   server, before the commit       nothing was claimed
//   server, after the commit        the worker never learns of the claim: as in the first case
//   worker that was only slow       its fencing token is the attempt's number; the next claim has a higher one, and the
//                                   server rejects the old worker's report
#include <set>
#include <tuple>

#include "base/time/clock_guard.hpp"
#include "store/rules/attempt_events.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/shared/claim_round.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_tasks.hpp"
#include "store/sql/values.hpp"

namespace belfry::store::sql {

using model::RunKey;

Result<std::vector<model::Task>> SqlStore::claim(const ClaimRequest& request) {
    return claims_.ask(queue_key(request.tenant, request.queue, request.assignee), claim_limit(request), &request);
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

Result<TasksByClaim> SqlStore::claim_for_all(std::int64_t queue, const std::vector<const ClaimRequest*>& requests) {
    ClaimRound round(queue, requests, memory_);
    auto done = commit([&round](Session& session) { return round.take(session); },
                       [&round](Session& session) { return round.look_for(session); });
    if (!done) return done.error();
    return round.read_tasks(*database_);
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
        auto done = session.run(kHeartbeat, rows, [&held](HeldLease lease) {
            held.emplace(lease.run, std::move(lease.node), lease.attempt);
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
        read = session.run(kLockLeases, keys, [&](const LeaseRow& row) {
            const auto& [run, lease, queue] = row;
            const auto& passed = *asked.at({run, lease.ref.node});
            if (lease.ref.attempt != passed.lease.attempt) return;
            held.push_back(passed.lease);
            const auto& worker = lease.worker;
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
        auto read = session.run(kExpiredLeases,
                                {epoch_us(now), static_cast<std::int64_t>(limit), epoch_us(now + kClockTolerance)},
                                [&leases](LeaseRow row) { leases.push_back(std::move(row.lease)); });
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
