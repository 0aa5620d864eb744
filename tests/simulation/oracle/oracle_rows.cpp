// The rows of runs: what each may say, given those before it.
#include <algorithm>

#include "base/crypto/sha256.hpp"
#include "simulation/oracle/oracle.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::sim {

using model::DispatchStatus;
using model::ExecutionStatus;
using model::OverlapPolicy;
using model::RunCause;
using model::ScheduleStatus;
using model::SkipReason;

namespace {

constexpr Micros kJustBefore{1};
constexpr std::int64_t kCountedMax = 200;  // occurrences of a range that are counted once more

std::string name_of_row(const model::Run& row) {
    return "run " + std::string(name_of(row.slot.cause)) + " " + format_instant(row.slot.occurrence) + " of " +
           row.schedule_id;
}

bool failed(ExecutionStatus status) {
    return status == ExecutionStatus::failed || status == ExecutionStatus::timed_out;
}

// As docs/reference/http.md says of `auto`.
Micros grace_of(const Life& life, Instant occurrence) {
    if (const auto& grace = life.record.definition.missed.grace) return *grace;
    const auto next = life.spec->next(occurrence);
    return next ? std::clamp<Micros>((*next - occurrence) / 2, std::chrono::minutes{1}, std::chrono::hours{1})
                : Micros{std::chrono::hours{1}};
}

// Late by more than the grace, from its fire time or its own, whichever is later.
bool is_missed(const Life& life, const model::Run& row) {
    const auto cutoff = row.decided_at - grace_of(life, row.slot.occurrence);
    return row.slot.occurrence < cutoff && life.fire_time(row.slot.occurrence) < cutoff;
}

std::optional<int> limit_of(const model::Run& row, const model::Schedule& schedule) {
    if (schedule.overlap.max_concurrency) return schedule.overlap.max_concurrency;
    return row.overlap == OverlapPolicy::allow_all ? std::nullopt : std::optional{1};
}

// As conditions are drawn for simulated schedules: fewer than so many failures in the last 24 hours.
std::optional<std::int64_t> failures_allowed(const model::Schedule& schedule) {
    if (schedule.condition.is_null()) return std::nullopt;
    return schedule.condition.at("/last_24h_stats/failed").at("lt").as_int64();
}

// Those of its own, as long as it starts what it always has: runs of other schedules with the same target may come on
// top.
std::int64_t failures_of_last_day(const Life& life, Instant now) {
    if (life.record.definition.version > 1) return 0;
    return std::ranges::count_if(life.runs, [now](const auto& each) {
        const auto& [id, run] = each;
        const bool recent =
            run.completed_at && *run.completed_at > now - std::chrono::hours{24} && *run.completed_at <= now;
        return recent && failed(run.execution);
    });
}

}  // namespace

Life* Oracle::life_of_run(const std::string& run_id) {
    for (auto& [id, life] : lives_) {
        if (life.runs.contains(run_id)) return &life;
    }
    return nullptr;
}

void Oracle::take_row(Life& life, const model::Run& row, const Commit& commit, const store::ScheduleRecord& after) {
    const auto ahead = row.slot.cause == RunCause::trigger ? kTriggersAhead : Micros{0};
    if (row.decided_at > clock_.highest() + ahead) breach(3, name_of_row(row) + " was decided in the future");
    const auto found = life.runs.find(row.id);
    // What a backfill skipped may be decided anew by the next one, in the same row.
    const bool anew = found != life.runs.end() && row.slot.cause == RunCause::backfill &&
                      found->second.dispatch == DispatchStatus::skipped && !(found->second == row);
    if (anew) coverage_.see(Sight::backfilled_what_was_skipped);
    const bool is_new = found == life.runs.end() || anew;
    const auto was = is_new ? DispatchStatus::pending : found->second.dispatch;  // no row stays pending
    if (is_new) {
        check_new_row(life, row);
    } else {
        check_transition(life, found->second, row, commit);
    }
    if (was != row.dispatch) {
        if (row.dispatch == DispatchStatus::dispatched) check_dispatch(life, row, after);
        if (row.dispatch == DispatchStatus::skipped) check_skip(life, row, after);
        if (row.dispatch == DispatchStatus::buffered) {
            coverage_.see(Sight::buffered);
            life.buffered.insert(row.id);
            if (row.slot.cause != RunCause::trigger) life.ran[epoch_s(row.slot.occurrence)] = row.id;
        } else if (was == DispatchStatus::buffered && row.dispatch == DispatchStatus::skipped &&
                   row.slot.cause != RunCause::trigger) {
            life.ran.erase(epoch_s(row.slot.occurrence));
        }
    }
    if (!is_in_flight(row.execution)) life.in_flight.erase(row.id);
    if (is_terminal(row.execution)) budgets_.ended(row);
    life.runs[row.id] = row;
}

