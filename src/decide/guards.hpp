// The guards that every occurrence passes, in their fixed order; the first that refuses wins. Pure.
//
// The order is part of the product (docs/adr/0008-guard-order.md): cheap and final reasons first, and everything that can
// veto before anything that acts, so that a vetoed tick never cancels or buffers.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "decide/facts.hpp"

namespace belfry::decide {

// An occurrence on its way through the guards.
struct Candidate {
    model::RunSlot slot;
    Instant fire_at = {};
    bool dropped_as_missed = false;                    // the missed-run policy does not want it
    std::optional<model::OverlapPolicy> overlap = {};  // an override of the schedule's policy
    std::optional<Json> input = {};                    // an override of the schedule's input; of an event, what is added to it
    bool in_turn = false;                              // it comes when its turn has come: nothing overlaps

    // The policy that applies: the override, and for a backfill no buffering.
    [[nodiscard]] model::OverlapRules rules(const model::Schedule& schedule) const;
};

struct Refusal {
    model::SkipReason reason;
    std::string detail = {};
    friend bool operator==(const Refusal&, const Refusal&) = default;
};

// What a condition is told of the runs before.
struct RecentRuns {
    Json prior_run_result = nullptr;
    RunStats last_24h = {};
};

// What a guard looks at: the facts, and the state as the decisions made so far in this plan have left it.
struct Question {
    const Facts& facts;
    const model::ScheduleState& state;
    const Budget& budget;
    const Candidate& candidate;
    const RecentRuns* recent = nullptr;  // instead of what the facts say, when a run has ended by this plan
};

struct Guard {
    int number;        // its place in the documented order
    bool for_trigger;  // and for an event: both come beside the schedule's own times
    bool for_backfill;
    std::optional<Refusal> (*refuse)(const Question&);
};

[[nodiscard]] std::span<const Guard> guards();

// The first refusal, or nothing when the occurrence may go on to overlap actions, rotation and approval.
[[nodiscard]] std::optional<Refusal> first_refusal(const Question& question);

// The same for a buffered run whose turn has come: what may have changed since. Status, window, slot and lateness were
// settled when it was buffered, and a schedule that has completed since takes nothing away from it.
[[nodiscard]] std::optional<Refusal> first_refusal_on_release(const Question& question);

// Whether the slot already has its row, and with it the outcome of its occurrence. One that a backfill skipped is free for the next.
[[nodiscard]] bool is_taken(const Facts& facts, const model::RunSlot& slot);
[[nodiscard]] bool is_free_again(const Facts& facts, const model::RunSlot& slot);

// Whether the condition looks at the answer of a signal. Only ticks ask for it, so only they judge such a condition.
[[nodiscard]] bool asks_signal(const model::Schedule& schedule);

// Whether `in_flight` runs are as many as the rules allow.
[[nodiscard]] bool overlaps(const model::OverlapRules& rules, int in_flight);

}  // namespace belfry::decide
