#include "decide/schedule/lifecycle.hpp"

#include <algorithm>

#include "decide/plan_builder.hpp"
#include "model/schedule/schedule_fields.hpp"
#include "model/schedule/schedule_json.hpp"

namespace belfry::decide {

using model::EventType;
using model::ScheduleStatus;

namespace {

constexpr const char* kResumed = "it was resumed";

Json instant_or_null(const std::optional<Instant>& instant) {
    return instant ? Json(format_instant(*instant)) : Json(nullptr);
}

// Puts the cursor on the first occurrence after `after`.
void start_from(model::ScheduleState& state, const CompiledSchedule& schedule, Instant after) {
    state.next_occurrence = schedule.spec.next(after);
    state.next_fire.reset();
    state.spread_until.reset();
    if (state.next_occurrence)
        state.next_fire = schedule.spec.fire_time(schedule.definition.id, *state.next_occurrence);
}

// Call after the cursor is set.
std::optional<Error> check_fires(const model::ScheduleState& state, const CompiledSchedule& schedule, Instant now) {
    if (state.next_occurrence || schedule.spec.listens()) return std::nullopt;
    return Error{ErrorCode::invalid_argument,
                 "the spec has no occurrence after " + format_instant(now) + ": it would never fire", "/spec"};
}

// If the clock was set back, the schedule has already decided future occurrences. It continues after them, so that
// none is decided twice. An occurrence that jitter fired early is not such a case.
Instant after_decided(const Facts& facts, Instant after) {
    const auto& newest = facts.state.newest_decided;
    if (!newest || *newest <= after) return after;
    return facts.schedule->spec.fire_time(facts.schedule->definition.id, *newest) > after ? *newest : after;
}

Error wrong_status(const char* verb, ScheduleStatus status) {
    return invalid("cannot " + std::string(verb) + " a schedule that is " + std::string(name_of(status)));
}

boost::json::object definition_payload(const model::Schedule& schedule, const model::ScheduleState& state) {
    return {{"spec", model::to_json(schedule.spec)},
            {"action", model::to_json(schedule.target)},
            {"overlap_policy", name_of(schedule.overlap.policy)},
            // The end of a pause is not a fire time.
            {"next_fire_at", state.next_occurrence ? instant_or_null(state.next_fire) : Json(nullptr)}};
}

// The rest of maxRuns after the runs so far.
std::optional<std::int64_t> remaining(const model::Schedule& schedule, std::int64_t runs) {
    if (!schedule.max_runs) return std::nullopt;
    return std::max<std::int64_t>(0, *schedule.max_runs - runs);
}

std::optional<Error> check(const PauseRequest& request, Instant now) {
    if (!request.until || *request.until > now) return std::nullopt;
    return Error{ErrorCode::invalid_argument, "until must be in the future", "/until"};
}

void pause(PlanBuilder& builder, const PauseRequest& request) {
    builder.give_up_spread();
    auto& state = builder.state();
    if (state.status != ScheduleStatus::paused) state.paused_at = builder.now();
    state.status = ScheduleStatus::paused;
    state.paused_until = request.until;
    state.pause_reason = request.reason;
    state.next_occurrence.reset();
    // A pause with an end wakes the schedule at that time; otherwise nothing does.
    state.next_fire = request.until;
    boost::json::object payload{{"reason", request.reason}, {"paused_at", format_instant(*state.paused_at)}};
    if (request.until) payload["paused_until"] = format_instant(*request.until);
    builder.record(EventType::schedule_paused, std::move(payload));
}

// The time after which the schedule decides its occurrences again. A pause with an end has ended at that time,
// however late a server notices: everything due since then must be decided. If the missed-run policy counts pauses,
// so must everything that came due during the pause.
Instant end_of_pause(const Facts& facts, Instant now) {
    const auto& state = facts.state;
    if (facts.schedule->definition.missed.counts_pauses()) return state.paused_at.value_or(now);
    return state.paused_until && *state.paused_until <= now ? *state.paused_until - Micros{1} : now;
}

// REQUIRES: the facts of the builder contain nothing but the schedule.
std::optional<Error> create(PlanBuilder& builder) {
    const auto& schedule = *builder.facts().schedule;
    const auto now = builder.now();
    auto& state = builder.state();
    start_from(state, schedule, schedule.spec.one_time() ? now - kOneTimeGrace : now);
    if (auto error = check_fires(state, schedule, now)) return error;
    state.remaining_actions = remaining(schedule.definition, 0);
    builder.record(EventType::schedule_created, definition_payload(schedule.definition, state));
    builder.change_definition(schedule.definition);
    return std::nullopt;
}

Facts facts_of_new(const CompiledPtr& schedule) {
    Facts facts;
    facts.schedule = schedule;
    facts.state.revision = 0;
    return facts;
}

}  // namespace

Result<Plan> plan_create(const CompiledPtr& schedule, Instant now, const model::CommandContext& context,
                         const std::optional<PauseRequest>& paused) {
    if (paused) {
        if (auto error = check(*paused, now)) return *error;
    }
    const auto facts = facts_of_new(schedule);
    PlanBuilder builder(facts, now, context);
    if (auto error = create(builder)) return *error;
    if (paused) pause(builder, *paused);
    return builder.take();
}

Result<Plan> plan_refused_create(const CompiledPtr& schedule, const BypassAttempt& attempt, Instant now,
                                 const model::CommandContext& context) {
    const auto facts = facts_of_new(schedule);
    PlanBuilder builder(facts, now, context);
    if (auto error = create(builder)) return *error;
    record_bypass(builder, attempt, context.principal);
    builder.remove(std::string(name_of(EventType::approval_bypass_attempt)));
    return builder.take();
}

Result<Plan> plan_update(const Facts& facts, const CompiledPtr& changed, Instant now,
                         const model::CommandContext& context) {
    if (facts.state.status == ScheduleStatus::deleted) return wrong_status("update", facts.state.status);
    const auto& before = facts.schedule->definition;
    auto after = changed->definition;
    const auto fields = model::changed_fields(before, after);
    PlanBuilder builder(facts, now, context);
    if (fields.empty() && after.updated_at == before.updated_at) return builder.take();
    auto& state = builder.state();
    if (before.max_runs != after.max_runs) state.remaining_actions = remaining(after, state.runs);
    if (!(before.spec == after.spec)) {
        const auto given_up = builder.give_up_spread();
        if (state.status == ScheduleStatus::completed) state.status = ScheduleStatus::active;
        if (state.status == ScheduleStatus::active) {
            start_from(state, *changed, std::max(after_decided(facts, now), given_up.value_or(now)));
            if (auto error = check_fires(state, *changed, now)) return *error;
        }
    }
    if (before.inputs_rotation != after.inputs_rotation) state.rotation_index = 0;
    // After a change of the failing target or of the breaker's limit, the schedule may try again.
    if (!(before.target == after.target) || before.breaker_failures != after.breaker_failures)
        builder.close_breaker("the schedule was changed");
    after.version = before.version + 1;
    after.updated_at = now;
    auto payload = definition_payload(after, state);
    payload["changed_fields"] = boost::json::array(fields.begin(), fields.end());
    builder.record(EventType::schedule_updated, std::move(payload));
    builder.change_definition(std::move(after));
    // The runs so far have used up a lowered maxRuns: the schedule ends as after its last run.
    if (state.remaining_actions == 0 && before.max_runs != changed->definition.max_runs)
        builder.remove("max_runs_exhausted");
    return builder.take();
}

Result<Plan> plan_pause(const Facts& facts, const PauseRequest& request, Instant now,
                        const model::CommandContext& context) {
    if (facts.state.status == ScheduleStatus::deleted || facts.state.status == ScheduleStatus::completed)
        return wrong_status("pause", facts.state.status);
    if (auto error = check(request, now)) return *error;
    PlanBuilder builder(facts, now, context);
    if (const auto& state = facts.state; state.status == ScheduleStatus::paused) {
        if (state.paused_until == request.until) return builder.take();
        // A tick ends the old pause first, which needs a readable schedule.
        const bool is_over = state.paused_until && *state.paused_until <= now && facts.schedule->unreadable.empty();
        if (is_over) return Error{ErrorCode::conflict, "the previous pause has just ended; pause the schedule again"};
    }
    pause(builder, request);
    return builder.take();
}

Result<Plan> plan_resume(const Facts& facts, Instant now, const model::CommandContext& context) {
    PlanBuilder builder(facts, now, context);
    auto& state = builder.state();
    if (state.status == ScheduleStatus::active && is_breaker_open(facts.schedule->definition, state)) {
        builder.close_breaker(kResumed);
        builder.release_buffered();
        return builder.take();
    }
    if (state.status != ScheduleStatus::paused) return wrong_status("resume", state.status);
    // Occurrences that were decided early, because of jitter or a clock that was set back, are not decided again.
    const auto pause_end = end_of_pause(facts, now);
    const auto resumed_after = std::max(pause_end, state.newest_decided.value_or(pause_end));
    state.status = ScheduleStatus::active;
    state.paused_at.reset();
    state.paused_until.reset();
    state.pause_reason.clear();
    builder.close_breaker(kResumed);
    start_from(state, *facts.schedule, resumed_after);
    builder.record(EventType::schedule_resumed, {{"next_fire_at", instant_or_null(state.next_fire)}});
    if (!state.next_occurrence) builder.advance_past(resumed_after);
    builder.release_buffered();
    return builder.take();
}

Result<Plan> plan_delete(const Facts& facts, const std::string& reason, Instant now,
                         const model::CommandContext& context) {
    if (facts.state.status == ScheduleStatus::deleted) return wrong_status("delete", facts.state.status);
    PlanBuilder builder(facts, now, context);
    builder.give_up_spread();
    builder.remove(reason);
    return builder.take();
}

}  // namespace belfry::decide