// 10: what is over stays as it is. 9: an attempt is ended by whoever holds it.
void Oracle::check_transition(Life& life, const model::Run& before, const model::Run& after, const Commit& commit) {
    const bool over = is_terminal(before.execution) || before.dispatch == DispatchStatus::skipped;
    if (over && !(before == after)) breach(10, name_of_row(after) + " was over and has changed");
    if (commit.lease && commit.lease->run_id == after.id && !commit.lease->node.empty()) {
        if (before.execution != ExecutionStatus::running)
            breach(9, name_of_row(after) + " was changed by a node, and it was not running");
    } else if (commit.lease && commit.lease->run_id == after.id) {
        if (before.execution != ExecutionStatus::running || before.attempts != commit.lease->attempt) {
            breach(9, name_of_row(after) + " was ended by attempt " + std::to_string(commit.lease->attempt) +
                          ", and it was at " + std::to_string(before.attempts));
        }
        if (commit.expired_before) {
            coverage_.see(Sight::lease_reaped);
            walks_.check_reaped(life.leases[after.id], name_of_row(after), commit);
        }
        if (after.execution == ExecutionStatus::queued) coverage_.see(Sight::attempt_retried);
        life.leases.erase(after.id);
    } else if (before.execution == ExecutionStatus::running && after.execution == ExecutionStatus::queued) {
        breach(9, name_of_row(after) + " went back to the queue and nobody ended its attempt");
    }
    if (!is_terminal(before.execution) && is_terminal(after.execution)) {
        if (failed(after.execution)) life.failures_in_a_row += 1;
        if (after.execution == ExecutionStatus::succeeded) life.failures_in_a_row = 0;
        if (after.error == "replaced by a newer run") coverage_.see(Sight::replaced_by_overlap);
        if (after.error.starts_with("refused")) coverage_.see(Sight::refused);
        const auto approvals = database_.approvals_of("default", {&after.id, 1});
        for (const auto& approval : approvals.value()) {
            if (approval.status == model::ApprovalStatus::pending)
                breach(22, name_of_row(after) + " is over, and an approval is pending");
            if (approval.status == model::ApprovalStatus::expired) coverage_.see(Sight::approval_expired);
            if (approval.status == model::ApprovalStatus::voided) coverage_.see(Sight::approval_voided);
        }
    }
    if (before.execution == ExecutionStatus::awaiting_approval && after.execution == ExecutionStatus::queued)
        coverage_.see(Sight::approved);
}

