// What depends on what in a workflow. Pure.
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/workflow.hpp"

namespace belfry::model {

// Nodes by their place in `workflow.nodes`. A duplicate id means its first node; an unknown dependency is none.
// REQUIRES: at most kWorkflowNodesMax nodes, and a workflow that outlives it.
class WorkflowGraph {
public:
    explicit WorkflowGraph(const Workflow& workflow);

    [[nodiscard]] std::optional<std::size_t> find(std::string_view node) const;
    // Whether `node` waits, directly or not, for `other`.
    [[nodiscard]] bool is_upstream(std::size_t other, std::size_t node) const { return upstream_[node][other]; }
    // One shortest cycle for every knot of nodes that wait for each other, each beginning and ending with the same node, whose
    // place in the workflow is the first of the knot. In the order of those.
    [[nodiscard]] std::vector<std::vector<std::size_t>> cycles() const;

private:
    [[nodiscard]] std::vector<std::size_t> shortest_cycle(std::size_t from) const;

    std::unordered_map<std::string_view, std::size_t> places_;
    std::vector<std::vector<std::size_t>> dependencies_;
    std::vector<std::bitset<kWorkflowNodesMax>> upstream_;
};

}  // namespace belfry::model
