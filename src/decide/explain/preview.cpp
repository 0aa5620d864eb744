#include "decide/explain/preview.hpp"

#include <algorithm>
#include <limits>

#include "decide/plan_builder.hpp"

namespace belfry::decide {

std::vector<PreviewRow> preview(const Facts& facts, Instant from, std::size_t rows) {
    return preview(facts, from, PreviewPage{.rows = rows, .bytes = std::numeric_limits<std::size_t>::max()}).rows;
}

Previewed preview(const Facts& facts, Instant from, const PreviewPage& page) {
    Previewed previewed;
    auto& result = previewed.rows;
    std::size_t bytes = 0;
    const auto& spec = facts.schedule->spec;
    const auto end = from + kPreviewSpanMax;
    auto state_before = facts;
    state_before.buffered.clear();
    const bool paused = facts.state.status == model::ScheduleStatus::paused;
    const auto goes_on_after = paused ? facts.state.paused_until.value_or(kInstantMax) : kInstantMin;
    for (auto at = spec.next(from); at && *at <= end && result.size() < std::min(page.rows, kPreviewRowsMax);
         at = spec.next(*at)) {
        previewed.cut = bytes >= page.bytes;
        if (previewed.cut) break;
        if (paused && *at > goes_on_after) state_before.state.status = model::ScheduleStatus::active;
        state_before.state.in_flight = 0;
        state_before.state.buffered = 0;
        // Today's usage does not count against the budget of a later day.
        if (state_before.budget.assignee && model::day_of(*at) != model::day_of(from))
            state_before.budget.assignee->today = {};
        PlanBuilder builder(state_before, *at);
        builder.decide({{model::RunCause::tick, *at}, *at, false, {}, {}});
        auto plan = builder.take();
        if (plan.runs.empty()) continue;  // the slot is taken: it already has its outcome
        auto& run = plan.runs.front();
        if (result.size() < page.before) {
            run.input = nullptr;
        } else if (page.bytes != std::numeric_limits<std::size_t>::max()) {
            bytes += to_text(run.input).size();
        }
        result.push_back({*at, spec.zone_of(*at).to_local(*at), run.dispatch, run.reason, std::move(run.detail),
                          std::move(run.input), spec.mark(*at)});
        state_before.state = std::move(plan.state);
        if (state_before.state.status == model::ScheduleStatus::deleted && state_before.state.remaining_actions == 0)
            break;
    }
    return previewed;
}

}  // namespace belfry::decide
