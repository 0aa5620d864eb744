// Bugs that are planted on purpose: the simulator must catch every one of them. They live in the simulated store,
// clocks and workers; the program's own code is never touched.
#pragma once

#include <cstdint>
#include <string_view>

namespace belfry::sim {

enum class Mutant : std::uint8_t {
    none,
    no_unique_key,            // an occurrence that has its row gets a second one
    blind_retry,              // a commit of unknown outcome is simply repeated
    node_clock,               // the server's own clock says what is due
    cursor_apart,             // the cursor is saved in a transaction of its own
    no_fencing,               // whoever completes a run is believed, whatever its token
    audit_apart,              // events are written after the commit
    heartbeat_outlives_work,  // a worker that is gone keeps its lease
    stale_paused,             // the status is read before the transaction
    stale_overlap,            // and so are the runs in flight
    stale_max_runs,           // and what is left of maxRuns
    lease_from_answer,    // a leader counts its window from the answer, by a clock that stands still while it is frozen
    reaper_without_look,  // a lease that was renewed meanwhile is reaped all the same
    announcements_relied_on,  // nobody sweeps: what was not notified is never looked at
    node_not_fenced,          // whoever completes a node is believed, whatever its attempt
    late_node_counts,         // a node that its worker ends after the end of the run still counts
    any_dependency,           // a node begins when one of its dependencies has succeeded
    retries_reset,            // a new version of the workflow gives its nodes new attempts
    newest_version,           // a run goes on by the newest version
    no_deadline,              // heartbeats keep a node beyond its timeout
    halt_as_isolate,          // the failure of a node does not halt the run
    never_handed_over,        // nobody takes over what failed for good
    acknowledged_early,       // a task that is handed over is done before the broker has it
    gate_ignored,             // a node begins although somebody must approve it
    expiry_approves,          // what nobody decided in time is taken for approved
    stale_budget,             // what is taken of a budget is read before the transaction
    trigger_not_reserved,     // a run that was asked for reserves nothing
    newest_definition,        // the end of an attempt goes by the definition in force, not by that of its run
    every_reading_believed,   // whatever the clock shows is the time, at once
    refusal_takes_turn,       // a buffered run that is refused is the only one that is tried
    release_on_old_facts,     // the condition of what a run releases does not know how that run ended
    count,
};

[[nodiscard]] constexpr std::string_view name_of(Mutant mutant) {
    switch (mutant) {
        case Mutant::no_unique_key: return "no unique key";
        case Mutant::blind_retry: return "blind retry of an unknown commit";
        case Mutant::node_clock: return "the node's clock decides what is due";
        case Mutant::cursor_apart: return "cursor saved in a separate transaction";
        case Mutant::no_fencing: return "no fencing";
        case Mutant::audit_apart: return "audit outside the transaction";
        case Mutant::heartbeat_outlives_work: return "heartbeat outlives the work";
        case Mutant::stale_paused: return "stale read of paused";
        case Mutant::stale_overlap: return "stale read of overlap";
        case Mutant::stale_max_runs: return "stale read of maxRuns";
        case Mutant::lease_from_answer: return "leader's window counted from the answer";
        case Mutant::reaper_without_look: return "reaper does not look again";
        case Mutant::announcements_relied_on: return "notifications relied on";
        case Mutant::node_not_fenced: return "node not fenced";
        case Mutant::late_node_counts: return "node counts after the end of its run";
        case Mutant::any_dependency: return "one dependency is enough";
        case Mutant::retries_reset: return "retries counted anew after a deployment";
        case Mutant::newest_version: return "a walk picks up the newest version";
        case Mutant::no_deadline: return "heartbeat renews beyond the timeout";
        case Mutant::halt_as_isolate: return "no halt";
        case Mutant::never_handed_over: return "no fallback";
        case Mutant::acknowledged_early: return "settled before it is acknowledged";
        case Mutant::gate_ignored: return "gate ignored";
        case Mutant::expiry_approves: return "an expiry approves";
        case Mutant::stale_budget: return "stale read of a budget";
        case Mutant::trigger_not_reserved: return "triggers reserve nothing";
        case Mutant::newest_definition: return "an attempt ends by the newest definition";
        case Mutant::every_reading_believed: return "every reading of the clock believed at once";
        case Mutant::refusal_takes_turn: return "a refusal takes the turn";
        case Mutant::release_on_old_facts: return "released on old facts";
        default: return "none";
    }
}

}  // namespace belfry::sim
