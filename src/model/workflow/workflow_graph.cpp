#include "model/workflow/workflow_graph.hpp"

#include <algorithm>
#include <cassert>
#include <deque>

namespace belfry::model {

WorkflowGraph::WorkflowGraph(const Workflow& workflow)
    : dependencies_(workflow.nodes.size()), upstream_(workflow.nodes.size()) {
    const auto count = workflow.nodes.size();
    assert(count <= kWorkflowNodesMax);
    for (std::size_t i = 0; i < count; ++i) places_.emplace(workflow.nodes[i].id, i);
    for (std::size_t i = 0; i < count; ++i) {
        for (const auto& name : workflow.nodes[i].depends_on) {
            const auto place = find(name);
            if (!place || upstream_[i][*place]) continue;
            dependencies_[i].push_back(*place);
            upstream_[i].set(*place);
        }
    }
    // Warshall's transitive closure, one row at a time: two million steps for the largest workflow.
    for (std::size_t through = 0; through < count; ++through) {
        for (std::size_t i = 0; i < count; ++i) {
            if (upstream_[i][through]) upstream_[i] |= upstream_[through];
        }
    }
}

std::optional<std::size_t> WorkflowGraph::find(std::string_view node) const {
    const auto found = places_.find(node);
    if (found == places_.end()) return std::nullopt;
    return found->second;
}

std::vector<std::vector<std::size_t>> WorkflowGraph::cycles() const {
    std::vector<std::vector<std::size_t>> cycles;
    std::vector<bool> is_told(dependencies_.size());
    for (std::size_t i = 0; i < dependencies_.size(); ++i) {
        if (is_told[i] || !upstream_[i][i]) continue;
        cycles.push_back(shortest_cycle(i));
        for (std::size_t j = 0; j < dependencies_.size(); ++j)
            is_told[j] = is_told[j] || (upstream_[i][j] && upstream_[j][i]);
    }
    return cycles;
}

// REQUIRES: `from` is its own upstream.
std::vector<std::size_t> WorkflowGraph::shortest_cycle(std::size_t from) const {
    constexpr auto kNowhere = static_cast<std::size_t>(-1);
    std::vector<std::size_t> reached_from(dependencies_.size(), kNowhere);
    std::deque<std::size_t> open{from};
    while (reached_from[from] == kNowhere) {
        const auto node = open.front();
        open.pop_front();
        for (const auto next : dependencies_[node]) {
            if (reached_from[next] != kNowhere) continue;
            reached_from[next] = node;
            open.push_back(next);
        }
    }
    std::vector<std::size_t> path{from};
    do path.push_back(reached_from[path.back()]);
    while (path.back() != from);
    std::ranges::reverse(path);
    return path;
}

}  // namespace belfry::model
