// What the end of a run changes: the run itself, the schedule's last result, its breaker, and its buffer. Pure. It
// never decides timing.
#pragma once

#include "decide/facts.hpp"
#include "decide/plan.hpp"
#include "decide/run/workflow_run.hpp"

namespace belfry::decide {

struct Completion {
    std::string run_id;
    model::ExecutionStatus from = model::ExecutionStatus::running;  // as stored now
    model::ExecutionStatus status = model::ExecutionStatus::succeeded;
    Json result = nullptr;
    std::string error = {};
};

class PlanBuilder;
// Adds the completion to a plan; returns an error if it is not possible.
[[nodiscard]] std::optional<Error> complete(PlanBuilder& builder, const Completion& completion);

// Adds a step of the workflow run, and the end of the run if the step ends it.
[[nodiscard]] std::optional<Error> advance(PlanBuilder& builder, const model::Run& run, WorkflowStep step);

// Returns a conflict if the run has already ended: a terminal status is final.
[[nodiscard]] Result<Plan> plan_completion(const Facts& facts, const Completion& completion, Instant now);

}  // namespace belfry::decide
