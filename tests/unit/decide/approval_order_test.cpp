#include "decide/approval/approval_order.hpp"

#include <gtest/gtest.h>

namespace belfry::decide {
namespace {

using namespace std::chrono_literals;
using model::ApprovalMode;
using model::ApprovalPolicy;

TEST(ApprovalOrder, WhatIsWeaker) {
    struct Row {
        ApprovalPolicy before;
        ApprovalPolicy after;
        bool weaker;
        const char* why;
    };
    const std::vector<Row> rows{
        {{}, {}, false, "nothing before"},
        {{.expires_after = 60'000ms}, {.requires_approval = true}, false, "what asks for nothing has no time to keep"},
        {{.requires_approval = true}, {}, true, "the run"},
        {{}, {.requires_approval = true}, false, "asking for more"},
        {{.requires_approval = true}, {.mode = ApprovalMode::every_node}, true, "a run is asked for before its nodes"},
        {{.mode = ApprovalMode::every_node},
         {.requires_approval = true},
         true,
         "a yes for the run is none for its nodes"},
        {{.mode = ApprovalMode::every_node}, {.mode = ApprovalMode::sensitive_actions}, true, "fewer nodes"},
        {{.mode = ApprovalMode::sensitive_actions}, {.mode = ApprovalMode::on_block}, true, "fewer nodes"},
        {{.mode = ApprovalMode::on_block}, {}, true, "blocked nodes are not asked about"},
        {{.mode = ApprovalMode::on_block},
         {.mode = ApprovalMode::every_node},
         true,
         "a node that fails for good is not asked about"},
        {{.gates = {"launch", "spend"}}, {.gates = {"spend"}}, true, "a gate is missing"},
        {{.gates = {"launch", "spend"}}, {.gates = {"spend", "launch"}}, false, "in another order"},
        {{.gates = {"spend"}}, {.mode = ApprovalMode::sensitive_actions}, false, "the mode covers it"},
        {{.gates = {"launch"}}, {.mode = ApprovalMode::sensitive_actions}, true, "the mode does not cover it"},
        {{.gates = {"launch"}}, {.mode = ApprovalMode::every_node}, false, "the mode covers everything"},
        {{.mode = ApprovalMode::sensitive_actions},
         {.gates = {"publish", "spend", "delete"}},
         true,
         "two actions are missing"},
        {{.mode = ApprovalMode::sensitive_actions},
         {.gates = {"publish", "spend", "delete", "external_message", "schedule_change"}},
         false,
         "all of them one by one"},
        {{.requires_approval = true},
         {.requires_approval = true, .expires_after = 48h},
         true,
         "more time than the usual day"},
        {{.requires_approval = true}, {.requires_approval = true, .expires_after = 1h}, false, "less time"},
        {{.requires_approval = true, .expires_after = 1h},
         {.requires_approval = true},
         true,
         "the usual day is more than an hour"},
    };
    for (const auto& row : rows) EXPECT_EQ(is_weaker(row.after, row.before), row.weaker) << row.why;
}

CompiledPtr schedule(const ApprovalPolicy& approval, std::optional<model::Assignee> assignee = {},
                     const model::WorkflowAssignment* assignment = nullptr) {
    model::Schedule definition{.assignee = std::move(assignee), .approval = approval};
    if (assignment != nullptr) definition.assignment = assignment->id;
    return stand_in(std::move(definition), {}, assignment);
}

TEST(Loosens, AScheduleIsComparedWithItsAssignment) {
    const model::Assignee bo{"agent", "bo"};
    const model::Assignee eve{"agent", "eve"};
    const ApprovalPolicy asks{.requires_approval = true};
    const model::WorkflowAssignment strict{.id = "s", .assignee = bo, .approval = asks};
    const model::WorkflowAssignment loose{.id = "l", .assignee = bo};
    EXPECT_FALSE(loosens(*schedule({}), nullptr, nullptr));
    EXPECT_TRUE(loosens(*schedule({}, bo), nullptr, nullptr)) << "the default for an assignee";
    EXPECT_FALSE(loosens(*schedule(asks, bo), nullptr, nullptr));
    EXPECT_FALSE(loosens(*schedule({}, bo, &strict), nullptr, &strict)) << "the assignment asks";
    EXPECT_FALSE(loosens(*schedule({}, bo, &loose), nullptr, &loose)) << "it was said for bo";
    EXPECT_TRUE(loosens(*schedule({}, eve, &loose), nullptr, &loose)) << "and not for eve";
    const auto assigned = schedule({}, bo, &strict);
    EXPECT_TRUE(loosens(*schedule({}, bo), assigned.get(), nullptr)) << "it leaves the assignment";
    EXPECT_TRUE(loosens(*schedule({}, bo, &loose), assigned.get(), &loose));
    EXPECT_FALSE(loosens(*schedule(asks, bo), assigned.get(), nullptr)) << "it asks on its own";
    const auto trusted = schedule({}, bo);
    EXPECT_FALSE(loosens(*schedule({}, bo), trusted.get(), nullptr));
    EXPECT_TRUE(loosens(*schedule({}, eve), trusted.get(), nullptr));
    EXPECT_FALSE(loosens(*schedule({}), trusted.get(), nullptr));
}

TEST(Loosens, AWorkflowByItsPolicyAndByTheActionsOfItsNodes) {
    const auto workflow = [](ApprovalPolicy approval, const std::string& action) {
        return model::Workflow{.nodes = {{.id = "a", .action = action}}, .approval = std::move(approval)};
    };
    const auto gated = workflow({.gates = {"publish"}}, "publish");
    EXPECT_FALSE(loosens(gated, gated));
    EXPECT_TRUE(loosens(workflow({}, "publish"), gated));
    EXPECT_TRUE(loosens(workflow({.gates = {"publish"}}, "look"), gated)) << "the node does not wait any more";
    EXPECT_FALSE(loosens(workflow({.gates = {"publish", "look"}}, "look"), gated));
    EXPECT_FALSE(loosens(gated, workflow({}, "look")));
    auto renamed = gated;
    renamed.nodes[0].id = "b";
    EXPECT_TRUE(loosens(renamed, gated)) << "removed, it could come back without its action";
    auto another = gated;
    another.nodes[0].task_kind = "mail";
    EXPECT_TRUE(loosens(another, gated)) << "what it did may be done by a node that does not wait";
    auto every = renamed;
    every.approval.mode = model::ApprovalMode::every_node;
    EXPECT_FALSE(loosens(every, gated)) << "every node waits, whatever it is called";
}

}  // namespace
}  // namespace belfry::decide
