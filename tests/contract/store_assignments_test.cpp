// Workflow assignments: kept, named by schedules, and asked with every decision for what they want approved.
#include "decide/schedule/trigger.hpp"
#include "store_contract.hpp"

namespace belfry::store {
namespace {

using model::ApprovalMode;
using model::WorkflowAssignment;

class AssignmentContract : public StoreContract {
protected:
    // Autonomous unless its policy says otherwise.
    WorkflowAssignment put(const std::string& id, model::ApprovalPolicy approval = {}) {
        const auto stored = store->assignment("default", id);
        WorkflowAssignment record{.id = id,
                                  .workflow = "report",
                                  .assignee = {"agent", "bo"},
                                  .approval = std::move(approval),
                                  .created_at = kNine,
                                  .version = stored ? stored->version + 1 : 1};
        const auto done = store->put_assignment("default", record);
        EXPECT_TRUE(done) << done.error().message;
        return record;
    }
    model::Schedule create_on(const std::string& id, const test::Edit& edit = {}) {
        return create([&](model::Schedule& schedule) {
            schedule.assignment = id;
            schedule.overlap.policy = model::OverlapPolicy::allow_all;
            if (edit) edit(schedule);
        });
    }
    ExecutionStatus newest(const model::Schedule& schedule) { return runs(schedule).at(0).execution; }
};
INSTANTIATE_TEST_SUITE_P(Every, AssignmentContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(AssignmentContract, IsKeptAsItWasWritten) {
    WorkflowAssignment record{.id = "a",
                              .workflow = "it's \"quoted\"",
                              .assignee = {"team", "Bo & Co"},
                              .approval = {true, ApprovalMode::sensitive_actions, {"publish", "spend"}, 60'000ms},
                              .retry = {3, 10ms, {model::FailureCategory::timeout}, 20ms},
                              .failure = {model::FailureMode::fallback, "ada"},
                              .queue = {model::OverlapPolicy::buffer_all, 7, -3},
                              .created_at = kNine};
    ASSERT_TRUE(store->put_assignment("default", record));
    EXPECT_EQ(store->assignment("default", "a").value(), record);
    record = {.id = "a", .workflow = "other", .assignee = {"agent", "bo"}, .created_at = kTen, .version = 2};
    ASSERT_TRUE(store->put_assignment("default", record));
    reopen();
    EXPECT_EQ(store->assignment("default", "a").value(), record);
    EXPECT_EQ(code_of(store->put_assignment("default", record)), ErrorCode::conflict) << "somebody else was first";
}

TEST_P(AssignmentContract, BelongsToItsTenant) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    put("a");
    EXPECT_EQ(code_of(store->assignment("acme", "a")), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->remove_assignment("acme", "a")), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->put_assignment("nobody", {.id = "a", .workflow = "w"})), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->assignments("nobody", {})), ErrorCode::not_found);
    EXPECT_EQ(
        code_of(test::create(*store, {task_schedule([](auto& s) { s.tenant = "acme", s.assignment = "a"; })}, kNine)),
        ErrorCode::invalid_argument);
    EXPECT_TRUE(store->remove_assignment("default", "a"));
    EXPECT_EQ(code_of(store->remove_assignment("default", "a")), ErrorCode::not_found);
}

TEST_P(AssignmentContract, AreListedByIdInPages) {
    for (const auto* const id : {"c", "a", "B", "d"}) put(id);
    std::vector<std::string> seen;
    Page page{.limit = 2};
    do {
        const auto listing = store->assignments("default", page).value();
        EXPECT_LE(listing.items.size(), 2U);
        for (const auto& record : listing.items) seen.push_back(record.id);
        page.after = listing.next;
    } while (!page.after.empty());
    EXPECT_EQ(seen, (std::vector<std::string>{"B", "a", "c", "d"}));
    EXPECT_EQ(code_of(store->assignments("default", {"zz"})), ErrorCode::invalid_argument);
}

