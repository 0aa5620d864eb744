#include "decide/schedule/backfill.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text/enum_names.hpp"
#include "decide/plan_builder.hpp"

namespace belfry::decide {

namespace {

bool contains(const std::vector<model::RunSlot>& slots, const model::RunSlot& slot) {
    return std::ranges::find(slots, slot) != slots.end();
}

// The recorded runs of one occurrence.
struct Past {
    std::optional<model::RunSlot> newest = {};  // dispatched or buffered; backfills come after the tick
    std::optional<model::RunSlot> last = {};    // the last backfill's, skipped or not
};

Past past_of(const Facts& facts, Instant occurrence) {
    Past past;
    for (const auto& slot : facts.taken) {
        if (slot.occurrence != occurrence || slot.cause == model::RunCause::trigger) continue;
        if (slot.cause == model::RunCause::backfill && (!past.last || slot > *past.last)) past.last = slot;
        if (!contains(facts.skipped, slot) && (!past.newest || slot > *past.newest)) past.newest = slot;
    }
    return past;
}

// The first time that ticks have yet to decide: a backfill would run it a second time. A pause with an end has ended
// at that time, however late a tick notices it. Where pauses count as missed, their occurrences are decided when the
// pause ends.
std::optional<Instant> first_of_ticks(const Facts& facts) {
    const auto& state = facts.state;
    if (state.status != model::ScheduleStatus::paused) return state.next_occurrence;
    return facts.schedule->definition.missed.counts_pauses() ? state.paused_at : state.paused_until;
}

bool belongs_to_ticks(const Facts& facts, Instant occurrence) {
    const auto from = first_of_ticks(facts);
    return from && occurrence >= *from;
}

bool goes_on(const Facts& facts, const model::RunSlot& slot) {
    return std::ranges::find(facts.in_flight, slot, &InFlightRun::slot) != facts.in_flight.end() ||
           std::ranges::find(facts.buffered, slot, &BufferedRun::slot) != facts.buffered.end();
}

std::optional<LeftAlone> why_left(const Facts& facts, model::BackfillRerun rerun, const Past& past) {
    const auto& [newest, last] = past;
    switch (rerun) {
        case model::BackfillRerun::missing:
            if (newest) return LeftAlone::has_run;
            break;
        case model::BackfillRerun::failed:
            if (!newest || !contains(facts.failed, *newest)) return LeftAlone::has_not_failed;
            break;
        case model::BackfillRerun::all:
            if (newest && goes_on(facts, *newest)) return LeftAlone::not_over;
            break;
    }
    if (last && last->rerun >= model::kRerunsMax && !is_free_again(facts, *last)) return LeftAlone::rerun_too_often;
    return std::nullopt;
}

// A skipped slot is used again, so that the rerun number counts actual runs.
model::RunSlot slot_for(const Facts& facts, const Past& past, Instant occurrence) {
    if (!past.last) return {model::RunCause::backfill, occurrence};
    if (is_free_again(facts, *past.last)) return *past.last;
    return {model::RunCause::backfill, occurrence, past.last->rerun + 1};
}

// How many more runs may start now.
std::int64_t room_for(const Facts& facts, const BackfillRequest& request) {
    if (!request.concurrency || request.foreseen) return std::numeric_limits<std::int64_t>::max();
    const auto own = std::ranges::count_if(facts.in_flight,
                                           [](const auto& run) { return run.slot.cause == model::RunCause::backfill; });
    std::int64_t room = *request.concurrency - own;
    if (const auto cap = facts.schedule->definition.overlap.max_concurrency)
        room = std::min<std::int64_t>(room, *cap - facts.state.in_flight);
    return std::max<std::int64_t>(0, room);
}

std::optional<Error> check(const Facts& facts, const BackfillRequest& request, Instant now) {
    if (request.to < request.from) return Error{ErrorCode::invalid_argument, "to is before from", "/to"};
    if (request.to > now)
        return Error{ErrorCode::invalid_argument, "a backfill covers the past: to must not be after now", "/to"};
    if (request.overlap && request.concurrency) {
        return Error{ErrorCode::invalid_argument, "concurrency and overlapPolicy exclude each other: omit one of them",
                     "/concurrency"};
    }
    const auto status = facts.state.status;
    if (status == model::ScheduleStatus::active || (status == model::ScheduleStatus::paused && request.of_paused))
        return std::nullopt;
    return invalid("cannot backfill a schedule that is " + std::string(name_of(status)));
}

constexpr std::array kLeftAloneNames{EnumName{LeftAlone::has_run, "has_run"},
                                     EnumName{LeftAlone::has_not_failed, "has_not_failed"},
                                     EnumName{LeftAlone::not_over, "not_over"}, EnumName{LeftAlone::not_due, "not_due"},
                                     EnumName{LeftAlone::rerun_too_often, "rerun_too_often"}};

}  // namespace

std::string_view name_of(LeftAlone why) { return canonical_name<LeftAlone>(kLeftAloneNames, why); }

Result<BackfillPage> plan_backfill(const Facts& facts, const BackfillRequest& request, Instant now, int page,
                                   const model::CommandContext& context) {
    if (auto error = check(facts, request, now)) return *error;
    PlanBuilder builder(facts, now, context);
    BackfillPage answer;
    auto room = room_for(facts, request);
    bool due = true;
    const auto occurrences = facts.schedule->spec.between(request.from, request.to, static_cast<std::size_t>(page) + 1);
    for (std::size_t i = 0; i < occurrences.size() && builder.state().status != model::ScheduleStatus::deleted; ++i) {
        const auto at = occurrences[i];
        due = due && !belongs_to_ticks(facts, at);
        if (i == static_cast<std::size_t>(page)) {
            if (due) answer.next_from = at;
            break;
        }
        const auto past = past_of(facts, at);
        if (const auto why = due ? why_left(facts, request.rerun, past) : LeftAlone::not_due) {
            answer.passed_over.push_back({at, *why});
            if (*why == LeftAlone::has_run && past.newest->cause == model::RunCause::backfill)
                builder.record_taken(*past.newest);
            continue;
        }
        if (room == 0) {
            answer.next_from = at;
            answer.waits = true;
            break;
        }
        const auto decided = builder.decide(
            {slot_for(facts, past, at), now, false, request.overlap, {}, request.concurrency.has_value()});
        if (decided == model::DispatchStatus::dispatched) --room;
    }
    answer.plan = builder.take();
    return answer;
}

}  // namespace belfry::decide
