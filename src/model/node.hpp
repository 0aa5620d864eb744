// What a node of a workflow is doing in one run. Plain data.
//
// The task of a run that is no workflow's is the node with the empty name; it has such a record only when something happened
// to it that the run itself does not tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "model/policy.hpp"
#include "model/usage.hpp"
#include "model/workflow.hpp"

namespace belfry::model {

enum class NodeStatus : std::uint8_t {
    waiting,  // for what it depends on; not stored
    queued,   // its task is ready, or will be
    running,  // a worker has it; not stored: the lease says so
    succeeded,
    failed,
    timed_out,
    cancelled,          // the run ended first
    skipped,            // something that it depends on did not succeed
    awaiting_approval,  // it has no task until somebody approves it; last, because the numbers are stored
};
[[nodiscard]] std::string_view name_of(NodeStatus status);
[[nodiscard]] Result<NodeStatus> parse_node_status(std::string_view text);
[[nodiscard]] constexpr bool is_over(NodeStatus status) { return status >= NodeStatus::succeeded && status != NodeStatus::awaiting_approval; }

struct NodeRun {
    std::string node;
    NodeStatus status = NodeStatus::waiting;
    int attempts = 0;                                       // that have ended; while it runs, the one that goes on counts, too
    int attempts_before = 0;                                // of them, those that count no more: before it was handed to the fallback, or put back
    int redeliveries = 0;                                   // of them, those whose worker was lost and that were handed out again
    std::string queue = {};                                 // where its task stands
    std::string assignee = {};                              // for whom alone; empty: for every worker of the queue
    Instant ready_at = {};                                  // when its task may be claimed
    std::optional<std::chrono::milliseconds> timeout = {};  // of one attempt
    std::optional<Instant> started_at = {};                 // the newest attempt
    std::optional<Instant> completed_at = {};
    Json input = nullptr;  // with its references resolved
    Json result = nullptr;
    std::string error = {};
    std::optional<FailureCategory> category = {};  // of the newest failure
    std::optional<Usage> used = {};                // by all its attempts; only where people read it
    friend bool operator==(const NodeRun&, const NodeRun&) = default;
};

// The nodes of a run, and the definition that it walks.
struct Walk {
    WorkflowPtr workflow = {};             // null: a single task
    std::vector<NodeRun> nodes = {};       // those that have begun or are over, by name
    std::optional<Instant> deadline = {};  // of the whole run; nothing once it is over
    std::int64_t events = 1;               // the sequence of the newest one; the first is written by nobody: it follows from the run
    [[nodiscard]] const NodeRun* find(std::string_view node) const;
    friend bool operator==(const Walk&, const Walk&) = default;
};

}  // namespace belfry::model
