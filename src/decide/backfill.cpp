#include "decide/backfill.hpp"

#include <algorithm>

#include "decide/plan_builder.hpp"

namespace belfry::decide {

namespace {

bool already_dispatched(const Facts& facts, Instant occurrence) {
    return std::ranges::find(facts.taken, model::RunSlot{model::RunCause::tick, occurrence}) != facts.taken.end();
}

}  // namespace

Result<BackfillPage> plan_backfill(const Facts& facts, const BackfillRequest& request, Instant now, int page, const model::CommandContext& context) {
    if (request.to < request.from) return Error{ErrorCode::invalid_argument, "to is before from", "/to"};
    if (request.to > now) return Error{ErrorCode::invalid_argument, "a backfill is for the past: to must not be after now", "/to"};
    PlanBuilder builder(facts, now, context);
    const auto occurrences = facts.schedule->spec.between(request.from, request.to, static_cast<std::size_t>(page) + 1);
    std::optional<Instant> next_from;
    for (std::size_t i = 0; i < occurrences.size() && !builder.is_over(); ++i) {
        if (i == static_cast<std::size_t>(page)) {
            next_from = occurrences[i];
            break;
        }
        if (already_dispatched(facts, occurrences[i])) continue;
        builder.decide({{model::RunCause::backfill, occurrences[i]}, now, false, request.overlap, {}});
    }
    return BackfillPage{builder.take(), next_from};
}

}  // namespace belfry::decide
