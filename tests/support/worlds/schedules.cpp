#include "support/worlds/schedules.hpp"

#include <algorithm>
#include <set>

#include "decide/apply.hpp"
#include "decide/run/completion.hpp"
#include "decide/schedule/tick.hpp"

namespace belfry::test {

using decide::Facts;
using decide::Plan;
using decide::PlannedRun;
using model::DispatchStatus;
using model::ExecutionStatus;
using model::ScheduleStatus;

namespace {

std::string slot_line(const model::RunSlot& slot) {
    return std::string(name_of(slot.cause)) + " " + format_instant(slot.occurrence) +
           (slot.rerun > 0 ? " again " + std::to_string(slot.rerun) : "");
}

std::string reason_text(const std::optional<model::SkipReason>& reason, const std::string& detail) {
    std::string text;
    if (reason) text += " " + std::string(name_of(*reason));
    if (!detail.empty()) text += " (" + detail + ")";
    return text;
}

std::string row_line(const PlannedRun& run, Instant decided_at) {
    auto line = slot_line(run.slot);
    if (run.range) line += ".." + format_instant(run.range->last);
    line += " " + std::string(name_of(run.dispatch));
    if (run.dispatch == DispatchStatus::dispatched) line += " #" + std::to_string(run.trigger_number);
    line += reason_text(run.reason, run.detail);
    if (run.range)
        line += (run.range->at_least ? " at least " : " ") + std::to_string(run.range->count) + " occurrences";
    if (!run.input.is_null()) line += " " + to_text(run.input);
    if (run.execution != ExecutionStatus::none && run.execution != ExecutionStatus::queued)
        line += " " + std::string(name_of(run.execution));
    if (run.fire_at > decided_at) line += " ready " + format_instant(run.fire_at);
    return line;
}

std::string end_line(const Facts& before, const decide::RunEnd& end) {
    const auto run = std::ranges::find(before.in_flight, end.run_id, &decide::InFlightRun::id);
    auto line = "end " + (run == before.in_flight.end() ? end.run_id : slot_line(run->slot)) + " " +
                std::string(name_of(end.status));
    if (!end.result.is_null()) line += " " + to_text(end.result);
    if (!end.error.empty()) line += " (" + end.error + ")";
    return line;
}

std::string state_line(const model::ScheduleState& state) {
    auto line = std::string(name_of(state.status));
    if (state.next_occurrence) line += ", next " + format_instant(*state.next_occurrence);
    if (state.next_fire && state.next_fire != state.next_occurrence)
        line += ", fires " + format_instant(*state.next_fire);
    if (state.buffered > 0) line += ", " + std::to_string(state.buffered) + " buffered";
    return line;
}

std::optional<spec::CalendarText> find_calendar(const std::string& name) {
    if (name == "june-2nd") return spec::CalendarText{name, spec::CalendarKind::skip_dates, "UTC", {"2026-06-02"}};
    return decide::find_built_in_calendar(name);
}

// What the rows of a plan add up to.
struct Totals {
    std::int64_t dispatched = 0;
    std::int64_t skipped = 0;
    int started = 0;  // and still in flight
    int buffered = 0;