// 1, 2, 3: ticks decide the occurrences of the spec, one after the other, none twice and none before its time.
void Oracle::check_new_row(Life& life, const model::Run& row) {
    const auto occurrence = row.slot.occurrence;
    if (row.slot.cause == RunCause::trigger) {
        // Its own millisecond, or the next that is free when several come at once.
        for (Instant moment = std::chrono::floor<std::chrono::milliseconds>(row.decided_at); moment != occurrence;
             moment += std::chrono::milliseconds{1}) {
            if (moment > occurrence || !life.triggered.contains(moment))
                return breach(3, name_of_row(row) + " is not of its moment");
        }
        life.triggered.insert(occurrence);
        return;
    }
    // What was forgotten can be asked for again: a backfill knows only of rows that are there.
    const auto ran = life.ran.find(epoch_s(occurrence));
    const bool forgotten = row.slot.cause == RunCause::backfill && life.forgotten.contains(epoch_s(occurrence));
    if (ran != life.ran.end() && forgotten) coverage_.see(Sight::backfilled_what_was_pruned);
    if (ran != life.ran.end() && !forgotten && row.dispatch != DispatchStatus::skipped) {
        return breach(1, name_of_row(row) + " ran before, as " + life.ran.at(epoch_s(occurrence)));
    }
    if (row.slot.cause == RunCause::tick && life.decided.contains(std::chrono::floor<Seconds>(occurrence))) {
        return breach(1, name_of_row(row) + " is a second outcome");
    }
    if (life.spec->next(occurrence - kJustBefore) != occurrence)
        return breach(3, name_of_row(row) + " is not what the spec yields");
    if (row.slot.cause == RunCause::backfill) {
        const auto& cursor = life.record.state.next_occurrence;
        if (cursor && occurrence >= *cursor) breach(1, name_of_row(row) + " belongs to the ticks");
        const auto& until = life.record.state.paused_until;
        if (until && occurrence >= *until) breach(1, name_of_row(row) + " belongs to the ticks after the pause");
        if (life.record.state.status != ScheduleStatus::paused || row.dispatch != DispatchStatus::dispatched) return;
        if (life.record.definition.missed.counts_pauses() && occurrence >= life.record.state.paused_at)
            breach(1, name_of_row(row) + " belongs to the ticks that make up for the pause");
        life.newest = std::max(life.newest.value_or(occurrence), occurrence);
        return;
    }
    const auto last = row.range ? row.range->last : occurrence;
    if (const auto owed = life.next_owed(); owed != occurrence) {
        return breach(2, name_of_row(row) + " was decided, and next was " + (owed ? format_instant(*owed) : "nothing"));
    }
    if (life.fire_time(last) > std::min(clock_.highest(), row.decided_at))
        breach(3, name_of_row(row) + " was decided before its fire time");
    if (life.fire_time(occurrence) != occurrence) coverage_.see(Sight::jittered);
    if (life.spec->mark(occurrence)) coverage_.see(Sight::touched_by_clock_change);
    if (row.range) {
        coverage_.see(Sight::range_skipped);
        if (row.range->count <= kCountedMax) {
            std::int64_t count = 1;
            life.decided.insert(occurrence);
            for (auto at = life.next_owed(); at && *at <= last; at = life.next_owed()) {
                life.decided.insert(*at);
                ++count;
            }
            if (count != row.range->count)
                breach(2,
                       name_of_row(row) + " tells of " + std::to_string(row.range->count) + " occurrences, not of all");
        }
        life.ranges.emplace_back(occurrence, last);
    }
    life.decided.insert(occurrence);
    life.covered = std::max(life.covered, last);
    life.newest = std::max(life.newest.value_or(last), last);
}

// 4, 5, 6: what may start.
void Oracle::check_dispatch(Life& life, const model::Run& row, const store::ScheduleRecord& after) {
    const auto& schedule = life.record.definition;
    const bool released = life.buffered.erase(row.id) > 0;
    if (released) coverage_.see(Sight::buffer_drained);
    const auto status = life.record.state.status;
    // What is buffered outlives the end of the times, and is released by the commit that resumes the schedule; the last
    // of its runs deletes it.
    const bool last = after.state.status == ScheduleStatus::deleted && after.state.remaining_actions == 0;
    const bool leaves =
        last || after.state.status == ScheduleStatus::completed || after.state.status == ScheduleStatus::active;
    const bool may = status == ScheduleStatus::active ||
                     (status == ScheduleStatus::paused && row.slot.cause == RunCause::backfill) ||
                     (released && (status == ScheduleStatus::completed || leaves));
    if (!may) breach(6, name_of_row(row) + " fired while the schedule was " + std::string(name_of(status)));
    if (row.slot.cause != RunCause::trigger) {
        life.ran[epoch_s(row.slot.occurrence)] = row.id;
        check_gates(life, row);
    }
    const auto limit = limit_of(row, schedule);
    if (is_in_flight(row.execution)) life.in_flight.insert(row.id);
    if (limit && is_in_flight(row.execution) && std::cmp_greater(life.in_flight.size(), *limit)) {
        breach(4, name_of_row(row) + " is one of " + std::to_string(life.in_flight.size()) + " in flight, with " +
                      std::string(name_of(row.overlap)) + " and a limit of " + std::to_string(*limit));
    }
    budgets_.dispatched(row, schedule);
    life.dispatched += 1;
    if (row.trigger_number != life.dispatched) breach(5, name_of_row(row) + " has the trigger number of another");
    if (schedule.max_runs && life.dispatched > *schedule.max_runs)
        breach(5, name_of_row(row) + " is more than maxRuns allows");
    const bool every_node =
        schedule.approval.mode == model::ApprovalMode::every_node && schedule.target.type == model::TargetType::task;
    if ((schedule.approval.requires_approval || every_node) && row.execution != ExecutionStatus::awaiting_approval &&
        !is_terminal(row.execution)) {
        breach(6, name_of_row(row) + " waits for nobody's approval");
    }
    check_input(life, row);
}

