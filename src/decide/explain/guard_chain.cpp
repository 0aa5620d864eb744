#include "decide/explain/guard_chain.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "base/text/enum_names.hpp"
#include "decide/explain/why.hpp"

namespace belfry::decide {

using model::SkipReason;

namespace {

constexpr std::array kGuardOutcomes{EnumName{GuardOutcome::passed, "passed"},
                                    EnumName{GuardOutcome::refused, "refused"},
                                    EnumName{GuardOutcome::not_reached, "not_reached"}};

struct GuardText {
    GuardId id;
    std::string_view name;
    std::string_view rule;
};

constexpr std::array kGuardTexts{
    GuardText{GuardId::dispatch, "dispatch", "dispatch is on for server, tenant and queue"},
    GuardText{GuardId::status, "status", "the schedule is active"},
    GuardText{GuardId::window, "window", "it lies between startAt and endAt"},
    GuardText{GuardId::remaining_runs, "remaining_runs", "maxRuns is not used up"},
    GuardText{GuardId::slot, "slot", "the occurrence has no run yet"},
    GuardText{GuardId::missed_run, "missed_run", "the missed-run policy does not drop it"},
    GuardText{GuardId::budget, "budget", "the budget allows another run"},
    GuardText{GuardId::target, "target", "the target can be started"},
    GuardText{GuardId::overlap, "overlap", "no run in flight stands in the way"},
    GuardText{GuardId::calendar, "calendar", "all calendars allow that date"},
    GuardText{GuardId::condition, "condition", "preDispatchCondition holds"},
    GuardText{GuardId::breaker, "breaker", "the breaker is closed"},
};

constexpr std::string_view kBuffer = "buffer";

const GuardText& text_of(GuardId id) {
    const auto found = std::ranges::find(kGuardTexts, id, &GuardText::id);
    assert(found != kGuardTexts.end());
    return *found;
}

// Empty for a full buffer, which is found after the guards.
std::optional<GuardId> guard_of(SkipReason reason) {
    switch (reason) {
        case SkipReason::dispatch_disabled: return GuardId::dispatch;
        case SkipReason::status_not_triggerable: return GuardId::status;
        case SkipReason::outside_window: return GuardId::window;
        case SkipReason::remaining_actions_exhausted: return GuardId::remaining_runs;
        case SkipReason::schedule_slot_exists: return GuardId::slot;
        case SkipReason::missed_run: return GuardId::missed_run;
        case SkipReason::budget_exceeded: return GuardId::budget;
        case SkipReason::validation_failed:
        case SkipReason::cycle_detected: return GuardId::target;
        case SkipReason::overlap_in_flight:
        case SkipReason::max_concurrency_reached: return GuardId::overlap;
        case SkipReason::calendar: return GuardId::calendar;
        case SkipReason::condition_failed: return GuardId::condition;
        case SkipReason::breaker_open: return GuardId::breaker;
        case SkipReason::buffer_full: break;
    }
    return std::nullopt;
}

GuardChain chain_of(model::RunCause cause, GuardOutcome outcome) {
    GuardChain chain;
    for (const auto id : guards_of(cause)) {
        const auto& text = text_of(id);
        chain.push_back({text.name, outcome, std::string(text.rule)});
    }
    return chain;
}

}  // namespace

std::string_view name_of(GuardOutcome outcome) { return canonical_name<GuardOutcome>(kGuardOutcomes, outcome); }

std::vector<std::string> guard_outcome_names() {
    std::vector<std::string> names;
    for (const auto& each : kGuardOutcomes) names.emplace_back(each.name);
    return names;
}

std::vector<std::string> guard_names() {
    std::vector<std::string> names;
    for (const auto& each : kGuardTexts) names.emplace_back(each.name);
    names.emplace_back(kBuffer);
    return names;
}

GuardChain guard_chain(model::RunCause cause, const std::optional<Refusal>& refusal) {
    auto chain = chain_of(cause, GuardOutcome::passed);
    if (!refusal) return chain;
    const auto words = reason_in_words(refusal->reason, refusal->detail);
    const auto guard = guard_of(refusal->reason);
    const auto name = guard ? text_of(*guard).name : kBuffer;
    auto refusing = std::ranges::find(chain, name, &GuardStep::guard);
    if (refusing == chain.end()) refusing = chain.insert(chain.end(), GuardStep{name});
    *refusing = {name, GuardOutcome::refused, words};
    for (++refusing; refusing != chain.end(); ++refusing) refusing->outcome = GuardOutcome::not_reached;
    return chain;
}

GuardChain undecided_guard_chain(model::RunCause cause) { return chain_of(cause, GuardOutcome::not_reached); }

}  // namespace belfry::decide
