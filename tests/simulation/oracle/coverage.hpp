// What a run over many seeds must have seen at least once: every kind of fault, and every situation that is hard to get
// into. A simulation that never meets them shows nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace belfry::sim {

enum class Sight : std::uint8_t {
    slow_call,
    call_unavailable,
    call_conflict,
    unknown_committed,
    unknown_not_committed,
    crash_before_commit,
    crash_after_commit,
    server_killed,
    server_left,
    server_frozen,
    frozen_beyond_lease,
    store_outage,
    everything_down,
    clock_jumped_forward,
    clock_went_back,
    clock_stepped_back,
    clock_put_right,
    clock_step_withdrawn,
    clock_step_accepted,
    lease_redated,
    decided_ahead,
    announcement_lost,
    announcement_doubled,
    message_lost,
    answer_lost,
    message_doubled,
    worker_crashed,
    worker_frozen,
    passed_over,
    helped_another,
    leader_changed,
    lease_reaped,
    late_completion_refused,
    attempt_retried,
    buffered,
    buffer_drained,
    replaced_by_overlap,
    backfill_page,
    backfill_finished,
    catch_up_split,
    range_skipped,
    missed_kept,
    jittered,
    one_time_completed,
    max_runs_exhausted,
    quarantined,
    released_from_quarantine,
    work_quarantined,
    lost_for_good,
    paused,
    pause_ran_out,
    updated_spec,
    approved,
    refused,
    breaker_opened,
    condition_refused,
    calendar_refused,
    rotated,
    pruned,
    removed_in_full,
    backfilled_what_was_pruned,
    backfilled_what_was_skipped,
    cursor_put_back,
    command_refused,
    command_unknown,
    late_node_refused,
    node_retried,
    node_handed_over,
    task_handed_over,
    node_skipped,
    node_took_too_long,
    contract_violated,
    nodes_side_by_side,
    run_halted,
    run_overdue,
    walk_cut_short,
    walk_succeeded,
    node_approved,
    node_refused,
    node_blocked,
    approval_expired,
    approval_voided,
    redeployed_while_walked,
    removed_while_walked,
    target_removed,
    budget_refused,
    budget_settled,
    limit_tripped,
    touched_by_clock_change,
    checked_by_brute_force,
    handed_over,
    acknowledgement_lost,
    put_back,
    redelivered,
    count,
};

[[nodiscard]] std::string_view name_of(Sight sight);

class Coverage {
public:
    void see(Sight sight, std::uint64_t times = 1) { seen_[static_cast<std::size_t>(sight)] += times; }
    [[nodiscard]] std::uint64_t of(Sight sight) const { return seen_[static_cast<std::size_t>(sight)]; }
    void add(const Coverage& other) {
        for (std::size_t i = 0; i < seen_.size(); ++i) seen_[i] += other.seen_[i];
    }

private:
    std::array<std::uint64_t, static_cast<std::size_t>(Sight::count)> seen_ = {};
};

}  // namespace belfry::sim
