// Looking ahead: what a schedule, stored or not, would do at its coming times, and how its runs would unfold. Nothing is
// changed. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide/preview.hpp"
#include "decide/simulate.hpp"
#include "engine/schedules.hpp"

namespace belfry::engine {

struct Window {
    std::optional<Instant> from = {};  // the first moment, included; absent: what comes after now
    std::optional<Instant> to = {};    // the last; absent: ten years later
    std::size_t rows = 10;
    std::size_t skipped = 0;  // rows of earlier pages; kPreviewRowsMax with those of this one
};

struct Forecast {
    Instant now = {};
    Instant from = {};  // where the window began, included
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
    bool complete = true;  // false: there are more rows than are shown
};

// What to look ahead with: a schedule that is stored, or a definition that is not.
class Foresight {
public:
    // REQUIRES: all of them outlive it.
    Foresight(store::Store& store, Schedules& schedules) : store_(store), schedules_(schedules) {}

    [[nodiscard]] Result<Forecast> preview(const store::ScheduleRef& ref, const Window& window);
    [[nodiscard]] Result<Forecast> preview(const model::Schedule& definition, const Window& window);

    // `request.from` is now when it is not given, `request.to` is required.
    [[nodiscard]] Result<Simulated> simulate(const store::ScheduleRef& ref, std::optional<Instant> from, decide::SimulationRequest request);
    [[nodiscard]] Result<Simulated> simulate(const model::Schedule& definition, std::optional<Instant> from, decide::SimulationRequest request);

private:
    [[nodiscard]] Result<decide::Facts> facts_of(const store::ScheduleRef& ref, Instant now);
    [[nodiscard]] Result<decide::Facts> facts_of(const model::Schedule& definition, Instant now);
    template <typename Subject>
    [[nodiscard]] Result<Forecast> look_ahead(const Subject& subject, const Window& window);
    template <typename Subject>
    [[nodiscard]] Result<Simulated> play(const Subject& subject, std::optional<Instant> from, decide::SimulationRequest request);

    store::Store& store_;
    Schedules& schedules_;
};

}  // namespace belfry::engine
