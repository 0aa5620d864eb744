// A schedule played forward under assumed outcomes and durations: how overlap, conditions, rotation, the breaker and
// buffers unfold. The live decision code on a virtual clock. Pure.
#pragma once

#include <vector>

#include "decide/facts.hpp"
#include "decide/plan.hpp"
#include "decide/preview.hpp"

namespace belfry::decide {

inline constexpr std::size_t kSimulatedRunsMax = 10'000;

// How the runs that start are assumed to go; taken in turn.
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
    std::size_t bytes_max = kForesightBytesMax;
};

struct SimulatedRun {
    Instant decided_at = {};
    PlannedRun run;  // as it was last decided: a buffered run that was released is dispatched
    std::optional<Instant> ended_at = {};
    std::optional<model::ExecutionStatus> end = {};  // nothing while it is still in flight at the end of the simulation
    friend bool operator==(const SimulatedRun&, const SimulatedRun&) = default;
};

// Every run that is decided in [from, to], in the order of decisions. Runs start at their fire time, and approvals are
// assumed to be given at once. It ends early with the row that fills `rows_max` or, with its input, `bytes_max`.
// REQUIRES: every assumed outcome is terminal.
[[nodiscard]] std::vector<SimulatedRun> simulate(const Facts& facts, const SimulationRequest& request, const Limits& limits = {});
[[nodiscard]] std::size_t input_bytes(const std::vector<SimulatedRun>& rows);

}  // namespace belfry::decide
