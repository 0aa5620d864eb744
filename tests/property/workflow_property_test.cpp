// Random graphs: what the check says of cycles and of references against naive searches along the dependencies.
#include <gtest/gtest.h>

#include <set>

#include "model/workflow/workflow_check.hpp"
#include "model/workflow/workflow_graph.hpp"
#include "support/worlds/seed.hpp"

namespace belfry::model {
namespace {

using test::Random;

std::string id_of(int node) { return "n" + std::to_string(node); }

// Sparse and dense ones, some without cycles by construction.
Workflow random_workflow(Random& random) {
    Workflow workflow{.name = "w"};
    const int count = random.number(1, 12);
    const int chance = random.number(0, 40);
    const bool only_backwards = random.percent(40);
    for (int i = 0; i < count; ++i) {
        auto& node = workflow.nodes.emplace_back(WorkflowNode{.id = id_of(i)});
        for (int j = 0; j < count; ++j) {
            if (random.percent(chance) && (!only_backwards || j < i)) node.depends_on.push_back(id_of(j));
        }
    }
    for (auto& node : workflow.nodes) {
        if (random.percent(50)) node.input = "${nodes." + id_of(random.number(0, count - 1)) + ".output}";
    }
    return workflow;
}

// All that can be reached by following dependsOn, one step at a time.
std::set<std::string> naive_upstream(const Workflow& workflow, const std::string& of) {
    std::set<std::string> reached;
    for (bool is_growing = true; is_growing;) {
        const auto before = reached.size();
        for (const auto& node : workflow.nodes) {
            if (node.id == of || reached.contains(node.id))
                reached.insert(node.depends_on.begin(), node.depends_on.end());
        }
        is_growing = reached.size() != before;
    }
    return reached;
}

// A workflow can be done when something can always be started until nothing is left.
bool can_finish(const Workflow& workflow) {
    std::set<std::string> done;
    for (bool is_moving = true; is_moving;) {
        is_moving = false;
        for (const auto& node : workflow.nodes) {
            const bool is_ready =
                std::ranges::all_of(node.depends_on, [&](const auto& each) { return done.contains(each); });
            if (is_ready && done.insert(node.id).second) is_moving = true;
        }
    }
    return done.size() == workflow.nodes.size();
}

TEST(WorkflowProperty, CyclesAreFoundWhereNothingCanFinish) {
    Random random(61);
    for (std::size_t i = 0; i < test::case_count(3'000); ++i) {
        const auto workflow = random_workflow(random);
        const auto cycles = WorkflowGraph(workflow).cycles();
        EXPECT_EQ(cycles.empty(), can_finish(workflow));
        std::set<std::size_t> told;
        for (const auto& cycle : cycles) {
            ASSERT_GE(cycle.size(), 2U);
            EXPECT_EQ(cycle.front(), cycle.back());
            for (std::size_t step = 0; step + 1 < cycle.size(); ++step) {
                const auto& waits = workflow.nodes[cycle[step]].depends_on;
                EXPECT_NE(std::ranges::find(waits, workflow.nodes[cycle[step + 1]].id), waits.end())
                    << "no such dependency";
                EXPECT_TRUE(told.insert(cycle[step]).second) << "a node is in two of the cycles, or twice in one";
            }
        }
        // What is in no told cycle, but in a cycle, is knotted to one that is told.
        for (std::size_t node = 0; node < workflow.nodes.size(); ++node) {
            const auto upstream = naive_upstream(workflow, workflow.nodes[node].id);
            if (!upstream.contains(workflow.nodes[node].id)) continue;
            EXPECT_TRUE(std::ranges::any_of(
                told, [&](std::size_t other) { return upstream.contains(workflow.nodes[other].id); }));
        }
    }
}

TEST(WorkflowProperty, ReferencesAreRefusedWhereNoPathLeadsToTheirNode) {
    Random random(62);
    for (std::size_t i = 0; i < test::case_count(3'000); ++i) {
        const auto workflow = random_workflow(random);
        std::set<std::string> expected;
        for (std::size_t node = 0; node < workflow.nodes.size(); ++node) {
            const auto& input = workflow.nodes[node].input;
            if (input.is_null()) continue;
            const std::string text(input.get_string());
            const auto other = text.substr(8, text.find(".output") - 8);
            if (!naive_upstream(workflow, workflow.nodes[node].id).contains(other))
                expected.insert("/nodes/" + std::to_string(node) + "/input");
        }
        std::set<std::string> found;
        bool has_cycle = false;
        for (const auto& error : check_workflow(workflow)) {
            if (tells_cycle(error)) {
                has_cycle = true;
            } else {
                found.insert(error.field);
            }
        }
        EXPECT_EQ(found, expected);
        EXPECT_EQ(has_cycle, !can_finish(workflow));
    }
}

TEST(WorkflowProperty, TheLargestWorkflowsAreChecked) {
    // Everything waits for everything before it; closing the ring makes it one knot.
    Workflow dense{.name = "w"};
    for (int i = 0; i < static_cast<int>(kWorkflowNodesMax); ++i) {
        auto& node = dense.nodes.emplace_back(WorkflowNode{.id = id_of(i)});
        for (int j = 0; j < i; ++j) node.depends_on.push_back(id_of(j));
    }
    EXPECT_TRUE(check_workflow(dense).empty());
    dense.nodes.front().depends_on.push_back(dense.nodes.back().id);
    EXPECT_EQ(check_workflow(dense).size(), 1U);
}

}  // namespace
}  // namespace belfry::model
