// How a run executes its workflow: which nodes start, and what the end of an attempt at one of them changes. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide/run/attempt_end.hpp"
#include "model/run/approval.hpp"
#include "model/run/run.hpp"
#include "model/run/run_event.hpp"
#include "model/schedule/schedule.hpp"
#include "model/workflow/node.hpp"

namespace belfry::decide {

// The type of the event for a task that was queued again because its worker was lost.
inline constexpr const char* kRedelivered = "node.redelivered";

// A task that returns to its queue without using up a retry, because it was not attempted or its worker was lost, and
// the event for the run's history. It keeps its place.
struct PutBack {
    model::NodeRun task;
    std::string event;
    boost::json::object payload = {};
};
[[nodiscard]] PutBack put_back(model::NodeRun task, const AttemptEnd& end, Instant now);

// The context of a run for its nodes.
struct WorkflowRunContext {
    std::string id;
    model::RunSlot slot;
    Json input = nullptr;
    Instant ready_at = {};  // when its first nodes may start
    std::string default_connection = {};
    model::ApprovalPolicy approval = {};  // approvals in addition to the definition's
};

// The first nodes of a run: those without dependencies, with their inputs; a node that needs approval waits. Returns
// an error if a reference in an input cannot be resolved.
[[nodiscard]] Result<std::vector<model::NodeRun>> begin_workflow(const model::Workflow& workflow,
                                                                 const model::Schedule& definition,
                                                                 const WorkflowRunContext& run, Instant now);

struct WorkflowRunVerdict {
    model::ExecutionStatus status = model::ExecutionStatus::succeeded;
    Json result = nullptr;
    std::string error = {};
};

struct WorkflowStep {
    std::vector<model::NodeRun> changed = {};     // in their new state
    std::optional<WorkflowRunVerdict> over = {};  // set if the run ends with this step
    std::vector<model::RunEvent> events = {};
    std::vector<model::Approval> asks = {};  // for the nodes that start to wait
};

// What the end of an attempt changes. A failed node is retried as its policy allows; after that the schedule's
// failure policy decides: `isolate` skips the nodes that depend on it and continues the rest, `halt` ends the run at
// once, `fallback` moves the node to another assignee, once. A node that needs approval before its start waits
// instead, and so does one that failed for good if the policy has `on_block`. REQUIRES: the node is running and
// counts the attempt.
[[nodiscard]] Result<WorkflowStep> step_workflow(const model::WorkflowRun& workflow_run,
                                                 const model::Schedule& definition, const WorkflowRunContext& run,
                                                 const std::string& node, const AttemptEnd& end, Instant now);

// What an approval, a rejection or an expiry changes. `refusal` is the reason of a rejection; if it is empty, the
// node is queued, and a blocked node gets all its retries again. A rejected node has failed: it is neither retried
// nor moved to another assignee. Returns a conflict if the node does not wait.
[[nodiscard]] Result<WorkflowStep> resolve_node(const model::WorkflowRun& workflow_run,
                                                const model::Schedule& definition, const WorkflowRunContext& run,
                                                const std::string& node, const std::string& refusal, Instant now);

}  // namespace belfry::decide