TEST_P(AssignmentContract, OneThatIsNamedCannotBeRemoved) {
    put("a");
    put("b");
    const auto schedule = create_on("a");
    EXPECT_EQ(code_of(store->remove_assignment("default", "a")), ErrorCode::conflict);
    ASSERT_TRUE(test::pause(*store, ref_of(schedule), kNine));
    EXPECT_EQ(code_of(store->remove_assignment("default", "a")), ErrorCode::conflict) << "it may be resumed";
    ASSERT_TRUE(test::update(*store, ref_of(schedule), kNine, [](auto& s) { s.assignment = "b"; }));
    EXPECT_TRUE(store->remove_assignment("default", "a"));
    EXPECT_EQ(code_of(store->remove_assignment("default", "b")), ErrorCode::conflict);
    ASSERT_TRUE(test::remove(*store, ref_of(schedule), kNine));
    EXPECT_TRUE(store->remove_assignment("default", "b")) << "a deleted one holds nothing";
}

TEST_P(AssignmentContract, NobodyCanNameOneThatIsNotThere) {
    const auto refused = test::create(*store, {task_schedule([](auto& s) { s.assignment = "a"; })}, kNine);
    ASSERT_EQ(code_of(refused), ErrorCode::invalid_argument);
    EXPECT_EQ(refused.error().field, "/workflowAssignmentId");
    const auto schedule = create();
    const auto changed = test::update(*store, ref_of(schedule), kNine, [](auto& s) { s.assignment = "a"; });
    ASSERT_EQ(code_of(changed), ErrorCode::invalid_argument);
    EXPECT_EQ(changed.error().field, "/workflowAssignmentId");
    EXPECT_EQ(record(schedule).definition.assignment, "");
}

TEST_P(AssignmentContract, WhatItWantsApprovedHoldsFromTheNextDecisionOn) {
    put("a");
    const auto schedule = create_on("a");
    tick(kTen);
    EXPECT_EQ(newest(schedule), ExecutionStatus::queued) << "nobody wants anything";
    put("a", {.requires_approval = true, .expires_after = 3'600'000ms});
    tick(kTen + 1h);
    EXPECT_EQ(newest(schedule), ExecutionStatus::awaiting_approval);
    const auto asked = store->approvals({"default"}, {}).value().items;
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked.front().expires_at, kTen + 2h) << "as long as the assignment says";
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen + 90min));
    EXPECT_EQ(newest(schedule), ExecutionStatus::awaiting_approval) << "a trigger, too";
    reopen();
    put("a", {.mode = ApprovalMode::on_block});
    tick(kTen + 2h);
    EXPECT_EQ(newest(schedule), ExecutionStatus::queued);
    EXPECT_EQ(store->approvals({"default"}, {}).value().items.size(), 2U) << "what waits goes on waiting";
}

TEST_P(AssignmentContract, NoVersionOfItsScheduleGetsAroundIt) {
    put("a", {.requires_approval = true});
    const auto schedule = create_on("a");
    ASSERT_TRUE(
        test::update(*store, ref_of(schedule), kNine, [](auto& s) { s.approval = {}, s.description = "changed"; }));
    tick(kTen);
    EXPECT_EQ(newest(schedule), ExecutionStatus::awaiting_approval);
}

TEST_P(AssignmentContract, APlanThatGetsAroundItIsRefused) {
    put("a", {.requires_approval = true});
    const auto schedule = create_on("a");
    const auto refused = store->change(ref_of(schedule), {.now = kTen}, [](const Facts& facts) {
        auto plan = decide::plan_trigger(facts, {}, kTen);
        EXPECT_TRUE(plan);
        plan->asks.clear();
        plan->runs.at(0).execution = ExecutionStatus::queued;
        return plan;
    });
    EXPECT_EQ(code_of(refused), ErrorCode::conflict);
    EXPECT_TRUE(runs(schedule).empty());
}

// Runs in flight of a schedule that was deleted outlive its assignment: then everything waits.
TEST_P(AssignmentContract, WithoutItsRecordEverythingIsToBeApproved) {
    put("a");
    const auto schedule = create_on("a");
    tick(kTen);
    ASSERT_TRUE(test::remove(*store, ref_of(schedule), kTen));
    ASSERT_TRUE(store->remove_assignment("default", "a"));
    const auto looked = store->change(ref_of(schedule), {.now = kTen}, [](const Facts& facts) {
        EXPECT_EQ(facts.schedule->approval,
                  (model::ApprovalPolicy{.requires_approval = true, .mode = ApprovalMode::every_node}));
        Plan nothing{
            .schedule_id = facts.schedule->definition.id, .revision = facts.state.revision, .decided_at = kTen};
        nothing.state = facts.state;
        return Result<Plan>(std::move(nothing));
    });
    EXPECT_TRUE(looked);
}

}  // namespace
}  // namespace belfry::store
