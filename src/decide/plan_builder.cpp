#include "decide/plan_builder.hpp"

#include <algorithm>

#include "decide/approval/gate.hpp"
#include "decide/run/completion.hpp"
#include "decide/schedule/missed.hpp"
#include "model/run/task.hpp"
#include "model/schedule/cause.hpp"

namespace belfry::decide {

using model::DispatchStatus;
using model::EventType;
using model::ExecutionStatus;
using model::OverlapPolicy;
using model::SkipReason;

namespace {

// The input with the members that an event adds.
Json beside(Json input, const boost::json::object& told) {
    if (input.is_null()) return told;
    if (!input.is_object()) input = boost::json::object{{"input", std::move(input)}};
    for (const auto& member : told) input.get_object()[member.key()] = member.value();
    return input;
}

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
    run.replaces = is_free_again(facts_, candidate.slot);
    return run;
}

std::optional<DispatchStatus> PlanBuilder::decide(const Candidate& candidate) {
    // Checked before all other guards: the row exists, and there is no second one.
    if (is_taken(facts_, candidate.slot)) return std::nullopt;
    if (auto refusal = first_refusal(question(candidate))) {
        skip(planned(candidate), std::move(*refusal), false);
        return DispatchStatus::skipped;
    }
    const auto rules = candidate.rules(definition());
    auto run = planned(candidate);
    const bool full = overlaps(rules, plan_.state.in_flight);
    // Buffered runs go first, even if there is room.
    if (rules.buffers() && (full || plan_.state.buffered > 0)) {
        const int room = rules.policy == OverlapPolicy::buffer_one ? 1 : kBufferMax;
        if (plan_.state.buffered >= room) {
            skip(std::move(run), {SkipReason::buffer_full, std::to_string(plan_.state.buffered) + " buffered"}, false);
            return DispatchStatus::skipped;
        }
        run.input = candidate.input.value_or(nullptr);
        buffer(std::move(run));
        return DispatchStatus::buffered;
    }
    if (full) make_room(rules);
    dispatch(std::move(run), candidate, false);
    return DispatchStatus::dispatched;
}

// A repeated tick needs no record. A backfill was requested for this occurrence, so the audit shows why it starts
// nothing. The occurrence already has its outcome, so this does not count as a skip.
void PlanBuilder::record_taken(const model::RunSlot& slot) {
    record_skip({SkipReason::schedule_slot_exists, run_id(definition().id, slot)}, slot, {});
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
    auto refusal = first_refusal(question(first));
    auto run = planned(first);
    if (range.count > 1) {
        run.range = range;
        plan_.state.skips += range.count - 1;
    }
    skip(std::move(run), refusal.value_or(Refusal{SkipReason::missed_run}), false);
}

int PlanBuilder::release_buffered(int most) {
    if (released_ >= facts_.buffered.size() || !facts_.switches.all()) return 0;
    if (!facts_.schedule->unreadable.empty()) return 0;  // they wait until it can be read again, or is deleted
    const bool completed = plan_.state.status == model::ScheduleStatus::completed;
    if ((is_over() && !completed) || (!knows_signal_ && asks_signal(definition()))) return 0;
    int decided = 0;
    for (;
         decided < most && released_ < facts_.buffered.size() && !overlaps(definition().overlap, plan_.state.in_flight);
         ++decided) {
        release(facts_.buffered[released_++]);
    }
    return decided;
}

void PlanBuilder::learn_end(const Completion& completion) {
    const auto& run = facts_.run;
    if (!run || !facts_.schedule->condition || facts_.definition_of_run().target.name() != definition().target.name())
        return;
    recent_ = RecentRuns{completion.result, facts_.last_24h};
    if (completion.status == ExecutionStatus::succeeded) recent_->last_24h.succeeded += 1;
    if (is_failure(completion.status)) recent_->last_24h.failed += 1;
}

std::optional<Instant> PlanBuilder::give_up_spread() {
    auto& state = plan_.state;
    if (!state.spread_until) return std::nullopt;
    state.spread_until.reset();
    if (!facts_.schedule->unreadable.empty() || !state.next_occurrence) return std::nullopt;
    // The clock was set back since: nothing is missed yet.
    if (facts_.schedule->spec.fire_time(definition().id, *state.next_occurrence) > now()) return std::nullopt;
    const Candidate first{{model::RunCause::tick, *state.next_occurrence}, now(), true, {}, {}};
    const auto range = overdue(*facts_.schedule, *state.next_occurrence, now());
    skip_range(first, range);
    return range.last;
}

void PlanBuilder::open_breaker() {
    auto& state = plan_.state;
    state.breaker_opened_at = now();
    boost::json::object payload{{"consecutive_failures", state.consecutive_failures},
                                {"opened_at", format_instant(now())}};
    if (const auto& wait = definition().breaker_retry_after) payload["retry_at"] = format_instant(now() + *wait);
    record(EventType::schedule_breaker_opened, std::move(payload));
}

void PlanBuilder::close_breaker(const std::string& reason) {
    auto& state = plan_.state;
    const bool was_open = is_breaker_open(definition(), state);
    state.consecutive_failures = 0;
    state.breaker_opened_at.reset();
    if (was_open) record(EventType::schedule_breaker_closed, {{"reason", reason}});
}

void PlanBuilder::release(const BufferedRun& buffered) {
    Candidate candidate{buffered.slot, now(), false, {}, {}};
    if (!buffered.input.is_null()) candidate.input = buffered.input;
    plan_.state.buffered -= 1;
    if (auto refusal = first_refusal_on_release(question(candidate))) {
        skip(planned(candidate), std::move(*refusal), true);
    } else {
        dispatch(planned(candidate), candidate, true);
    }
}

void PlanBuilder::give_up_buffered() {
    const bool used_up = plan_.state.remaining_actions && *plan_.state.remaining_actions <= 0;
    const auto refusal = used_up
                             ? Refusal{SkipReason::remaining_actions_exhausted}
                             : Refusal{SkipReason::status_not_triggerable, std::string(name_of(plan_.state.status))};
    for (; released_ < facts_.buffered.size(); ++released_) {
        plan_.state.buffered -= 1;
        skip(planned({facts_.buffered[released_].slot, now(), false, {}, {}}), refusal, true);
    }
}

void PlanBuilder::skip(PlannedRun run, Refusal refusal, bool was_buffered) {
    run.dispatch = DispatchStatus::skipped;
    run.reason = refusal.reason;
    run.detail = refusal.detail;
    auto& state = plan_.state;
    state.skips += 1;
    state.last_skip_reason = name_of(refusal.reason);
    state.last_skipped_at = now();
    record_skip(refusal, run.slot, run.range);
    keep(std::move(run), was_buffered);
}

void PlanBuilder::record_skip(const Refusal& refusal, const model::RunSlot& slot,
                              const std::optional<SkippedRange>& range) {
    boost::json::object payload{{"reason", name_of(refusal.reason)},
                                {"skipped_trigger_count", plan_.state.skips},
                                {"last_skipped_at", format_instant(now())},
                                {"occurrence_time", format_instant(slot.occurrence)},
                                {"cause", cause_name(slot, definition())}};
    if (!refusal.detail.empty()) payload["detail"] = refusal.detail;
    if (range) {
        payload["occurrence_until"] = format_instant(range->last);
        payload["occurrence_count"] = range->count;
        if (range->at_least) payload["occurrence_count_at_least"] = true;
    }
    record(EventType::schedule_trigger_skipped, std::move(payload));
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
    const auto status =
        rules.policy == OverlapPolicy::terminate_other ? ExecutionStatus::terminated : ExecutionStatus::cancelled;
    while (overlaps(rules, plan_.state.in_flight) && ended_ < facts_.in_flight.size()) {
        end({facts_.in_flight[ended_].id, status, nullptr, "replaced by a newer run"});
        ++ended_;
    }
    // The same for runs that this plan dispatched.
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
    const bool by_event = run.slot.cause == model::RunCause::event;
    if (candidate.input && !by_event) {
        run.input = *candidate.input;
        return;
    }
    if (!schedule.inputs_rotation.empty()) {
        const auto index = plan_.state.rotation_index % static_cast<std::int64_t>(schedule.inputs_rotation.size());
        run.input = schedule.inputs_rotation[static_cast<std::size_t>(index)];
        run.rotation_index_used = index;
    } else {
        run.input = schedule.inputs_template.is_null() ? schedule.target.input : schedule.inputs_template;
    }
    // The input of an HTTP task is the call itself, so nothing is added.
    const bool call = schedule.target.type == model::TargetType::task &&
                      model::kind_of_task(schedule.target.kind) == model::NodeKind::http;
    if (by_event && candidate.input && !call) run.input = beside(std::move(run.input), candidate.input->get_object());
}

void PlanBuilder::dispatch(PlannedRun run, const Candidate& candidate, bool was_buffered) {
    auto& state = plan_.state;
    choose_input(run, candidate);
    run.dispatch = DispatchStatus::dispatched;
    const auto approval = approval_of_new_run(facts_);
    const Course course{definition(), facts_.workflow, approval};
    const bool waits = is_run_gated(course.approval, facts_.workflow != nullptr);
    run.execution = waits ? ExecutionStatus::awaiting_approval : ExecutionStatus::queued;
    if (run.execution == ExecutionStatus::queued && facts_.workflow) {
        auto start = begin(course, {run.id, run.slot, run.input, run.fire_at});
        if (!start) {
            run.execution = ExecutionStatus::none;
            run.rotation_index_used.reset();
            run.input = nullptr;
            return skip(std::move(run), {SkipReason::validation_failed, start.error().message}, was_buffered);
        }
        run.workflow_run = std::move(*start);
    }
    if (run.rotation_index_used) state.rotation_index += 1;
    state.runs += 1;
    state.in_flight += 1;
    state.last_fired_at = now();
    state.last_run_id = run.id;
    run.trigger_number = state.runs;
    if (budget_.runs_left_today) *budget_.runs_left_today -= 1;
    budget_.runs_today += 1;
    reserve(run);
    const auto due = due_time(run.slot);
    boost::json::object payload{{"workflow_instance_id", instance_id(definition().name, run.slot)},
                                {"workflow_run_id", run.id},
                                {"outcome", name_of(run.execution)},
                                {"effective_overlap_policy", name_of(run.overlap)},
                                {"trigger_number", run.trigger_number},
                                {"occurrence_time", format_instant(due)},
                                {"cause", was_buffered ? "buffer" : cause_name(run.slot, definition())}};
    // With jitter, the fire time differs from the occurrence, which identifies the run.
    if (due != run.slot.occurrence) payload["scheduled_at"] = format_instant(run.slot.occurrence);
    if (run.rotation_index_used) payload["rotation_index_used"] = *run.rotation_index_used;
    record(EventType::schedule_triggered, std::move(payload));
    if (waits) {
        model::Approval what{.run_id = run.id};
        if (facts_.workflow) what.workflow_version = facts_.workflow->version;
        ask_for(ask(course.approval, std::move(what), now()));
    }
    if (run.workflow_run) ask_for_nodes(course, run.id, *run.workflow_run);
    keep(std::move(run), was_buffered);
    use_up_action();
}

// When the occurrence was due: for a tick its fire time, otherwise the occurrence itself.
Instant PlanBuilder::due_time(const model::RunSlot& slot) const {
    return slot.cause == model::RunCause::tick ? facts_.schedule->spec.fire_time(definition().id, slot.occurrence)
                                               : slot.occurrence;
}

Result<std::optional<WorkflowStart>> PlanBuilder::begin(const Course& course, WorkflowRunContext run) const {
    if (!course.workflow) return std::optional<WorkflowStart>();
    const auto& workflow = *course.workflow;
    run.default_connection = facts_.default_connection;
    run.approval = course.approval;
    auto nodes = begin_workflow(workflow, course.definition, run, now());
    if (!nodes) return nodes.error();
    const Micros longest = workflow.timeout ? Micros{*workflow.timeout} : facts_.caps.timeout;
    const auto deadline = std::max(now(), run.ready_at) + longest;
    return std::optional(
        WorkflowStart{workflow.name, workflow.version, deadline, std::move(*nodes), course.definition.target.priority});
}

// Requests approval for first nodes that must wait.
void PlanBuilder::ask_for_nodes(const Course& course, const std::string& run_id, const WorkflowStart& start) {
    for (const auto& node : start.nodes) {
        const auto* const described = course.workflow->find(node.node);
        const auto why = described != nullptr ? gate_of(course.approval, described->action) : std::nullopt;
        if (!why) continue;
        const auto& asked = plan_.asks.emplace_back(ask(
            course.approval, {.run_id = run_id, .node = node.node, .action = described->action, .why = *why}, now()));
        note({run_id, requested_event(asked)});
    }
}

// The run reserves the most that it may use until it ends, so that other runs cannot use it.
void PlanBuilder::reserve(PlannedRun& run) {
    if (!budget_.assignee) return;
    auto& [id, policies, today] = *budget_.assignee;
    run.reserves = model::Reservation{id, model::day_of(now()), policies.spending_limit};
    today.runs += 1;
    today.reserved += run.reserves->reserved();
}

void PlanBuilder::settle() {
    const auto& reservation = facts_.spending.reservation;
    if (!reservation || !budget_.assignee || budget_.assignee->id != reservation->assignee ||
        reservation->day != model::day_of(now()))
        return;
    budget_.assignee->today.reserved -= reservation->reserved();
    budget_.assignee->today.spent += facts_.spending.used().credits;
}

// The last allowed run deletes the schedule.
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
    state.spread_until.reset();
    give_up_buffered();
    record(EventType::schedule_deleted, {{"reason", reason}, {"deleted_at", format_instant(now())}});
}

