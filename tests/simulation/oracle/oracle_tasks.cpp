// What workers get and tell, and what must be over when everything works again.
#include <algorithm>
#include <set>

#include "base/crypto/sha256.hpp"
#include "simulation/oracle/oracle.hpp"
#include "simulation/sim_workflows.hpp"
#include "support/oracles/brute_schedule.hpp"
#include "support/oracles/store_verbs.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::sim {

using model::ExecutionStatus;
using model::ScheduleStatus;

namespace {

constexpr int kRedeliveriesMax = 3;  // of a task whose workers are lost, beside its retries

// Written from DESIGN.md, not from model/run/run.cpp.
std::string key_of(const model::Task& task) {
    const auto at = task.slot.occurrence;
    switch (task.slot.cause) {
        case model::RunCause::trigger: return sha256_hex(task.schedule_id + ":trigger:" + std::to_string(epoch_ms(at)));
        case model::RunCause::backfill:
            return sha256_hex(task.schedule_id + ":backfill:" + std::to_string(epoch_s(at)));
        default: return sha256_hex(task.schedule_id + ":" + std::to_string(epoch_s(at)));
    }
}

}  // namespace

// 11 and 12: a claim finds a task that waits, gives it the next number, and carries the key of its occurrence.
void Oracle::claimed(const std::vector<model::Task>& tasks, const store::ClaimRequest& request,
                     const LeaseTime& asked) {
    for (const auto& task : tasks) {
        auto* const life = life_of_run(task.run_id);
        if (life == nullptr) {
            breach(1, request.worker + " was given run " + task.run_id + ", which nobody dispatched");
            continue;
        }
        auto& row = life->runs.at(task.run_id);
        const auto node = task.node.empty() ? std::string() : ":" + task.node;
        if (task.idempotency_key != key_of(task) + node) breach(12, task.run_id + " was handed over with another key");
        // A person's word makes a run ready at once, whatever `spread` had in mind.
        const bool by_word = life->definition_of(row).approval.requires_approval;
        if (row.fire_at > clock_.highest() + kTriggersAhead && !by_word)
            breach(3, task.run_id + " was claimed before it was ready");
        if (task.lease_until > clock_.highest() + request.lease) breach(11, task.run_id + " is held for too long");
        check_approved(task);
        if (walks_.knows(task.run_id)) {
            if (!is_in_flight(row.execution))
                breach(11, task.run_id + " was claimed while it was " + std::string(name_of(row.execution)));
            row = database_.run("default", task.run_id).value();
            walks_.claimed(task, request, life->definition_of(row), row, asked);
        } else {
            claimed_single(*life, task, request, asked);
        }
    }
    if (!tasks.empty()) check_leases();
}

// 22: whoever was asked, for the run or for the node, has said yes, and in time.
void Oracle::check_approved(const model::Task& task) {
    const auto approvals = database_.approvals_of("default", {&task.run_id, 1});
    if (!approvals) return breach(22, "the approvals of " + task.run_id + " cannot be read");
    for (const auto& approval : *approvals) {
        if (!approval.node.empty() && approval.node != task.node) continue;
        const bool approved = approval.status == model::ApprovalStatus::approved && approval.decided_by == kApprover &&
                              approval.decided_at && *approval.decided_at < approval.expires_at;
        if (!approved)
            breach(22, task.run_id + " " + task.node + " was claimed, and its approval is " +
                           std::string(name_of(approval.status)));
    }
}

void Oracle::claimed_single(Life& life, const model::Task& task, const store::ClaimRequest& request,
                            const LeaseTime& asked) {
    auto& row = life.runs.at(task.run_id);
    const auto& definition = life.definition_of(row);
    if (!task.node.empty()) breach(11, task.run_id + " has no node " + task.node);
    if (row.execution != ExecutionStatus::queued)
        breach(11, task.run_id + " was claimed while it was " + std::string(name_of(row.execution)));
    if (task.attempt != row.attempts + 1) breach(9, task.run_id + " was claimed with a number that is not the next");
    const int hands = definition.failure.mode == model::FailureMode::fallback ? 2 : 1;
    // What a publisher held when its server died was not tried.
    const bool handed_over = model::is_publisher(request.worker);
    if (!handed_over && task.attempt > (definition.retry.max_retries + 1) * hands + kRedeliveriesMax)
        breach(10, task.run_id + " is tried more often than allowed");
    if (request.assignee == kFallback) coverage_.see(Sight::task_handed_over);
    if (task.input != row.input) breach(12, task.run_id + " was handed over with another input");
    // A run takes seven days at most, with all its attempts; the first has them all.
    const Micros week = std::chrono::hours{7 * 24};
    const auto end = row.fire_at + week;
    const auto left = task.attempt > 1 && end > request.now ? end - request.now : week;
    const auto timeout = definition.retry.timeout ? std::min(Micros{*definition.retry.timeout}, left) : left;
    row = database_.run("default", task.run_id).value();
    life.leases[task.run_id] = SeenLease::given(task.attempt, request, timeout, asked);
}

