// Looks ahead: what a schedule, stored or not, would do at its future times, and how its runs would unfold. Changes
// nothing. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/concurrency/fair_share.hpp"
#include "decide/explain/preview.hpp"
#include "decide/explain/simulate.hpp"
#include "engine/explain/load.hpp"
#include "engine/usecases/schedules.hpp"

namespace belfry::engine {

struct Window {
    std::optional<Instant> from = {};  // the first moment, included; empty: after now
    std::optional<Instant> to = {};    // the last moment; empty: ten years later
    std::size_t rows = 10;
    std::size_t skipped = 0;  // rows of earlier pages; with this page at most kPreviewRowsMax
};

struct Forecast {
    Instant now = {};
    Instant from = {};  // the start of the window, included
    model::Schedule schedule;
    std::vector<decide::PreviewRow> rows = {};
    bool more = false;  // there are later rows
    std::vector<std::string> warnings = {};
};

struct Simulated {
    Instant now = {};
    Instant from = {};
    Instant to = {};
    std::vector<decide::SimulatedRun> rows = {};
    bool complete = true;  // false: there are more rows than these
};

// Takes a stored schedule or a definition that is not stored. Long previews and simulations keep a thread busy, so
// only a few run at the same time, and tenants share them. Without a free place, the error is `exhausted`.
class Forecaster {
public:
    // REQUIRES: all of them outlive it.
    Forecaster(store::Store& store, const spec::ZoneDatabase& zones, Schedules& schedules, FairPlaces places)
        : store_(store), zones_(zones), schedules_(schedules), places_(std::move(places)) {}

    [[nodiscard]] Result<Forecast> preview(const store::ScheduleRef& ref, const Window& window);
    [[nodiscard]] Result<Forecast> preview(const model::Schedule& definition, const Window& window);

    // Without `from`, starts now. `request.to` is required.
    [[nodiscard]] Result<Simulated> simulate(const store::ScheduleRef& ref, std::optional<Instant> from,
                                             decide::SimulationRequest request);
    [[nodiscard]] Result<Simulated> simulate(const model::Schedule& definition, std::optional<Instant> from,
                                             decide::SimulationRequest request);

    // The planned load of the tenant (load.hpp). It reads up to 10,000 schedules, so it needs a place, too.
    [[nodiscard]] Result<Load> load(const std::string& tenant, const LoadRequest& request);

private:
    [[nodiscard]] Result<decide::Facts> facts_of(const store::ScheduleRef& ref, Instant now);
    [[nodiscard]] Result<decide::Facts> facts_of(const model::Schedule& definition, Instant now);
    template <typename Subject>
    [[nodiscard]] Result<Forecast> look_ahead(const Subject& subject, const Window& window);
    template <typename Subject>
    [[nodiscard]] Result<Simulated> play(const Subject& subject, std::optional<Instant> from,
                                         decide::SimulationRequest request);

    store::Store& store_;
    const spec::ZoneDatabase& zones_;
    Schedules& schedules_;
    FairPlaces places_;
};

}  // namespace belfry::engine
