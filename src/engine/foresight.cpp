#include "engine/foresight.hpp"

#include <algorithm>

#include "decide/forecast_warnings.hpp"
#include "engine/nothing.hpp"

namespace belfry::engine {

namespace {

std::optional<Error> check_window(Instant from, Instant to) {
    if (to < from) return Error{ErrorCode::invalid_argument, "to is before from; exchange them", "/to"};
    if (to - from > decide::kPreviewSpanMax)
        return Error{ErrorCode::invalid_argument, "the window is longer than ten years; choose a shorter one", "/to"};
    return std::nullopt;
}

// Leaves the rows of the page.
void cut(Forecast& forecast, const Window& window, bool was_cut) {
    auto& rows = forecast.rows;
    const auto begin = std::min(window.skipped, rows.size());
    const auto end = std::min(begin + window.rows, rows.size());
    forecast.more = end < rows.size() || was_cut;
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(end), rows.end());
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(begin));
}

}  // namespace

Result<decide::Facts> Foresight::facts_of(const store::ScheduleRef& ref, Instant now) {
    decide::Facts found;
    const auto looked = store_.change(ref, {.now = now, .in_flight = true}, [&](const decide::Facts& facts) -> Result<decide::Plan> {
        found = facts;
        return nothing(facts);
    });
    if (!looked) return looked.error();
    return found;
}

// As if it had just been created.
Result<decide::Facts> Foresight::facts_of(const model::Schedule& definition, Instant now) {
    const auto compiled = schedules_.compile(definition);
    if (!compiled) return compiled.error();
    const auto plan = decide::plan_create(*compiled, now);
    if (!plan) return plan.error();
    decide::Facts facts;
    facts.schedule = *compiled;
    facts.state = plan->state;
    return facts;
}

template <typename Subject>
Result<Forecast> Foresight::look_ahead(const Subject& subject, const Window& window) {
    const auto now = store_.now();
    if (!now) return now.error();
    const auto from = window.from.value_or(*now);
    const auto to = window.to.value_or(from + decide::kPreviewSpanMax);
    if (auto error = check_window(from, to)) return *error;
    const auto facts = facts_of(subject, *now);
    if (!facts) return facts.error();
    // `from` is included, as in a simulation; without it, only what comes after now.
    const auto after = window.from ? from - Micros{1} : from;
    // The rows before the page, too: rotation and maxRuns advance from row to row. One more tells whether there are more.
    const auto most = std::min(window.skipped + window.rows + 1, decide::kPreviewRowsMax);
    // Counted first: a preview knows how many, not until when.
    const auto rows = window.to ? facts->schedule->spec.between(after + Micros{1}, to, most).size() : most;
    auto previewed = decide::preview(*facts, after, decide::PreviewPage{.rows = rows, .before = window.skipped});
    Forecast forecast{.now = *now, .from = after + Micros{1}, .schedule = facts->schedule->definition, .rows = std::move(previewed.rows)};
    std::erase_if(forecast.rows, [to](const decide::PreviewRow& row) { return row.occurrence > to; });
    cut(forecast, window, previewed.cut);
    forecast.warnings = decide::forecast_warnings(*facts, forecast.rows);
    return forecast;
}

template <typename Subject>
Result<Simulated> Foresight::play(const Subject& subject, std::optional<Instant> from, decide::SimulationRequest request) {
    const auto now = store_.now();
    if (!now) return now.error();
    request.from = from.value_or(*now);
    if (auto error = check_window(request.from, request.to)) return *error;
    auto facts = facts_of(subject, *now);
    if (!facts) return facts.error();
    // From another moment on it is as if everything before had been decided, and nothing after.
    if (from && facts->state.status == model::ScheduleStatus::active) {
        const auto& spec = facts->schedule->spec;
        facts->taken.clear();
        facts->state.next_occurrence = spec.next(*from - Micros{1});
        facts->state.next_fire.reset();
        facts->state.spread_until.reset();
        if (facts->state.next_occurrence) facts->state.next_fire = spec.fire_time(facts->schedule->definition.id, *facts->state.next_occurrence);
    }
    Simulated simulated{*now, request.from, request.to, decide::simulate(*facts, request), true};
    simulated.complete =
        simulated.rows.size() < std::min(request.rows_max, decide::kSimulatedRunsMax) && decide::input_bytes(simulated.rows) < request.bytes_max;
    return simulated;
}

Result<Forecast> Foresight::preview(const store::ScheduleRef& ref, const Window& window) { return look_ahead(ref, window); }
Result<Forecast> Foresight::preview(const model::Schedule& definition, const Window& window) { return look_ahead(definition, window); }
Result<Simulated> Foresight::simulate(const store::ScheduleRef& ref, std::optional<Instant> from, decide::SimulationRequest request) {
    return play(ref, from, std::move(request));
}
Result<Simulated> Foresight::simulate(const model::Schedule& definition, std::optional<Instant> from, decide::SimulationRequest request) {
    return play(definition, from, std::move(request));
}

}  // namespace belfry::engine
