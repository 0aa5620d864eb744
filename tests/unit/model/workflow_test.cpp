#include "model/workflow/workflow.hpp"

#include <gtest/gtest.h>

#include "model/workflow/node.hpp"

namespace belfry::model {
namespace {

TEST(Workflow, NodesAreFoundById) {
    const Workflow workflow{.name = "w", .nodes = {{.id = "a"}, {.id = "b", .action = "publish"}}};
    ASSERT_NE(workflow.find("b"), nullptr);
    EXPECT_EQ(workflow.find("b")->action, "publish");
    EXPECT_EQ(workflow.find("c"), nullptr);
    EXPECT_EQ(workflow.find(""), nullptr);
}

TEST(Workflow, KindsHaveNames) {
    for (const auto kind : {NodeKind::task, NodeKind::http, NodeKind::command})
        EXPECT_EQ(parse_node_kind(name_of(kind)).value(), kind);
    EXPECT_EQ(parse_node_kind("shell").error().message, "kind \"shell\": use one of task, http, command");
}

TEST(NodeRun, StatusesHaveNames) {
    const std::pair<NodeStatus, const char*> rows[] = {
        {NodeStatus::waiting, "waiting"},     {NodeStatus::queued, "queued"},   {NodeStatus::running, "running"},
        {NodeStatus::succeeded, "succeeded"}, {NodeStatus::failed, "failed"},   {NodeStatus::timed_out, "timed_out"},
        {NodeStatus::cancelled, "cancelled"}, {NodeStatus::skipped, "skipped"},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(name_of(row.first), row.second);
        EXPECT_EQ(is_over(row.first), row.first != NodeStatus::waiting && row.first != NodeStatus::queued &&
                                          row.first != NodeStatus::running);
    }
}

TEST(WorkflowRun, NodesThatHaveBegunAreFoundByName) {
    const WorkflowRun walk{.workflow = nullptr, .nodes = {{.node = "a", .attempts = 2}}};
    ASSERT_NE(walk.find("a"), nullptr);
    EXPECT_EQ(walk.find("a")->attempts, 2);
    EXPECT_EQ(walk.find("b"), nullptr);
}

}  // namespace
}  // namespace belfry::model
