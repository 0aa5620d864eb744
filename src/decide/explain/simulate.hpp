// Plays a schedule forward under assumed results and durations: how overlap, conditions, rotation, the breaker and
// buffers unfold. Uses the live decision code on a virtual clock. Pure.
#pragma once

#include <functional>
#include <vector>

#include "decide/explain/preview.hpp"
#include "decide/facts.hpp"
#include "decide/plan.hpp"

namespace belfry::decide {

inline constexpr std::size_t kSimulatedRunsMax = 10'000;

// The assumed course of the runs that start; used in turn.
struct AssumedRun {
    Micros duration = Seconds{0};
    model::ExecutionStatus outcome = model::ExecutionStatus::succeeded;
    Json result = nullptr;
};

struct SimulationRequest {
    Instant from = {};
    Instant to = {};
    std::vector<AssumedRun> runs = {AssumedRun{}};
    std::size_t rows_max = kSimulatedRunsMax;
    std::size_t bytes_max = kForecastBytesMax;
    std::function<bool()> stop = {};  // called before every step: true ends it early
};

struct SimulatedRun {
    Instant decided_at = {};
    PlannedRun run;  // after its last decision: a released buffered run is dispatched
    std::optional<Instant> ended_at = {};
    std::optional<model::ExecutionStatus> end = {};  // empty if it is still in flight at the end
    friend bool operator==(const SimulatedRun&, const SimulatedRun&) = default;
};

// Every run that is decided in [from, to], in the order of decisions. Runs start at their fire time, and approvals
// are assumed to be given at once. Ends early with the row that fills `rows_max` or, with its input, `bytes_max`, and
// when `stop` returns true. REQUIRES: every assumed outcome is terminal.
[[nodiscard]] std::vector<SimulatedRun> simulate(const Facts& facts, const SimulationRequest& request,
                                                 const Limits& limits = {});
[[nodiscard]] std::size_t input_bytes(const std::vector<SimulatedRun>& rows);

}  // namespace belfry::decide