void Oracle::renewed(const std::vector<model::LeaseRef>& held, Instant until, Micros by, const LeaseTime& time) {
    for (const auto& lease : held) {
        if (walks_.knows(lease.run_id)) {
            walks_.renewed(lease, until, by, time);
            continue;
        }
        auto* const life = life_of_run(lease.run_id);
        const auto* const row = life != nullptr ? &life->runs.at(lease.run_id) : nullptr;
        if (row == nullptr || row->execution != ExecutionStatus::running || row->attempts != lease.attempt) {
            breach(9, "a lost lease of " + lease.run_id + " was renewed");
            continue;
        }
        life->leases[lease.run_id].renew(until, by, time);
    }
    if (!held.empty()) check_leases();
}

SeenLease* Oracle::find_lease(const model::LeaseRef& lease) {
    if (auto* const known = walks_.find_lease(lease)) return known;
    auto* const life = lease.node.empty() ? life_of_run(lease.run_id) : nullptr;
    if (life == nullptr) return nullptr;
    const auto found = life->leases.find(lease.run_id);
    return found != life->leases.end() && found->second.attempt == lease.attempt ? &found->second : nullptr;
}

// To where it would be if the clock had not stepped; what has changed meanwhile stays.
void Oracle::redated(std::span<const store::Redated> leases) {
    const auto stored = database_.expired(kInstantMax, store::kPageMax).value();
    for (const auto& [lease, by] : leases) {
        auto* const known = find_lease(lease.ref);
        const auto now = std::ranges::find(stored, lease.ref, &model::Lease::ref);
        if (known == nullptr || known->until != lease.until || now == stored.end() || now->renewed == lease.renewed)
            continue;
        if (now->until != lease.until + by) continue;  // its worker has renewed it
        coverage_.see(Sight::lease_redated);
        known->until += by;
        known->renewed = now->renewed;
        if (known->deadline) *known->deadline += by;
    }
    check_leases();
}

// 11: every lease in the database is one that was given, and ends when it should.
void Oracle::check_leases() {
    constexpr std::size_t kMany = 1'000;
    const auto leases = database_.expired(kInstantMax, kMany);
    if (!leases) return breach(11, "the leases cannot be read");
    for (const auto& each : *leases) {
        const auto* const known = find_lease(each.ref);
        if (known == nullptr) {
            breach(11, "attempt " + std::to_string(each.ref.attempt) + " of " + each.ref.run_id + " " + each.ref.node +
                           " is held by nobody");
        } else if (each.until != known->until) {
            breach(11, each.ref.run_id + " " + each.ref.node + " is held until " + format_instant(each.until) +
                           ", not " + format_instant(known->until));
        }
    }
}

decide::AttemptEnd Oracle::counted(const store::AttemptReport& ending) {
    const auto* const life = life_of_run(ending.lease.run_id);
    return life == nullptr ? ending.end : budgets_.counted(ending.lease, ending.end, life->record.definition);
}

void Oracle::taken(const model::LeaseRef& lease, const decide::AttemptEnd& end) {
    budgets_.taken(lease, end);
    if (auto* const life = life_of_run(lease.run_id)) life->runs.at(lease.run_id).used = budgets_.used(lease.run_id);
}

// 17: what its worker was told is what stands there.
void Oracle::completion_acknowledged(const model::LeaseRef& lease, const decide::AttemptEnd& end) {
    if (pruned_.contains(lease.run_id)) return;  // the answer took its time
    const auto* const life = life_of_run(lease.run_id);
    if (life == nullptr) return breach(17, lease.run_id + " was completed and is nowhere");
    if (budgets_.was_stopped(lease)) return;  // whatever it said
    if (walks_.knows(lease.run_id)) return walks_.acknowledged(lease, end);
    // Somebody else may try again what failed.
    const bool handed_over = life->record.definition.failure.mode == model::FailureMode::fallback &&
                             end.status != ExecutionStatus::succeeded;
    const auto& row = life->runs.at(lease.run_id);
    // So may its own workers, after a loss of one of them as before.
    const bool tried_again =
        end.status != ExecutionStatus::succeeded && (row.attempts > lease.attempt || !is_terminal(row.execution));
    if (!handed_over && !tried_again && (row.execution != end.status || row.result != end.result)) {
        breach(17, lease.run_id + " was acknowledged and ended otherwise");
    }
}

// Rows that are gone must have been over, and they must be as many as were told.
void Oracle::pruned(std::int64_t removed) {
    std::int64_t gone = 0;
    for (auto& [id, life] : lives_) {
        gone += static_cast<std::int64_t>(std::erase_if(life.runs, [&](const auto& each) {
            const auto& run = each.second;
            if (database_.run("default", run.id)) return false;
            if (!is_terminal(run.execution) && run.dispatch != model::DispatchStatus::skipped)
                breach(17, run.id + " was pruned before it was over");
            life.forgotten.insert(epoch_s(run.slot.occurrence));
            pruned_.insert(run.id);
            walks_.forget(run.id);
            return true;
        }));
    }
    if (gone != removed) breach(17, "rows are gone that nobody removed");
}

