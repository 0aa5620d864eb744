#include "decide/backfill.hpp"

#include <algorithm>

#include "decide/plan_builder.hpp"

namespace belfry::decide {

namespace {

bool contains(const std::vector<model::RunSlot>& slots, const model::RunSlot& slot) { return std::ranges::find(slots, slot) != slots.end(); }

// Whether a tick has run the occurrence, or will when it leaves the buffer. What a tick skipped may still be run.
bool has_run(const Facts& facts, Instant occurrence) {
    const model::RunSlot slot{model::RunCause::tick, occurrence};
    return contains(facts.taken, slot) && !contains(facts.skipped, slot);
}

// Whether the ticks have yet to decide the occurrence: a backfill as well would run it twice.
bool belongs_to_ticks(const model::ScheduleState& state, Instant occurrence) { return state.next_occurrence && occurrence >= *state.next_occurrence; }

}  // namespace

Result<BackfillPage> plan_backfill(const Facts& facts, const BackfillRequest& request, Instant now, int page, const model::CommandContext& context) {
    if (request.to < request.from) return Error{ErrorCode::invalid_argument, "to is before from", "/to"};
    if (request.to > now) return Error{ErrorCode::invalid_argument, "a backfill is for the past: to must not be after now", "/to"};
    if (facts.state.status != model::ScheduleStatus::active) {
        return invalid("cannot backfill a schedule that is " + std::string(name_of(facts.state.status)));
    }
    PlanBuilder builder(facts, now, context);
    const auto occurrences = facts.schedule->spec.between(request.from, request.to, static_cast<std::size_t>(page) + 1);
    std::optional<Instant> next_from;
    for (std::size_t i = 0; i < occurrences.size() && !builder.is_over() && !belongs_to_ticks(facts.state, occurrences[i]); ++i) {
        if (i == static_cast<std::size_t>(page)) {
            next_from = occurrences[i];
            break;
        }
        if (has_run(facts, occurrences[i])) continue;
        builder.decide({{model::RunCause::backfill, occurrences[i]}, now, false, request.overlap, {}});
    }
    return BackfillPage{builder.take(), next_from};
}

}  // namespace belfry::decide
