// A workflow: a versioned graph of nodes, as a person writes it. Plain data.
//
// A stored definition never changes: writing it again creates the next version. A node starts when all nodes that it
// depends on have succeeded. Its input may refer to their outputs (model/schedule/reference.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json.hpp"
#include "model/schedule/policy.hpp"

namespace belfry::model {

inline constexpr std::size_t kWorkflowNodesMax = 500;
inline constexpr std::size_t kWorkflowTriggersMax = 20;

// Who does the work of a node: a worker that claims it (task), or the server itself.
enum class NodeKind : std::uint8_t { task, http, command };
[[nodiscard]] std::string_view name_of(NodeKind kind);
[[nodiscard]] Result<NodeKind> parse_node_kind(std::string_view text);

struct WorkflowNode {
    std::string id;  // letters, digits, `_` and `-`; unique in the workflow
    NodeKind kind = NodeKind::task;
    std::string task_kind = {};  // of a task: the kind of work; empty: the node's id
    std::vector<std::string> depends_on = {};
    Json input = nullptr;     // may contain references
    std::string action = {};  // an open set: publish, spend, delete, external_message, schedule_change, …
    std::optional<std::chrono::milliseconds> timeout = {};  // of one attempt; empty: the schedule's
    std::optional<std::string> queue = {};                  // of a task; empty: the schedule's, then the workflow's
    std::optional<std::string> assignee = {};               // id of the agent or team; empty: the schedule's
    std::optional<RetryPolicy> retry = {};                  // empty: the schedule's
    std::optional<std::string> connection = {};             // of a task; empty: the schedule's
    friend bool operator==(const WorkflowNode&, const WorkflowNode&) = default;
};

struct Workflow {
    std::string tenant;
    std::string name;          // the `workflowKind` of targets
    std::int64_t version = 1;  // 1, 2, 3…
    std::string description = {};
    std::vector<WorkflowNode> nodes = {};  // in the order of the text, which has no meaning
    std::optional<std::string> queue = {};
    std::optional<std::string> connection = {};             // to deliver its tasks to
    std::optional<std::chrono::milliseconds> timeout = {};  // of a whole run, from its first decision
    ApprovalPolicy approval = {};                           // every schedule that starts the workflow inherits it
    Json triggers = nullptr;                                // `schedule_based` ones, upserted on deployment; or null
    std::string created_by = {};
    Instant created_at = {};
    std::string cycle = {};  // `a -> b -> a`: no run could end. Computed when stored or read, not written; empty: none
    friend bool operator==(const Workflow&, const Workflow&) = default;

    // Null if there is no such node.
    [[nodiscard]] const WorkflowNode* find(std::string_view node) const;
};
using WorkflowPtr = std::shared_ptr<const Workflow>;

}  // namespace belfry::model
