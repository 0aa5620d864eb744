// Validates the meaning of a well-formed workflow. Pure.
#pragma once

#include "base/errors.hpp"
#include "model/workflow/workflow.hpp"

namespace belfry::model {

inline constexpr const char* kScheduleBased = "schedule_based";
// Prefix of the message about a cycle: `cycle_detected: a -> b -> a`, where each node waits for the next.
inline constexpr const char* kCycleDetected = "cycle_detected";

// Returns all errors, up to kWorkflowErrorsMax; fields are pointers into the workflow's JSON. Does not validate the
// schedules of triggers: the code that creates them does.
[[nodiscard]] Errors check_workflow(const Workflow& workflow);

// The first cycle of a stored workflow, as `a -> b -> a`; empty: none. A deployment with a cycle is rejected, but an
// older version or another program may have stored one.
[[nodiscard]] std::string find_cycle(const Workflow& workflow);

// Reads and validates.
[[nodiscard]] Result<Workflow> checked_workflow_from_json(const Json& json);

// Whether one of the errors is about a cycle.
[[nodiscard]] bool tells_cycle(const Error& error);

}  // namespace belfry::model