// Schedules that are gone must have been over, with all that they did, and their history is still what it was.
void Oracle::removed_in_full(std::int64_t schedules) {
    const auto gone = std::erase_if(lives_, [&](const auto& each) {
        const auto& [id, life] = each;
        if (database_.schedule({"default", id})) return false;
        const auto status = life.record.state.status;
        if (status != model::ScheduleStatus::deleted) breach(17, id + " was removed and nobody had deleted it");
        if (!life.runs.empty()) breach(17, id + " was removed before its runs");
        const auto events = database_.events({"default", id}, life.sequence - 1, 2);
        const bool readable = events && events->size() == 1 && events->front().event.sequence == life.sequence;
        if (!readable) breach(8, "the history of " + id + " went with it");
        coverage_.see(Sight::removed_in_full);
        return true;
    });
    if (std::cmp_not_equal(gone, schedules)) breach(17, "schedules are gone that nobody removed");
}

// Everything due is decided, whatever was begun is over.
std::vector<std::string> Oracle::unsettled(Micros bound) const {
    const auto now = clock_.now();
    std::vector<std::string> all;
    for (const auto& [id, life] : lives_) {
        if (id == lost_) continue;
        const auto owed = life.answers ? life.next_owed() : std::nullopt;
        // A spread has a time of its own, which may be one of a clock that was put back since.
        const auto& state = life.record.state;
        const auto due = owed && state.spread_until && state.next_fire ? *state.next_fire
                         : owed                                        ? life.fire_time(*owed)
                                                                       : now;
        if (owed && due + bound < now)
            all.push_back(format_instant(*owed) + " of " + id + " is due and has no outcome");
        for (const auto& run : life.in_flight) {
            const auto& row = life.runs.at(run);
            auto since = std::max({row.decided_at, row.fire_at, row.started_at.value_or(row.decided_at)});
            // Waiting for somebody is no standstill, for as long as they have time.
            for (const auto& approval : database_.approvals_of("default", {&run, 1}).value()) {
                since = std::max(since, approval.decided_at.value_or(approval.expires_at));
            }
            if (since + bound < now)
                all.push_back(run + " is still " + std::string(name_of(row.execution)) + " since " +
                              format_instant(since));
        }
    }
    for (const auto& [tenant, backfill] : database_.running_backfills(store::kPageMax).value()) {
        if (backfill.schedule_id == lost_ || std::max(backfill.created_at, backfill.updated_at) + bound >= now)
            continue;
        // One whose runs take turns waits for them, and they are bounded.
        const auto life = lives_.find(backfill.schedule_id);
        if (backfill.concurrency && life != lives_.end() && !life->second.in_flight.empty()) continue;
        all.push_back("backfill " + backfill.id + " does not come to its end");
    }
    return all;
}

// 17: nothing is there that no commit has written, and nothing is gone.
void Oracle::check_rows() {
    std::size_t known = 0;
    for (const auto& [id, life] : lives_) {
        const auto record = database_.schedule({"default", id});
        if (!record || !(*record == life.record)) breach(17, "schedule " + id + " was changed outside of every commit");
        known += life.runs.size();
    }
    std::size_t rows = 0;
    for (const auto& run : test::all_runs(database_, {.tenant = "default"})) {
        const auto* const life = life_of_run(run.id);
        if (life == nullptr || !(life->runs.at(run.id) == run))
            breach(17, "run " + run.id + " was changed outside of every commit");
        ++rows;
    }
    if (rows != known) breach(17, "rows are gone that nobody removed");
}

void Oracle::check_by_brute_force() {
    constexpr std::int64_t kWindowMax = 3 * test::kDay;
    for (const auto& [id, life] : lives_) {
        const auto& spec = life.record.definition.spec;
        if (spec.cron.size() != 1 || !spec.intervals.empty() || !spec.at.empty() || spec.start_at || spec.end_at)
            continue;
        const auto cron = test::BruteCron::parse(spec.cron.front());
        if (!cron) continue;
        const auto from = epoch_s(options_.beginning);
        const auto to = std::min(from + kWindowMax, epoch_s(clock_.now()));
        std::set<std::int64_t> brute;
        for (const auto& each : test::brute_occurrences(*cron, test::GlibcZone(spec.timezone), spec.dst, {from, to}))
            brute.insert(each.utc_s);
        std::set<std::int64_t> used;
        for (const auto at : life.spec->between(Instant{Seconds{from}}, Instant{Seconds{to}} - Micros{1}, 100'000))
            used.insert(epoch_s(at));
        if (brute != used)
            breach(3, "the occurrences of " + spec.cron.front() + " in " + spec.timezone +
                          " are not what a person counts");
        coverage_.see(Sight::checked_by_brute_force);
    }
}

}  // namespace belfry::sim