    void add(const PlannedRun& run) {
        if (run.dispatch == DispatchStatus::dispatched) ++dispatched;
        if (run.dispatch == DispatchStatus::skipped) skipped += run.range ? run.range->count : 1;
        if (run.dispatch == DispatchStatus::buffered) ++buffered;
        if (is_in_flight(run.execution)) ++started;
    }
};

void expect_sound_row(const Plan& plan, const PlannedRun& run) {
    SCOPED_TRACE(row_line(run, plan.decided_at));
    const bool dispatched = run.dispatch == DispatchStatus::dispatched;
    EXPECT_EQ(run.id, decide::run_id(plan.schedule_id, run.slot));
    EXPECT_EQ(run.reason.has_value(), run.dispatch == DispatchStatus::skipped)
        << "a reason for every skip and for nothing else";
    EXPECT_EQ(run.execution != ExecutionStatus::none, dispatched) << "only what is dispatched executes";
    EXPECT_EQ(run.trigger_number > 0, dispatched);
    EXPECT_TRUE(dispatched || !run.rotation_index_used) << "only a dispatch takes its turn in the rotation";
    const bool asked =
        std::ranges::any_of(plan.asks, [&](const auto& each) { return each.run_id == run.id && each.node.empty(); });
    EXPECT_EQ(run.execution == ExecutionStatus::awaiting_approval, asked)
        << "somebody is asked for what waits, and for nothing else";
    if (run.range) {
        EXPECT_EQ(run.dispatch, DispatchStatus::skipped);
        EXPECT_GT(run.range->last, run.slot.occurrence);
        EXPECT_GT(run.range->count, 1);
    }
}

void expect_sound_events(const Facts& before, const Plan& plan) {
    auto sequence = before.state.events;
    for (const auto& event : plan.events) {
        EXPECT_EQ(event.sequence, ++sequence) << "the audit stream has no gaps";
        EXPECT_EQ(event.recorded_at, plan.decided_at);
        const auto error = model::check_payload(event.type, event.payload);
        EXPECT_FALSE(error) << error->message;
    }
    EXPECT_EQ(plan.state.events, sequence);
    EXPECT_GE(plan.events.size(), plan.runs.size() + plan.releases.size()) << "every row has its event";
}

void expect_sound_slots(const Facts& before, const Plan& plan) {
    std::set<model::RunSlot> taken(before.taken.begin(), before.taken.end());
    const std::set<model::RunSlot> skipped(before.skipped.begin(), before.skipped.end());
    for (const auto& run : plan.runs) {
        EXPECT_EQ(taken.insert(run.slot).second, !run.replaces) << slot_line(run.slot) << " is taken twice";
        EXPECT_TRUE(!run.replaces || skipped.contains(run.slot))
            << slot_line(run.slot) << " replaces what was not skipped";
    }
    std::set<model::RunSlot> buffered;
    for (const auto& run : plan.runs) {
        if (run.dispatch == DispatchStatus::buffered) buffered.insert(run.slot);
    }
    EXPECT_EQ(after(before, plan).buffered.size(), static_cast<std::size_t>(plan.state.buffered));
    for (const auto& run : plan.releases) {
        EXPECT_NE(run.dispatch, DispatchStatus::buffered);
        EXPECT_FALSE(buffered.contains(run.slot)) << slot_line(run.slot) << " is both a new row and a released one";
    }
}

void expect_sound_counters(const Facts& before, const Plan& plan) {
    Totals total;
    for (const auto& run : plan.runs) total.add(run);
    const auto buffered = total.buffered;
    for (const auto& run : plan.releases) total.add(run);
    const auto& was = before.state;
    const auto& is = plan.state;
    EXPECT_EQ(is.runs, was.runs + total.dispatched);
    EXPECT_EQ(is.skips, was.skips + total.skipped);
    EXPECT_EQ(is.buffered, was.buffered + buffered - static_cast<int>(plan.releases.size()));
    EXPECT_EQ(is.in_flight, was.in_flight + total.started - static_cast<int>(plan.ends.size()));
    EXPECT_EQ(is.last_fired_at, total.dispatched > 0 ? plan.decided_at : was.last_fired_at)
        << "a skip does not move last_fired_at";
    EXPECT_EQ(is.last_skipped_at, total.skipped > 0 ? plan.decided_at : was.last_skipped_at);
    if (was.remaining_actions && is.remaining_actions && !plan.definition) {
        EXPECT_EQ(*is.remaining_actions, *was.remaining_actions - total.dispatched);
    }
}

}  // namespace

Json json(std::string_view text) { return parse_json(text).value(); }

model::Schedule definition(const Edit& edit) {
    model::Schedule schedule;
    schedule.id = "01J0000000000000000000SCHED";
    schedule.tenant = "default";
    schedule.name = "report";
    schedule.spec.cron = {"0 * * * *"};
    schedule.target.kind = "report";
    if (edit) edit(schedule);
    return schedule;
}

decide::CompiledPtr compiled(const model::Schedule& definition) {
    return decide::compile(definition, zones(), find_calendar).value();
}

Facts facts_at(const std::string& at, const Edit& edit) {
    Facts before;
    before.schedule = compiled(definition(edit));
    before.state.revision = 0;
    const auto plan = decide::plan_create(before.schedule, instant(at)).value();
    return after(before, plan);
}

Facts with_in_flight(Facts facts, int count) {
    const auto next = *facts.state.next_occurrence;
    for (int i = count; i > 0; --i) {
        const model::RunSlot slot{model::RunCause::tick, next - std::chrono::hours{i}};
        facts.in_flight.push_back({decide::run_id(facts.schedule->definition.id, slot), slot});
        facts.taken.push_back(slot);
    }
    facts.state.in_flight = count;
    return facts;
}

Facts after(Facts facts, const Plan& plan) {
    decide::apply(plan, facts);
    if (plan.definition) facts.schedule = compiled(*plan.definition);
    return facts;
}

Lines lines_of(const Facts& before, const Plan& plan) {
    if (plan.empty()) return {"nothing"};
    Lines lines;
    for (const auto& end : plan.ends) lines.push_back(end_line(before, end));
    for (const auto& run : plan.releases) lines.push_back("release " + row_line(run, plan.decided_at));
    for (const auto& run : plan.runs) lines.push_back(row_line(run, plan.decided_at));
    lines.push_back(state_line(plan.state));
    return lines;
}

Lines lines_of(const std::vector<decide::PreviewRow>& rows) {
    using Kind = spec::DstMark::Kind;
    Lines lines;
    for (const auto& row : rows) {
        auto line = format_instant(row.occurrence) + " local " + format_local(row.local) + " " +
                    std::string(name_of(row.decision));
        line += reason_text(row.reason, row.detail);
        if (!row.input.is_null()) line += " " + to_text(row.input);
        if (row.dst)
            line += row.dst->kind == Kind::shifted ? " shifted from " + format_local(row.dst->nominal) : " repeated";
        lines.push_back(std::move(line));
    }
    return lines;
}

Lines lines_of(const std::vector<decide::SimulatedRun>& rows) {
    Lines lines;
    for (const auto& row : rows) {
        auto line = row_line(row.run, row.decided_at);
        if (row.end) line += " -> " + std::string(name_of(*row.end)) + " " + format_instant(*row.ended_at);
        lines.push_back(std::move(line));
    }
    return lines;
}

Lines events_of(const Plan& plan) {
    Lines lines;
    for (const auto& event : plan.events) {
        lines.push_back(std::to_string(event.sequence) + " " + std::string(name_of(event.type)) + " " +
                        to_text(event.payload));
    }
    return lines;
}

void expect_sound(const Facts& before, const Plan& plan) {
    SCOPED_TRACE("plan decided at " + format_instant(plan.decided_at));
    EXPECT_EQ(plan.schedule_id, before.schedule->definition.id);
    EXPECT_EQ(plan.revision, before.state.revision);
    if (plan.empty()) {
        EXPECT_EQ(plan.state, before.state);
        EXPECT_TRUE(plan.runs.empty() && plan.releases.empty() && plan.ends.empty() && plan.events.empty() &&
                    !plan.definition);
        return;
    }
    EXPECT_EQ(plan.state.revision, plan.revision + 1);
    expect_sound_events(before, plan);
    expect_sound_slots(before, plan);
    expect_sound_counters(before, plan);
    for (const auto& run : plan.releases) expect_sound_row(plan, run);
    for (const auto& run : plan.runs) expect_sound_row(plan, run);
    if (!before.schedule->spec.listens()) {
        EXPECT_EQ(plan.state.next_occurrence.has_value(), plan.state.status == ScheduleStatus::active)
            << "an active schedule has a cursor";
    }
    if (plan.state.status == ScheduleStatus::completed || plan.state.status == ScheduleStatus::deleted) {
        EXPECT_FALSE(plan.state.next_fire) << "nothing wakes a schedule that is over";
    }
}

Life::Life(const std::string& created_at, const Edit& edit, const model::CommandContext& context) {
    facts.schedule = compiled(definition(edit));
    facts.state.revision = 0;
    take(decide::plan_create(facts.schedule, instant(created_at), context).value());
}

Lines Life::take(Plan decided) {
    plan = std::move(decided);
    expect_sound(facts, plan);
    auto lines = lines_of(facts, plan);
    facts = after(std::move(facts), plan);
    return lines;
}

Lines Life::take(Result<Plan> decided) {
    if (!decided) return {"refused: " + decided.error().message};
    return take(std::move(*decided));
}

Lines Life::tick(const std::string& at, const decide::Limits& limits) {
    return take(decide::plan_tick(facts, instant(at), limits));
}

Lines Life::trigger(const std::string& at, const decide::TriggerRequest& request,
                    const model::CommandContext& context) {
    return take(decide::plan_trigger(facts, request, instant(at), context));
}

Lines Life::backfill(const std::string& at, const std::string& from, const std::string& to,
                     std::optional<model::OverlapPolicy> overlap, int page) {
    return backfill(at, {.from = instant(from), .to = instant(to), .overlap = overlap}, page);
}

Lines Life::backfill(const std::string& at, const decide::BackfillRequest& request, int page) {
    auto decided = decide::plan_backfill(facts, request, instant(at), page);
    if (!decided) return {"refused: " + decided.error().message};
    auto lines = take(std::move(decided->plan));
    if (decided->next_from)
        lines.push_back((decided->waits ? "waits at " : "next page from ") + format_instant(*decided->next_from));
    return lines;
}

Lines Life::finish(const std::string& at, ExecutionStatus status, Json result, const std::string& error) {
    const auto run = facts.in_flight.front().id;
    return take(
        decide::plan_completion(facts, {run, ExecutionStatus::running, status, std::move(result), error}, instant(at)));
}

Lines Life::pause(const std::string& at, const decide::PauseRequest& request, const model::CommandContext& context) {
    return take(decide::plan_pause(facts, request, instant(at), context));
}

Lines Life::resume(const std::string& at, const model::CommandContext& context) {
    return take(decide::plan_resume(facts, instant(at), context));
}

Lines Life::update(const std::string& at, const Edit& edit, const model::CommandContext& context) {
    auto changed = facts.schedule->definition;
    edit(changed);
    return take(decide::plan_update(facts, compiled(changed), instant(at), context));
}

Lines Life::remove(const std::string& at, const std::string& reason, const model::CommandContext& context) {
    return take(decide::plan_delete(facts, reason, instant(at), context));
}

Lines Life::play(const std::string& until, const decide::Limits& limits) {
    Lines all;
    while (facts.state.next_fire && *facts.state.next_fire <= instant(until)) {
        auto lines = tick(format_instant(*facts.state.next_fire), limits);
        all.insert(all.end(), lines.begin(), lines.end() - 1);
        if (plan.empty()) break;  // due and yet nothing decided: it would go on for ever
    }
    return all;
}

}  // namespace belfry::test
