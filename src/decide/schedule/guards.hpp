// The guards that every occurrence passes, in a fixed order; the first refusal wins. Pure.
//
// The order is part of the product (docs/adr/0008-guard-order.md): cheap and final reasons come first, and everything
// that can veto comes before anything that acts, so that a vetoed tick never cancels or buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decide/facts.hpp"

namespace belfry::decide {

// The numbers are the places in the documented order.
enum class GuardId : std::uint8_t {
    dispatch = 1,
    status,
    window,
    remaining_runs,
    slot,
    missed_run,
    budget,
    target,
    overlap,
    calendar,
    condition,
    breaker,
};

// The guards that a run with that cause passes, in their order.
[[nodiscard]] std::vector<GuardId> guards_of(model::RunCause cause);

// An occurrence on its way through the guards.
struct Candidate {
    model::RunSlot slot;
    Instant fire_at = {};
    bool dropped_as_missed = false;                    // the missed-run policy drops it
    std::optional<model::OverlapPolicy> overlap = {};  // overrides the schedule's policy
    std::optional<Json> input = {};                    // overrides the schedule's; for an event, the members to add
    bool in_turn = false;                              // a backfill controls its concurrency: nothing overlaps

    // The policy that applies: the override, and no buffering for a backfill.
    [[nodiscard]] model::OverlapRules rules(const model::Schedule& schedule) const;
};

struct Refusal {
    model::SkipReason reason;
    std::string detail = {};
    friend bool operator==(const Refusal&, const Refusal&) = default;
};

// What a condition sees of earlier runs.
struct RecentRuns {
    Json prior_run_result = nullptr;
    RunStats last_24h = {};
};

// The input of a guard: the facts, and the state after the decisions made so far in this plan.
struct Question {
    const Facts& facts;
    const model::ScheduleState& state;
    const Budget& budget;
    const Candidate& candidate;
    const RecentRuns* recent = nullptr;  // replaces the facts' values if a run has ended by this plan
};

// The first refusal; empty if the occurrence may continue to overlap actions, rotation and approval.
[[nodiscard]] std::optional<Refusal> first_refusal(const Question& question);

// The same for a buffered run at its release: only guards whose result may have changed. Status, window, slot and
// lateness were settled when it was buffered, and a schedule that has completed since still runs it.
[[nodiscard]] std::optional<Refusal> first_refusal_on_release(const Question& question);

// Whether the slot already has a row and so its outcome. A slot that a backfill skipped is free for the next
// backfill.
[[nodiscard]] bool is_taken(const Facts& facts, const model::RunSlot& slot);
[[nodiscard]] bool is_free_again(const Facts& facts, const model::RunSlot& slot);

// Whether the condition reads the signal's answer. Only ticks request it, so only they judge such a condition.
[[nodiscard]] bool asks_signal(const model::Schedule& schedule);

// Whether `in_flight` runs are as many as the rules allow.
[[nodiscard]] bool overlaps(const model::OverlapRules& rules, int in_flight);

}  // namespace belfry::decide
