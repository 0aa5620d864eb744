#include "decide/plan_builder.hpp"

#include <algorithm>

#include "decide/gate.hpp"
#include "model/cause.hpp"

namespace belfry::decide {

using model::DispatchStatus;
using model::EventType;
using model::ExecutionStatus;
using model::OverlapPolicy;
using model::SkipReason;

namespace {

bool buffers(OverlapPolicy policy) { return policy == OverlapPolicy::buffer_one || policy == OverlapPolicy::buffer_all; }

}  // namespace

PlanBuilder::PlanBuilder(const Facts& facts, Instant now, model::CommandContext context)
    : facts_(facts), context_(std::move(context)), budget_(facts.budget) {
    plan_.schedule_id = definition().id;
    plan_.revision = facts.state.revision;
    plan_.decided_at = now;
    plan_.state = facts.state;
}

PlannedRun PlanBuilder::planned(const Candidate& candidate) const {
    PlannedRun run;
    run.id = run_id(definition().id, candidate.slot);
    run.slot = candidate.slot;
    run.fire_at = candidate.fire_at;
    run.overlap = candidate.rules(definition()).policy;
    return run;
}

std::optional<DispatchStatus> PlanBuilder::decide(const Candidate& candidate) {
    // Even when a guard before that one refuses: its row is written, and there is no second.
    if (is_taken(facts_, candidate.slot)) return std::nullopt;
    if (auto refusal = first_refusal({facts_, plan_.state, budget_, candidate})) {
        skip(planned(candidate), std::move(*refusal), false);
        return DispatchStatus::skipped;
    }
    const auto rules = candidate.rules(definition());
    auto run = planned(candidate);
    if (overlaps(rules, plan_.state.in_flight)) {
        if (buffers(rules.policy)) {
            const int room = rules.policy == OverlapPolicy::buffer_one ? 1 : kBufferMax;
            if (plan_.state.buffered >= room) {
                skip(std::move(run), {SkipReason::buffer_full, std::to_string(plan_.state.buffered) + " buffered"}, false);
                return DispatchStatus::skipped;
            }
            run.input = candidate.input.value_or(nullptr);
            buffer(std::move(run));
            return DispatchStatus::buffered;
        }
        make_room(rules);
    }
    dispatch(std::move(run), candidate, false);
    return DispatchStatus::dispatched;
}

void PlanBuilder::skip_range(Candidate first, SkippedRange range) {
    const auto& spec = facts_.schedule->spec;
    auto& at = first.slot.occurrence;
    for (; is_taken(facts_, first.slot); --range.count) {
        if (at == range.last) return;
        at = spec.next(at).value_or(range.last);
        first.fire_at = spec.fire_time(definition().id, at);
    }
    range.count -= std::ranges::count_if(facts_.taken, [&](const auto& slot) {
        const bool inside = slot.cause == first.slot.cause && slot.occurrence > at && slot.occurrence <= range.last;
        return inside && spec.next(slot.occurrence - Micros{1}) == slot.occurrence;
    });
    auto refusal = first_refusal({facts_, plan_.state, budget_, first});
    auto run = planned(first);
    if (range.count > 1) {
        run.range = range;
        plan_.state.skips += range.count - 1;
    }
    skip(std::move(run), refusal.value_or(Refusal{SkipReason::missed_run}), false);
}

int PlanBuilder::release_buffered(int most) {
    if (!facts_.schedule->unreadable.empty()) return 0;  // they wait until it can be read again, or go with it
    const bool completed = plan_.state.status == model::ScheduleStatus::completed;
    if (!completed && (is_over() || !facts_.switches.all())) return 0;
    int turns = 0;
    while ((completed || turns < most) && released_ < facts_.buffered.size() && !overlaps(definition().overlap, plan_.state.in_flight)) {
        release(facts_.buffered[released_++]);
        ++turns;
    }
    return turns;
}

void PlanBuilder::release(const BufferedRun& buffered) {
    Candidate candidate{buffered.slot, now(), false, {}, {}};
    if (!buffered.input.is_null()) candidate.input = buffered.input;
    plan_.state.buffered -= 1;
    if (auto refusal = first_refusal_on_release({facts_, plan_.state, budget_, candidate})) {
        skip(planned(candidate), std::move(*refusal), true);
    } else {
        dispatch(planned(candidate), candidate, true);
    }
}

void PlanBuilder::give_up_buffered() {
    for (; released_ < facts_.buffered.size(); ++released_) {
        plan_.state.buffered -= 1;
        const Candidate candidate{facts_.buffered[released_].slot, now(), false, {}, {}};
        skip(planned(candidate), {SkipReason::status_not_triggerable, std::string(name_of(plan_.state.status))}, true);
    }
}

void PlanBuilder::skip(PlannedRun run, Refusal refusal, bool was_buffered) {
    run.dispatch = DispatchStatus::skipped;
    run.reason = refusal.reason;
    run.detail = std::move(refusal.detail);
    auto& state = plan_.state;
    state.skips += 1;
    state.last_skip_reason = name_of(refusal.reason);
    state.last_skipped_at = now();
    boost::json::object payload{{"reason", name_of(refusal.reason)},
                                {"skipped_trigger_count", state.skips},
                                {"last_skipped_at", format_instant(now())},
                                {"occurrence_time", format_instant(run.slot.occurrence)},
                                {"cause", cause_name(run.slot, definition())}};
    if (!run.detail.empty()) payload["detail"] = run.detail;
    if (run.range) {
        payload["occurrence_until"] = format_instant(run.range->last);
        payload["occurrence_count"] = run.range->count;
        if (run.range->at_least) payload["occurrence_count_at_least"] = true;
    }
    record(EventType::schedule_trigger_skipped, std::move(payload));
    keep(std::move(run), was_buffered);
}

void PlanBuilder::buffer(PlannedRun run) {
    run.dispatch = DispatchStatus::buffered;
    plan_.state.buffered += 1;
    record(EventType::schedule_trigger_buffered, {{"occurrence_time", format_instant(run.slot.occurrence)},
                                                  {"effective_overlap_policy", name_of(run.overlap)},
                                                  {"buffered_count", plan_.state.buffered},
                                                  {"cause", cause_name(run.slot, definition())}});
    keep(std::move(run), false);
}

// Ends the oldest runs in flight until one more fits.
void PlanBuilder::make_room(const model::OverlapRules& rules) {
    const auto status = rules.policy == OverlapPolicy::terminate_other ? ExecutionStatus::terminated : ExecutionStatus::cancelled;
    while (overlaps(rules, plan_.state.in_flight) && ended_ < facts_.in_flight.size()) {
        end({facts_.in_flight[ended_].id, status, nullptr, "replaced by a newer run"});
        ++ended_;
    }
    // Runs that this very plan dispatched go the same way.
    for (auto* const rows : {&plan_.releases, &plan_.runs}) {
        for (auto run = rows->begin(); run != rows->end() && overlaps(rules, plan_.state.in_flight); ++run) {
            if (!is_in_flight(run->execution)) continue;
            run->execution = status;
            plan_.state.in_flight -= 1;
            std::erase_if(plan_.asks, [run](const model::Approval& asked) { return asked.run_id == run->id; });
            if (run->reserves) budget_.assignee->today.reserved -= run->reserves->reserved();
        }
    }
}

void PlanBuilder::choose_input(PlannedRun& run, const Candidate& candidate) const {
    const auto& schedule = definition();
    if (candidate.input) {
        run.input = *candidate.input;
    } else if (!schedule.inputs_rotation.empty()) {
        const auto index = plan_.state.rotation_index % static_cast<std::int64_t>(schedule.inputs_rotation.size());
        run.input = schedule.inputs_rotation[static_cast<std::size_t>(index)];
        run.rotation_index_used = index;
    } else {
        run.input = schedule.inputs_template.is_null() ? schedule.target.input : schedule.inputs_template;
    }
}

void PlanBuilder::dispatch(PlannedRun run, const Candidate& candidate, bool was_buffered) {
    auto& state = plan_.state;
    choose_input(run, candidate);
    run.dispatch = DispatchStatus::dispatched;
    const bool waits = is_run_gated(facts_.schedule->approval, facts_.workflow != nullptr);
    run.execution = waits ? ExecutionStatus::awaiting_approval : ExecutionStatus::queued;
    if (run.execution == ExecutionStatus::queued && facts_.workflow) {
        auto walk = begin({run.id, run.slot, run.input, run.fire_at});
        if (!walk) {
            run.execution = ExecutionStatus::none;
            run.rotation_index_used.reset();
            run.input = nullptr;
            return skip(std::move(run), {SkipReason::validation_failed, walk.error().message}, was_buffered);
        }
        run.walk = std::move(*walk);
    }
    if (run.rotation_index_used) state.rotation_index += 1;
    state.runs += 1;
    state.in_flight += 1;
    state.last_fired_at = now();
    state.last_run_id = run.id;
    run.trigger_number = state.runs;
    if (budget_.runs_left_today) *budget_.runs_left_today -= 1;
    reserve(run);
    boost::json::object payload{{"workflow_instance_id", instance_id(definition().name, run.slot)},
                                {"workflow_run_id", run.id},
                                {"outcome", name_of(run.execution)},
                                {"effective_overlap_policy", name_of(run.overlap)},
                                {"trigger_number", run.trigger_number},
                                {"occurrence_time", format_instant(run.slot.occurrence)},
                                {"cause", was_buffered ? "buffer" : cause_name(run.slot, definition())}};
    if (run.rotation_index_used) payload["rotation_index_used"] = *run.rotation_index_used;
    record(EventType::schedule_triggered, std::move(payload));
    if (waits) ask_for(ask(facts_.schedule->approval, {.run_id = run.id}, now()));
    if (run.walk) ask_for_nodes(run.id, *run.walk);
    keep(std::move(run), was_buffered);
    use_up_action();
}

Result<std::optional<WalkStart>> PlanBuilder::begin(const RunOfWalk& run) const {
    if (!facts_.workflow) return std::optional<WalkStart>();
    const auto& workflow = *facts_.workflow;
    auto routed = run;
    routed.default_connection = facts_.default_connection;
    routed.approval = facts_.schedule->approval;
    auto nodes = begin_walk(workflow, definition(), routed, now());
    if (!nodes) return nodes.error();
    const Micros longest = workflow.timeout ? Micros{*workflow.timeout} : facts_.caps.timeout;
    return std::optional(WalkStart{workflow.version, std::max(now(), run.ready_at) + longest, std::move(*nodes)});
}

// Nodes that wait before they have begun.
void PlanBuilder::ask_for_nodes(const std::string& run_id, const WalkStart& walk) {
    for (const auto& node : walk.nodes) {
        const auto* const described = facts_.workflow->find(node.node);
        const auto why = described != nullptr ? gate_of(facts_.schedule->approval, described->action) : std::nullopt;
        if (!why) continue;
        const auto& asked = plan_.asks.emplace_back(
            ask(facts_.schedule->approval, {.run_id = run_id, .node = node.node, .action = described->action, .why = *why}, now()));
        note({run_id, requested_event(asked)});
    }
}

// The run holds what it may use at most until it ends: so nobody else counts on it.
void PlanBuilder::reserve(PlannedRun& run) {
    if (!budget_.assignee) return;
    auto& [id, policies, today] = *budget_.assignee;
    run.reserves = model::Reservation{id, model::day_of(now()), policies.spending_limit};
    today.runs += 1;
    today.reserved += run.reserves->reserved();
}

void PlanBuilder::settle() {
    const auto& reservation = facts_.spending.reservation;
    if (!reservation || !budget_.assignee || budget_.assignee->id != reservation->assignee || reservation->day != model::day_of(now())) return;
    budget_.assignee->today.reserved -= reservation->reserved();
    budget_.assignee->today.spent += facts_.spending.used().credits;
}

// The last allowed run takes the schedule with it.
void PlanBuilder::use_up_action() {
    auto& state = plan_.state;
    if (!state.remaining_actions) return;
    *state.remaining_actions -= 1;
    if (*state.remaining_actions <= 0) remove("max_runs_exhausted");
}

void PlanBuilder::remove(const std::string& reason) {
    auto& state = plan_.state;
    state.status = model::ScheduleStatus::deleted;
    state.deleted_at = now();
    state.next_occurrence.reset();
    state.next_fire.reset();
    give_up_buffered();
    record(EventType::schedule_deleted, {{"reason", reason}, {"deleted_at", format_instant(now())}});
}

void PlanBuilder::keep(PlannedRun run, bool was_buffered) {
    if (run.slot.cause == model::RunCause::tick) {
        const auto last = run.range ? run.range->last : run.slot.occurrence;
        plan_.state.newest_decided = std::max(plan_.state.newest_decided.value_or(last), last);
    }
    (was_buffered ? plan_.releases : plan_.runs).push_back(std::move(run));
}

std::optional<Error> PlanBuilder::start(const model::Run& run, Instant ready_at) {
    auto walk = begin({run.id, run.slot, run.input, ready_at});
    if (!walk) return walk.error();
    if (*walk) ask_for_nodes(run.id, **walk);
    plan_.starts.push_back({run.id, ready_at, std::move(*walk)});
    return std::nullopt;
}

void PlanBuilder::end(RunEnd end) {
    plan_.state.in_flight -= 1;
    // A definition that was changed may have had a workflow once; the store leaves out what is said of a run that walks none.
    if (definition().target.type == model::TargetType::workflow || definition().version > 1) {
        boost::json::object payload;
        if (!end.error.empty()) payload["error"] = end.error;
        note({end.run_id, {.type = "run." + std::string(name_of(end.status)), .at = now(), .payload = std::move(payload)}});
    }
    plan_.ends.push_back(std::move(end));
}

void PlanBuilder::record(EventType type, boost::json::object payload) {
    if (auto context = to_json(context_); !context.is_null()) payload["command_context"] = std::move(context);
    plan_.state.events += 1;
    plan_.events.push_back({plan_.state.events, type, now(), std::move(payload)});
}

void PlanBuilder::advance_past(Instant occurrence) {
    auto& state = plan_.state;
    if (is_over()) return;
    const auto& spec = facts_.schedule->spec;
    state.next_occurrence = spec.next(occurrence);
    state.next_fire.reset();
    if (state.next_occurrence) {
        state.next_fire = spec.fire_time(definition().id, *state.next_occurrence);
        return;
    }
    state.status = model::ScheduleStatus::completed;
    record(EventType::schedule_completed, {{"reason", spec.one_time() ? "all_instants_fired" : "no_occurrence_left"}});
    release_buffered(kBufferMax);
}

Plan PlanBuilder::take() {
    if (!(plan_.state == facts_.state) || plan_.definition || !plan_.events.empty() || !plan_.ends.empty() || !plan_.starts.empty() ||
        !plan_.nodes.empty() || !plan_.asks.empty() || !plan_.verdicts.empty())
        plan_.state.revision += 1;
    return std::move(plan_);
}

}  // namespace belfry::decide
