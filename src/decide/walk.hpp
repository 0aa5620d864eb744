// How a run walks its workflow: which nodes begin, and what the end of an attempt at one of them changes. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide/attempt_end.hpp"
#include "model/approval.hpp"
#include "model/node.hpp"
#include "model/run.hpp"
#include "model/run_event.hpp"
#include "model/schedule.hpp"

namespace belfry::decide {

// The type of the event that tells of a task that was handed out again because its worker was lost.
inline constexpr const char* kRedelivered = "node.redelivered";

// The task as it is when it goes back without a try of those that its policy allows, and what the run's events say about it: nobody has tried it, or
// its worker was lost. It keeps its place.
struct PutBack {
    model::NodeRun task;
    std::string event;
    boost::json::object payload = {};
};
[[nodiscard]] PutBack put_back(model::NodeRun task, const AttemptEnd& end, Instant now);

// What the nodes of a run may ask of it.
struct RunOfWalk {
    std::string id;
    model::RunSlot slot;
    Json input = nullptr;
    Instant ready_at = {};  // when its first nodes may begin
    std::string default_connection = {};
    model::ApprovalPolicy approval = {};  // what is to be approved beside what the definition says
};

// The nodes that begin a run: those without dependencies, with their inputs; one that must be approved first waits. The error when
// what they refer to is not there.
[[nodiscard]] Result<std::vector<model::NodeRun>> begin_walk(const model::Workflow& workflow, const model::Schedule& definition, const RunOfWalk& run,
                                                             Instant now);

struct WalkVerdict {
    model::ExecutionStatus status = model::ExecutionStatus::succeeded;
    Json result = nullptr;
    std::string error = {};
};

struct WalkStep {
    std::vector<model::NodeRun> changed = {};  // as they will be
    std::optional<WalkVerdict> over = {};      // the run ends with it
    std::vector<model::RunEvent> events = {};
    std::vector<model::Approval> asks = {};  // for the nodes that begin to wait
};

// What the end of an attempt changes. A node that failed is tried again as its policy says; after that the schedule's failure
// policy decides: `isolate` skips what depends on it and lets the rest go on, `halt` ends the run at once, `fallback` hands the
// node to somebody else, once. A node that would begin although somebody must approve it waits instead, and so does one that failed
// for good when the schedule says `on_block`. REQUIRES: the node is running and counts the attempt.
[[nodiscard]] Result<WalkStep> step_walk(const model::Walk& walk, const model::Schedule& definition, const RunOfWalk& run, const std::string& node,
                                         const AttemptEnd& end, Instant now);

// What somebody's word changes, or that nobody gave it in time. `refusal` says why not; empty: the node is queued, and one that
// was blocked may be retried as often as one that is new. A node that is refused has failed: it is neither retried nor handed to
// anybody else. A conflict when it does not wait.
[[nodiscard]] Result<WalkStep> settle_node(const model::Walk& walk, const model::Schedule& definition, const RunOfWalk& run, const std::string& node,
                                           const std::string& refusal, Instant now);

}  // namespace belfry::decide
