#include "simulation/oracle/coverage.hpp"

namespace belfry::sim {

std::string_view name_of(Sight sight) {
    switch (sight) {
        case Sight::slow_call: return "slow call";
        case Sight::call_unavailable: return "call unavailable";
        case Sight::call_conflict: return "call conflict";
        case Sight::unknown_committed: return "unknown committed";
        case Sight::unknown_not_committed: return "unknown not committed";
        case Sight::crash_before_commit: return "crash before commit";
        case Sight::crash_after_commit: return "crash after commit";
        case Sight::server_killed: return "server killed";
        case Sight::server_left: return "server left";
        case Sight::server_frozen: return "server frozen";
        case Sight::frozen_beyond_lease: return "frozen beyond lease";
        case Sight::store_outage: return "store outage";
        case Sight::everything_down: return "everything down";
        case Sight::clock_jumped_forward: return "clock jumped forward";
        case Sight::clock_went_back: return "clock went back";
        case Sight::clock_stepped_back: return "the clock stepped back";
        case Sight::clock_put_right: return "a stepped clock was put right";
        case Sight::clock_step_withdrawn: return "a step was withdrawn before it was confirmed";
        case Sight::clock_step_accepted: return "a step was accepted";
        case Sight::lease_redated: return "a lease was moved after a step";
        case Sight::decided_ahead: return "a schedule continues after what it decided by a clock that was put back";
        case Sight::announcement_lost: return "notification lost";
        case Sight::announcement_doubled: return "notification doubled";
        case Sight::message_lost: return "message lost";
        case Sight::answer_lost: return "answer lost";
        case Sight::message_doubled: return "message doubled";
        case Sight::worker_crashed: return "worker crashed";
        case Sight::worker_frozen: return "worker frozen";
        case Sight::passed_over: return "passed over";
        case Sight::helped_another: return "helped another";
        case Sight::leader_changed: return "leader changed";
        case Sight::lease_reaped: return "lease reaped";
        case Sight::late_completion_refused: return "late completion refused";
        case Sight::attempt_retried: return "attempt retried";
        case Sight::buffered: return "buffered";
        case Sight::buffer_drained: return "buffer drained";
        case Sight::replaced_by_overlap: return "replaced by overlap";
        case Sight::backfill_page: return "backfill page";
        case Sight::backfill_finished: return "backfill finished";
        case Sight::catch_up_split: return "catch up split";
        case Sight::range_skipped: return "range skipped";
        case Sight::missed_kept: return "missed kept";
        case Sight::jittered: return "jittered";
        case Sight::one_time_completed: return "one time completed";
        case Sight::max_runs_exhausted: return "max runs exhausted";
        case Sight::quarantined: return "quarantined";
        case Sight::work_quarantined: return "a run or a backfill was quarantined";
        case Sight::lost_for_good: return "a schedule was lost for good";
        case Sight::released_from_quarantine: return "released from quarantine";
        case Sight::paused: return "paused";
        case Sight::pause_ran_out: return "pause ran out";
        case Sight::updated_spec: return "updated spec";
        case Sight::approved: return "approved";
        case Sight::refused: return "refused";
        case Sight::breaker_opened: return "breaker opened";
        case Sight::condition_refused: return "condition refused";
        case Sight::calendar_refused: return "calendar refused";
        case Sight::rotated: return "rotated";
        case Sight::pruned: return "pruned";
        case Sight::removed_in_full: return "removed in full";
        case Sight::backfilled_what_was_skipped: return "backfilled what a backfill had skipped";
        case Sight::backfilled_what_was_pruned: return "backfilled what was pruned";
        case Sight::cursor_put_back: return "cursor put back";
        case Sight::command_refused: return "command refused";
        case Sight::command_unknown: return "command unknown";
        case Sight::late_node_refused: return "late completion of a node refused";
        case Sight::node_retried: return "node retried";
        case Sight::node_handed_over: return "node handed over to the fallback";
        case Sight::task_handed_over: return "task handed over to the fallback";
        case Sight::node_skipped: return "node skipped";
        case Sight::node_took_too_long: return "node took longer than its timeout";
        case Sight::contract_violated: return "node promised what is not there";
        case Sight::nodes_side_by_side: return "nodes side by side";
        case Sight::run_halted: return "run halted";
        case Sight::run_overdue: return "run overdue";
        case Sight::walk_cut_short: return "walk cut short";
        case Sight::walk_succeeded: return "walk succeeded";
        case Sight::node_approved: return "node approved";
        case Sight::node_refused: return "node refused";
        case Sight::node_blocked: return "node blocked";
        case Sight::approval_expired: return "approval expired";
        case Sight::approval_voided: return "approval void with its run";
        case Sight::redeployed_while_walked: return "redeployed while a run walks";
        case Sight::removed_while_walked: return "removed while a run walks";
        case Sight::target_removed: return "target removed";
        case Sight::budget_refused: return "budget refused a run";
        case Sight::budget_settled: return "budget settled what a run has used";
        case Sight::limit_tripped: return "report beyond a limit";
        case Sight::touched_by_clock_change: return "touched by a clock change";
        case Sight::checked_by_brute_force: return "checked by brute force";
        case Sight::handed_over: return "handed over to a broker";
        case Sight::acknowledgement_lost: return "acknowledgement of a broker lost";
        case Sight::put_back: return "put back, because nobody tried it";
        case Sight::redelivered: return "handed out again, because its worker was lost";
        case Sight::count: break;
    }
    return "nothing";
}

}  // namespace belfry::sim
