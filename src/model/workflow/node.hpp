// The state of a workflow node in one run. Plain data.
//
// The single task of a run without a workflow is the node with the empty name. It has such a record only if something
// happened to it that the run's own row does not hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json.hpp"
#include "model/run/usage.hpp"
#include "model/schedule/policy.hpp"
#include "model/workflow/workflow.hpp"

namespace belfry::model {

enum class NodeStatus : std::uint8_t {
    waiting,  // for its dependencies; not stored
    queued,   // its task is claimable, or will be
    running,  // a worker holds its lease; not stored: the lease shows it
    succeeded,
    failed,
    timed_out,
    cancelled,          // the run ended first
    skipped,            // a dependency did not succeed
    awaiting_approval,  // has no task until it is approved; last, because the numbers are stored
};
[[nodiscard]] std::string_view name_of(NodeStatus status);
[[nodiscard]] constexpr bool is_over(NodeStatus status) {
    return status >= NodeStatus::succeeded && status != NodeStatus::awaiting_approval;
}

struct NodeRun {
    std::string node;
    NodeStatus status = NodeStatus::waiting;
    int attempts = 0;                                       // ended ones; while the node runs, includes the current one
    int attempts_before = 0;                                // of these, before the latest fallback or put-back
    int redeliveries = 0;                                   // of these, lost by a worker and redelivered
    std::string queue = {};                                 // that holds its task
    std::string assignee = {};                              // whose workers alone may claim it; empty: any
    Instant ready_at = {};                                  // when its task may be claimed
    std::optional<std::chrono::milliseconds> timeout = {};  // of one attempt
    std::optional<Instant> started_at = {};                 // of the newest attempt
    std::optional<Instant> completed_at = {};
    Json input = nullptr;  // with resolved references
    Json result = nullptr;
    std::string error = {};
    std::optional<FailureCategory> category = {};  // of the newest failure
    std::optional<Usage> used = {};                // by all attempts; set only in reads for people
    friend bool operator==(const NodeRun&, const NodeRun&) = default;
};

// The nodes of a run, and the workflow definition that it follows.
struct WorkflowRun {
    WorkflowPtr workflow = {};             // null: a single task
    std::vector<NodeRun> nodes = {};       // started or ended nodes, by name
    std::optional<Instant> deadline = {};  // of the whole run; empty after its end
    std::int64_t events = 1;               // of the newest event; event 1 follows from the run and is not stored
    [[nodiscard]] const NodeRun* find(std::string_view node) const;
    friend bool operator==(const WorkflowRun&, const WorkflowRun&) = default;
};

}  // namespace belfry::model