void PlanBuilder::keep(PlannedRun run, bool was_buffered) {
    // What a backfill runs during a pause is not run again after it, whatever the clock and the policy are then.
    const bool in_pause =
        run.slot.cause == model::RunCause::backfill && plan_.state.status == model::ScheduleStatus::paused;
    if (run.slot.cause == model::RunCause::tick || (in_pause && run.dispatch == DispatchStatus::dispatched)) {
        const auto last = run.range ? run.range->last : run.slot.occurrence;
        plan_.state.newest_decided = std::max(plan_.state.newest_decided.value_or(last), last);
    }
    (was_buffered ? plan_.releases : plan_.runs).push_back(std::move(run));
}

std::optional<Error> PlanBuilder::start(const model::Run& run, Instant ready_at) {
    const auto approval = approval_of_run(facts_);
    const Course course{facts_.definition_of_run(), facts_.run_workflow, approval};
    auto start = begin(course, {run.id, run.slot, run.input, ready_at});
    if (!start) return start.error();
    if (*start) ask_for_nodes(course, run.id, **start);
    plan_.starts.push_back({run.id, ready_at, std::move(*start)});
    return std::nullopt;
}

void PlanBuilder::change(NodeChange change) {
    change.priority = facts_.definition_of_run().target.priority;
    plan_.nodes.push_back(std::move(change));
}