void Oracle::check_gates(const Life& life, const model::Run& row) {
    const auto& schedule = life.record.definition;
    const auto at = row.slot.occurrence;
    // What left the buffer was judged by the window, and by how late it was, when it went in.
    const bool released = life.runs.contains(row.id);
    if (!released && schedule.spec.start_at && at < test::instant(*schedule.spec.start_at))
        breach(6, name_of_row(row) + " fired before the window");
    if (!released && schedule.spec.end_at && at > test::instant(*schedule.spec.end_at))
        breach(6, name_of_row(row) + " fired after the window");
    // The one calendar that simulated schedules have: it skips every date that ends in 1, in UTC.
    if (!schedule.calendars.empty() && format_instant(at)[9] == '1')
        breach(6, name_of_row(row) + " fired on a date that is left out");
    if (schedule.breaker_failures && life.failures_in_a_row >= *schedule.breaker_failures)
        breach(6, name_of_row(row) + " fired with an open breaker");
    if (row.slot.cause != RunCause::tick) return;
    if (const auto most = failures_allowed(schedule); most && row.dispatch == DispatchStatus::dispatched) {
        // A run that ends and lets this one out of the buffer counts already.
        if (failures_of_last_day(life, row.decided_at) >= *most)
            breach(6, name_of_row(row) + " fired against its condition");
    }
    if (released || !is_missed(life, row)) return;
    coverage_.see(Sight::missed_kept);
    if (schedule.missed.policy == model::MissedPolicy::skip)
        breach(2, name_of_row(row) + " was missed and fired all the same");
}

// 2: a skip has a reason, and the reason is true.
void Oracle::check_skip(Life& life, const model::Run& row, const store::ScheduleRecord& after) {
    life.buffered.erase(row.id);
    life.skipped_rows += 1;
    const auto untrue = [&](const char* why) {
        breach(2, name_of_row(row) + " was skipped as " + std::string(name_of(*row.reason)) + ", but " + why);
    };
    if (!row.reason) return breach(2, name_of_row(row) + " was skipped without a reason");
    const auto& schedule = life.record.definition;
    const auto limit = limit_of(row, schedule);
    switch (*row.reason) {
        case SkipReason::overlap_in_flight:
        case SkipReason::max_concurrency_reached:
            if (!limit || std::cmp_less(life.in_flight.size(), *limit)) untrue("there was room");
            break;
        case SkipReason::missed_run:
            // What a spread had not come to is missed, also when its clock was put back since.
            if (!is_missed(life, row) && !life.record.state.spread_until) untrue("it was in time");
            break;
        case SkipReason::calendar:
            coverage_.see(Sight::calendar_refused);
            if (schedule.calendars.empty() || format_instant(row.slot.occurrence)[9] != '1')
                untrue("no calendar leaves it out");
            break;
        case SkipReason::condition_failed:
            coverage_.see(Sight::condition_refused);
            if (schedule.condition.is_null()) untrue("there is no condition");
            break;
        case SkipReason::breaker_open:
            coverage_.see(Sight::breaker_opened);
            if (!schedule.breaker_failures || life.failures_in_a_row < *schedule.breaker_failures)
                untrue("the breaker was closed");
            break;
        case SkipReason::status_not_triggerable:
            if (life.record.state.status == ScheduleStatus::active && after.state.status == ScheduleStatus::active)
                untrue("it was active");
            break;
        case SkipReason::buffer_full:
            if (life.buffered.empty()) untrue("the buffer was empty");
            break;
        case SkipReason::remaining_actions_exhausted:
            if (after.state.remaining_actions != 0) untrue("runs were left");
            break;
        case SkipReason::budget_exceeded:
            coverage_.see(Sight::budget_refused);
            if (!budgets_.refuses(row, schedule)) untrue("it would have fitted");
            break;
        case SkipReason::validation_failed:
            coverage_.see(Sight::target_removed);
            if (schedule.target.type != model::TargetType::workflow || !walks_.is_removed(schedule.target.kind))
                untrue("its workflow is there");
            break;
        default: untrue("nothing here gives that reason");
    }
}

// Rotation goes on by one with every dispatch that takes its input from there.
void Oracle::check_input(Life& life, const model::Run& row) {
    const auto& rotation = life.record.definition.inputs_rotation;
    if (!row.rotation_index_used) return;
    coverage_.see(Sight::rotated);
    if (rotation.empty() || *row.rotation_index_used != life.rotation % static_cast<std::int64_t>(rotation.size())) {
        return breach(2, name_of_row(row) + " took an input out of turn");
    }
    if (row.input != rotation[static_cast<std::size_t>(*row.rotation_index_used)])
        breach(2, name_of_row(row) + " took another input");
    life.rotation += 1;
}

}  // namespace belfry::sim
