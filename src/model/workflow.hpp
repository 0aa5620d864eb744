// A workflow: a versioned graph of nodes, as people write it. Plain data.
//
// A definition never changes: whoever writes it again makes the next version. Nodes start when everything that they depend on
// has succeeded; what they are given may refer to what came out of the nodes before them (model/reference.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "model/policy.hpp"

namespace belfry::model {

inline constexpr std::size_t kWorkflowNodesMax = 500;
inline constexpr std::size_t kWorkflowTriggersMax = 20;

// Who does the work of a node: a worker that claims it, or the server itself.
enum class NodeKind : std::uint8_t { task, http, command };
[[nodiscard]] std::string_view name_of(NodeKind kind);
[[nodiscard]] Result<NodeKind> parse_node_kind(std::string_view text);

struct WorkflowNode {
    std::string id;  // letters, digits, `_` and `-`; unique in the workflow
    NodeKind kind = NodeKind::task;
    std::string task_kind = {};  // of a task: what its worker is asked to do; the id when nothing is said
    std::vector<std::string> depends_on = {};
    Json input = nullptr;                                   // may hold references
    std::string action = {};                                // an open set: publish, spend, delete, external_message, schedule_change, …
    std::optional<std::chrono::milliseconds> timeout = {};  // of one attempt; nothing: the schedule's
    std::optional<std::string> queue = {};                  // of a task; nothing: the schedule's, then the workflow's
    std::optional<std::string> assignee = {};               // id of the agent or team; nothing: the schedule's
    std::optional<RetryPolicy> retry = {};                  // nothing: the schedule's
    std::optional<std::string> connection = {};             // of a task: whom it is handed over to; nothing: as the schedule says
    friend bool operator==(const WorkflowNode&, const WorkflowNode&) = default;
};

struct Workflow {
    std::string tenant;
    std::string name;          // what a target calls its workflowKind
    std::int64_t version = 1;  // 1, 2, 3…
    std::string description = {};
    std::vector<WorkflowNode> nodes = {};  // as written; no order is meant
    std::optional<std::string> queue = {};
    std::optional<std::string> connection = {};             // that its tasks are handed over to
    std::optional<std::chrono::milliseconds> timeout = {};  // of a whole run, from its first decision
    Json triggers = nullptr;  // an array of `schedule_based` ones, as written: deploying it upserts their schedules; null: none
    std::string created_by = {};
    Instant created_at = {};
    std::string cycle = {};  // `a -> b -> a`: why none of its runs could end. Found when it is stored or read, and not written; empty: none
    friend bool operator==(const Workflow&, const Workflow&) = default;

    // Null when there is none of that id.
    [[nodiscard]] const WorkflowNode* find(std::string_view node) const;
};
using WorkflowPtr = std::shared_ptr<const Workflow>;

}  // namespace belfry::model
