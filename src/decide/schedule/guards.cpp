#include "decide/schedule/guards.hpp"

#include <algorithm>
#include <array>

namespace belfry::decide {

using model::OverlapPolicy;
using model::RunCause;
using model::SkipReason;

namespace {

using MaybeRefusal = std::optional<Refusal>;

MaybeRefusal dispatch_is_on(const Question& q) {
    if (q.facts.switches.all()) return std::nullopt;
    return Refusal{SkipReason::dispatch_disabled, !q.facts.switches.server   ? "server"
                                                  : !q.facts.switches.tenant ? "tenant"
                                                                             : "queue"};
}

MaybeRefusal status_is_active(const Question& q) {
    if (q.state.status == model::ScheduleStatus::active) return std::nullopt;
    if (q.state.status == model::ScheduleStatus::paused && q.candidate.slot.cause == RunCause::backfill)
        return std::nullopt;
    return Refusal{SkipReason::status_not_triggerable, std::string(name_of(q.state.status))};
}

MaybeRefusal inside_window(const Question& q) {
    const auto& spec = q.facts.schedule->spec;
    const auto at = q.candidate.slot.occurrence;
    if ((spec.start_at() && at < *spec.start_at()) || (spec.end_at() && at > *spec.end_at()))
        return Refusal{SkipReason::outside_window};
    return std::nullopt;
}

MaybeRefusal runs_are_left(const Question& q) {
    if (!q.state.remaining_actions || *q.state.remaining_actions > 0) return std::nullopt;
    return Refusal{SkipReason::remaining_actions_exhausted};
}

MaybeRefusal slot_is_free(const Question& q) {
    if (!is_taken(q.facts, q.candidate.slot)) return std::nullopt;
    return Refusal{SkipReason::schedule_slot_exists};
}

MaybeRefusal not_missed(const Question& q) {
    if (!q.candidate.dropped_as_missed) return std::nullopt;
    return Refusal{SkipReason::missed_run,
                   "policy " + std::string(name_of(q.facts.schedule->definition.missed.policy))};
}

MaybeRefusal within_budget(const Question& q) {
    if (q.budget.runs_left_today && *q.budget.runs_left_today <= 0) {
        return Refusal{SkipReason::budget_exceeded, "runsPerDay of the tenant: " + std::to_string(q.budget.runs_today) +
                                                        " of " + std::to_string(q.budget.runs_per_day) +
                                                        "; it starts again at " +
                                                        format_instant(q.budget.runs_reset_at)};
    }
    if (!q.budget.assignee) return std::nullopt;
    const auto& [id, policies, today] = *q.budget.assignee;
    if (policies.max_runs_per_day && today.runs >= *policies.max_runs_per_day) {
        return Refusal{SkipReason::budget_exceeded, "maxRunsPerDay of " + id + ": " + std::to_string(today.runs) +
                                                        " of " + std::to_string(*policies.max_runs_per_day)};
    }
    if (!policies.credits_per_day) return std::nullopt;
    const auto& most = *policies.credits_per_day;
    const auto taken = today.spent + today.reserved;
    // A run without a spending limit needs at least some budget to start.
    const auto needed = policies.spending_limit.value_or(model::Credits{1});
    if (taken + needed <= most) return std::nullopt;
    return Refusal{SkipReason::budget_exceeded, "creditsPerDay of " + id + ": " + format_credits(today.spent) +
                                                    " spent and " + format_credits(today.reserved) + " reserved of " +
                                                    format_credits(most)};
}

MaybeRefusal target_can_start(const Question& q) {
    switch (q.facts.target.verdict) {
        case TargetCheck::Verdict::not_found: return Refusal{SkipReason::validation_failed, q.facts.target.detail};
        case TargetCheck::Verdict::cycle: return Refusal{SkipReason::cycle_detected, q.facts.target.detail};
        default: return std::nullopt;
    }
}

// Only the policies that refuse; those that act on an overlap come after every veto.
MaybeRefusal no_refusing_overlap(const Question& q) {
    const auto rules = q.candidate.rules(q.facts.schedule->definition);
    const bool refuses = rules.policy == OverlapPolicy::skip || rules.policy == OverlapPolicy::allow_all;
    if (!refuses || !overlaps(rules, q.state.in_flight)) return std::nullopt;
    const auto detail = std::to_string(q.state.in_flight) + " in flight";
    return Refusal{rules.max_concurrency ? SkipReason::max_concurrency_reached : SkipReason::overlap_in_flight, detail};
}

MaybeRefusal calendars_allow(const Question& q) {
    const auto& schedule = *q.facts.schedule;
    if (!schedule.missing_calendar.empty())
        return Refusal{SkipReason::calendar, "unknown calendar " + schedule.missing_calendar};
    const auto* const refusing = spec::first_refusal(schedule.calendars, q.candidate.slot.occurrence);
    if (refusing == nullptr) return std::nullopt;
    return Refusal{SkipReason::calendar, refusing->name()};
}

MaybeRefusal condition_holds(const Question& q) {
    const auto& schedule = *q.facts.schedule;
    if (!schedule.broken_condition.empty()) return Refusal{SkipReason::condition_failed, schedule.broken_condition};
    if (!schedule.condition) return std::nullopt;
    const auto context = q.recent != nullptr
                             ? condition_context(q.recent->prior_run_result, q.recent->last_24h, q.facts.signal_result)
                             : condition_context(q.facts.prior_run_result, q.facts.last_24h, q.facts.signal_result);
    if (auto failing = schedule.condition->first_failing(context))
        return Refusal{SkipReason::condition_failed, std::move(*failing)};
    return std::nullopt;
}

// After `retryAfter`, one trial run is allowed, alone. Its result decides whether the breaker closes.
MaybeRefusal breaker_is_closed(const Question& q) {
    const auto& definition = q.facts.schedule->definition;
    if (!is_breaker_open(definition, q.state)) return std::nullopt;
    const auto& wait = definition.breaker_retry_after;
    const bool is_trial =
        wait && q.state.in_flight == 0 && q.candidate.fire_at >= q.state.breaker_opened_at.value_or(Instant{}) + *wait;
    if (is_trial) return std::nullopt;
    const auto count = q.state.consecutive_failures;
    return Refusal{SkipReason::breaker_open, std::to_string(count) + (count == 1 ? " failure" : " failures in a row")};
}

struct Guard {
    GuardId id;
    bool for_trigger;  // also for events: both come beside the schedule's own times
    bool for_backfill;
    std::optional<Refusal> (*refuse)(const Question&);
};

// 13 (acting overlap policies), 14 (rotation) and 15 (approval) do not refuse; the plan builder applies them.
constexpr std::array kGuards{
    Guard{GuardId::dispatch, true, true, dispatch_is_on},     Guard{GuardId::status, true, true, status_is_active},
    Guard{GuardId::window, false, true, inside_window},       Guard{GuardId::remaining_runs, true, true, runs_are_left},
    Guard{GuardId::slot, true, true, slot_is_free},           Guard{GuardId::missed_run, false, false, not_missed},
    Guard{GuardId::budget, true, true, within_budget},        Guard{GuardId::target, true, true, target_can_start},
    Guard{GuardId::overlap, true, true, no_refusing_overlap}, Guard{GuardId::calendar, false, true, calendars_allow},
    Guard{GuardId::condition, false, false, condition_holds}, Guard{GuardId::breaker, true, true, breaker_is_closed},
};
static_assert(std::ranges::is_sorted(kGuards, {}, &Guard::id));

constexpr std::array kSettledWhenBuffered{GuardId::status, GuardId::window, GuardId::slot, GuardId::missed_run};

bool applies(const Guard& guard, RunCause cause) {
    switch (cause) {
        case RunCause::trigger:
        case RunCause::event: return guard.for_trigger;
        case RunCause::backfill: return guard.for_backfill;
        default: return true;
    }
}

}  // namespace

model::OverlapRules Candidate::rules(const model::Schedule& schedule) const {
    if (in_turn) return {OverlapPolicy::allow_all, {}};
    auto result = schedule.overlap;
    if (overlap) result.policy = *overlap;
    if (slot.cause == RunCause::backfill && result.buffers()) result.policy = OverlapPolicy::allow_all;
    return result;
}

bool asks_signal(const model::Schedule& schedule) {
    if (!schedule.signal || !schedule.condition.is_object()) return false;
    return std::ranges::any_of(schedule.condition.get_object(), [](const auto& clause) {
        const std::string_view path = clause.key();
        return path.empty() || path.starts_with("/signal_rpc_result");
    });
}

bool is_taken(const Facts& facts, const model::RunSlot& slot) {
    return std::ranges::find(facts.taken, slot) != facts.taken.end() && !is_free_again(facts, slot);
}

bool is_free_again(const Facts& facts, const model::RunSlot& slot) {
    return slot.cause == RunCause::backfill && std::ranges::find(facts.skipped, slot) != facts.skipped.end();
}

bool overlaps(const model::OverlapRules& rules, int in_flight) {
    const auto limit = rules.limit();
    return limit && in_flight >= *limit;
}

std::vector<GuardId> guards_of(RunCause cause) {
    std::vector<GuardId> ids;
    for (const auto& guard : kGuards) {
        if (applies(guard, cause)) ids.push_back(guard.id);
    }
    return ids;
}

std::optional<Refusal> first_refusal(const Question& question) {
    for (const auto& guard : kGuards) {
        if (!applies(guard, question.candidate.slot.cause)) continue;
        if (auto refusal = guard.refuse(question)) return refusal;
    }
    return std::nullopt;
}

std::optional<Refusal> first_refusal_on_release(const Question& question) {
    for (const auto& guard : kGuards) {
        const bool settled = std::ranges::find(kSettledWhenBuffered, guard.id) != kSettledWhenBuffered.end();
        if (settled || !applies(guard, question.candidate.slot.cause)) continue;
        if (auto refusal = guard.refuse(question)) return refusal;
    }
    return std::nullopt;
}

}  // namespace belfry::decide