void PlanBuilder::end(RunEnd end) {
    plan_.state.in_flight -= 1;
    // An earlier version may have had a workflow; the store drops notes on runs without one.
    if (definition().target.type == model::TargetType::workflow || definition().version > 1) {
        boost::json::object payload;
        if (!end.error.empty()) payload["error"] = end.error;
        note({end.run_id,
              {.type = "run." + std::string(name_of(end.status)), .at = now(), .payload = std::move(payload)}});
    }
    if (facts_.run_definition && facts_.run->id == end.run_id) end.target = facts_.run_definition->target.name();
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
    if (spec.listens()) return;
    // No person deletes the schedule of an immediate start, so it deletes itself. Its run stays readable.
    if (model::is_immediate(definition()) && state.buffered == 0) return remove("start_skipped");
    state.status = model::ScheduleStatus::completed;
    record(EventType::schedule_completed, {{"reason", spec.one_time() ? "all_instants_fired" : "no_occurrence_left"}});
    release_buffered();
}

Plan PlanBuilder::take() {
    if (!(plan_.state == facts_.state) || plan_.definition || !plan_.events.empty() || !plan_.ends.empty() ||
        !plan_.starts.empty() || !plan_.nodes.empty() || !plan_.asks.empty() || !plan_.verdicts.empty())
        plan_.state.revision += 1;
    return std::move(plan_);
}

}  // namespace belfry::decide
