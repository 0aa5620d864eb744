// Whether a workflow of the right form also means something. Pure.
#pragma once

#include "base/errors.hpp"
#include "model/workflow.hpp"

namespace belfry::model {

inline constexpr const char* kScheduleBased = "schedule_based";
// The message of a cycle begins with it: `cycle_detected: a -> b -> a`, each waiting for the next.
inline constexpr const char* kCycleDetected = "cycle_detected";

// All that is wrong, up to kWorkflowErrorsMax; fields are pointers into the workflow's JSON. What a trigger's schedule looks
// like is checked by whoever makes the schedule.
[[nodiscard]] Errors check_workflow(const Workflow& workflow);

// The first cycle of one that is stored, `a -> b -> a`; empty: there is none. A deployment with a cycle is refused; one that was stored
// before, or written by another program, is found by this.
[[nodiscard]] std::string find_cycle(const Workflow& workflow);

// Read, then checked.
[[nodiscard]] Result<Workflow> checked_workflow_from_json(const Json& json);

// Whether one of the errors tells of a cycle.
[[nodiscard]] bool tells_cycle(const Error& error);

}  // namespace belfry::model
