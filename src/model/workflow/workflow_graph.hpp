// The dependencies between the nodes of a workflow. Pure.
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/workflow/workflow.hpp"

namespace belfry::model {

// Identifies nodes by their index in `workflow.nodes`. A duplicate id refers to its first node; unknown dependencies
// are ignored. REQUIRES: at most kWorkflowNodesMax nodes, and a workflow that outlives the graph.
class WorkflowGraph {
public:
    explicit WorkflowGraph(const Workflow& workflow);

    [[nodiscard]] std::optional<std::size_t> find(std::string_view node) const;
    // Whether `node` waits for `other`, directly or indirectly.
    [[nodiscard]] bool is_upstream(std::size_t other, std::size_t node) const { return upstream_[node][other]; }
    // One shortest cycle for each group of nodes that wait for each other. It starts and ends with the group's first
    // node in the workflow. Sorted by that node.
    [[nodiscard]] std::vector<std::vector<std::size_t>> cycles() const;

private:
    [[nodiscard]] std::vector<std::size_t> shortest_cycle(std::size_t from) const;

    std::unordered_map<std::string_view, std::size_t> places_;
    std::vector<std::vector<std::size_t>> dependencies_;
    std::vector<std::bitset<kWorkflowNodesMax>> upstream_;
};

}  // namespace belfry::model
