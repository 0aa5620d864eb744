// What the end of a run changes: the run itself, the schedule's last result, its breaker, and the buffer. Pure. It never
// decides timing.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"
#include "decide/walk.hpp"

namespace belfry::decide {

struct Completion {
    std::string run_id;
    model::ExecutionStatus from = model::ExecutionStatus::running;  // as the store has it now
    model::ExecutionStatus status = model::ExecutionStatus::succeeded;
    Json result = nullptr;
    std::string error = {};
};

class PlanBuilder;
// Adds it to a plan; the error when it cannot be.
[[nodiscard]] std::optional<Error> complete(PlanBuilder& builder, const Completion& completion);

// A step of the run's walk, and the end of the run when it is over with it.
[[nodiscard]] std::optional<Error> advance(PlanBuilder& builder, const model::Run& run, WalkStep step);

// A conflict when the run has already ended: a terminal status is final.
[[nodiscard]] Result<Plan> plan_completion(const Facts& facts, const Completion& completion, Instant now);

}  // namespace belfry::decide
