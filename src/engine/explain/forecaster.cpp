#include "engine/explain/forecaster.hpp"

#include <algorithm>

#include "base/concurrency/blocking_scope.hpp"
#include "decide/explain/forecast_warnings.hpp"
#include "engine/usecases/no_op_plan.hpp"

namespace belfry::engine {

namespace {

// A window that is empty or too long. `given`: the request has a `from`, else the window begins now.
std::optional<Error> check_window(Instant from, bool given, Instant to) {
    if (to < from && !given) {
        return Error{ErrorCode::invalid_argument,
                     "to (" + format_instant(to) + ") is before now (" + format_instant(from) +
                         "), where a window without from begins: send a later to, or a from before it",
                     "/to"};
    }
    if (to < from) {
        Error error{ErrorCode::invalid_argument,
                    "to (" + format_instant(to) + ") is before from (" + format_instant(from) +
                        "): send a later to, or an earlier from",
                    "/to"};
        error.more.push_back({ErrorCode::invalid_argument, error.message, "/from"});
        return error;
    }
    if (to - from > decide::kPreviewSpanMax)
        return Error{ErrorCode::invalid_argument, "the window is longer than ten years; choose a shorter one", "/to"};
    return std::nullopt;
}

constexpr Seconds kSimulationTime{5};       // then it ends with the rows that it has
constexpr std::size_t kShortPreview = 100;  // rows: as quick as any other request

// Marks this thread as blocked for a long computation, so that other threads handle requests meanwhile.
class LongWork {
public:
    explicit LongWork(FairPlaces::Place place) : place_(std::move(place)) {
        if (place_) waiting_.emplace();
    }
    explicit operator bool() const { return place_ != nullptr; }

private:
    FairPlaces::Place place_;
    std::optional<BlockingScope> waiting_;
};

Error no_place() {
    return {ErrorCode::exhausted,
            "too many previews, simulations and load reports of this tenant are running; retry when one has ended"};
}

// Keeps only the rows of the page.
void cut(Forecast& forecast, const Window& window, bool was_cut) {
    auto& rows = forecast.rows;
    const auto begin = std::min(window.skipped, rows.size());
    const auto end = std::min(begin + window.rows, rows.size());
    forecast.more = end < rows.size() || was_cut;
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(end), rows.end());
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(begin));
}

}  // namespace

Result<decide::Facts> Forecaster::facts_of(const store::ScheduleRef& ref, Instant now) {
    decide::Facts found;
    const auto looked =
        store_.change(ref, {.now = now, .in_flight = true}, [&](const decide::Facts& facts) -> Result<decide::Plan> {
            found = facts;
            return no_op_plan(facts);
        });
    if (!looked) return looked.error();
    return found;
}

// The facts as if the schedule had just been created.
Result<decide::Facts> Forecaster::facts_of(const model::Schedule& definition, Instant now) {
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
Result<Forecast> Forecaster::look_ahead(const Subject& subject, const Window& window) {
    const auto now = store_.now();
    if (!now) return now.error();
    const auto from = window.from.value_or(*now);
    const auto to = window.to.value_or(from + decide::kPreviewSpanMax);
    if (auto error = check_window(from, window.from.has_value(), to)) return *error;
    const bool is_short = window.skipped + window.rows <= kShortPreview;
    const LongWork work(is_short ? nullptr : places_.take(subject.tenant));
    if (!is_short && !work) return no_place();
    const auto facts = facts_of(subject, *now);
    if (!facts) return facts.error();
    // Includes `from`, as a simulation does; without it, only times after now.
    const auto after = window.from ? from - Micros{1} : from;
    // Also computes the rows before the page, because rotation and maxRuns advance with every row. One more row shows
    // whether there are more.
    const auto most = std::min(window.skipped + window.rows + 1, decide::kPreviewRowsMax);
    // Counts the rows first, because a preview takes a number of rows and not an end time.
    const auto rows = window.to ? facts->schedule->spec.between(after + Micros{1}, to, most).size() : most;
    auto previewed = decide::preview(*facts, after, decide::PreviewPage{.rows = rows, .before = window.skipped});
    Forecast forecast{.now = *now,
                      .from = after + Micros{1},
                      .schedule = facts->schedule->definition,
                      .rows = std::move(previewed.rows)};
    std::erase_if(forecast.rows, [to](const decide::PreviewRow& row) { return row.occurrence > to; });
    cut(forecast, window, previewed.cut);
    forecast.warnings = decide::forecast_warnings(*facts, forecast.rows);
    return forecast;
}

template <typename Subject>
Result<Simulated> Forecaster::play(const Subject& subject, std::optional<Instant> from,
                                   decide::SimulationRequest request) {
    const auto now = store_.now();
    if (!now) return now.error();
    request.from = from.value_or(*now);
    if (auto error = check_window(request.from, from.has_value(), request.to)) return *error;
    const LongWork work(places_.take(subject.tenant));
    if (!work) return no_place();
    auto facts = facts_of(subject, *now);
    if (!facts) return facts.error();
    // With another start, everything before it counts as decided, and nothing after it.
    if (from && facts->state.status == model::ScheduleStatus::active) {
        const auto& spec = facts->schedule->spec;
        facts->taken.clear();
        facts->state.next_occurrence = spec.next(*from - Micros{1});
        facts->state.next_fire.reset();
        facts->state.spread_until.reset();
        if (facts->state.next_occurrence)
            facts->state.next_fire = spec.fire_time(facts->schedule->definition.id, *facts->state.next_occurrence);
    }
    bool stopped = false;
    request.stop = [&stopped, until = std::chrono::steady_clock::now() + kSimulationTime] {
        stopped = stopped || std::chrono::steady_clock::now() > until;
        return stopped;
    };
    Simulated simulated{*now, request.from, request.to, decide::simulate(*facts, request), true};
    simulated.complete = !stopped && simulated.rows.size() < std::min(request.rows_max, decide::kSimulatedRunsMax) &&
                         decide::input_bytes(simulated.rows) < request.bytes_max;
    return simulated;
}

Result<Forecast> Forecaster::preview(const store::ScheduleRef& ref, const Window& window) {
    return look_ahead(ref, window);
}
Result<Forecast> Forecaster::preview(const model::Schedule& definition, const Window& window) {
    return look_ahead(definition, window);
}
Result<Simulated> Forecaster::simulate(const store::ScheduleRef& ref, std::optional<Instant> from,
                                       decide::SimulationRequest request) {
    return play(ref, from, std::move(request));
}
Result<Simulated> Forecaster::simulate(const model::Schedule& definition, std::optional<Instant> from,
                                       decide::SimulationRequest request) {
    return play(definition, from, std::move(request));
}

Result<Load> Forecaster::load(const std::string& tenant, const LoadRequest& request) {
    const LongWork work(places_.take(tenant));
    if (!work) return no_place();
    return planned_load(store_, zones_, tenant, request);
}

}  // namespace belfry::engine
