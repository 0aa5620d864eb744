// Random workflows, as operators of a simulated world deploy them, and the lanes in which their work is claimed.
#pragma once

#include "model/workflow/workflow.hpp"
#include "simulation/sim_options.hpp"

namespace belfry::sim {

// Whose tasks a worker may ask for; everybody's are those of nobody.
inline constexpr const char* kAgent = "agent";
inline constexpr const char* kFallback = "fallback-agent";
inline constexpr const char* kLanes[] = {"", kAgent, kFallback};

// Who decides what waits for approval.
inline constexpr const char* kApprover = "approver";

[[nodiscard]] std::string workflow_name(int number);
// Two to six nodes. A node may be given what its dependencies answered under `of`.
[[nodiscard]] model::Workflow draw_workflow(SimRandom& random, const SimOptions& options, const std::string& name);
[[nodiscard]] model::RetryPolicy draw_retry(SimRandom& random, const SimOptions& options);

}  // namespace belfry::sim
