// Workflows: versions that never change, in the order in which they were written.
#include <thread>

#include "store_contract.hpp"

namespace belfry::store {
namespace {

class WorkflowContract : public StoreContract {
protected:
    std::int64_t put(std::int64_t version = 0, const std::string& name = "steps", const std::string& description = {}) {
        const auto written = store->put_workflow(workflow(version, name, description));
        EXPECT_TRUE(written) << written.error().message;
        return written ? *written : 0;
    }
    static model::Workflow workflow(std::int64_t version, const std::string& name = "steps",
                                    const std::string& description = {}) {
        auto workflow = test::diamond();
        workflow.version = version;
        workflow.name = name;
        workflow.description = description;
        return workflow;
    }
    std::vector<std::string> names(const std::string& tenant = "default", std::size_t page = 100) {
        std::vector<std::string> found;
        for (const auto& head : test::all_workflows(*store, tenant, page))
            found.push_back(head.name + " " + std::to_string(head.version));
        return found;
    }
};
INSTANTIATE_TEST_SUITE_P(Every, WorkflowContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(WorkflowContract, IsReadAsItWasWritten) {
    auto written = workflow(0);
    written.description = "a diamond";
    written.queue = "graph";
    written.timeout = 90'000ms;
    written.approval = {true, model::ApprovalMode::sensitive_actions, {"launch"}, 60'000ms};
    written.triggers = test::json(R"([{"name":"nightly","cron":"0 2 * * *"}])");
    auto& node = written.nodes[1];
    node.task_kind = "send";
    node.action = "publish";
    node.timeout = 5'000ms;
    node.queue = "mail";
    node.assignee = "team-a";
    node.retry = model::RetryPolicy{3, 250ms, {model::FailureCategory::timeout}, 4'000ms};
    EXPECT_EQ(store->put_workflow(written).value(), 1);
    reopen();
    written.version = 1;
    const auto read = store->workflow("default", "steps", {});
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(**read, written);
    EXPECT_EQ(**store->workflow("default", "steps", 1), written);
}

TEST_P(WorkflowContract, EveryWriteIsTheNextVersionAndOldOnesStay) {
    EXPECT_EQ(put(1, "steps", "first"), 1);
    EXPECT_EQ(put(2, "steps", "second"), 2);
    EXPECT_EQ(put(0, "steps", "third"), 3) << "0 is whichever comes next";
    EXPECT_EQ((*store->workflow("default", "steps", {}))->description, "third");
    EXPECT_EQ((*store->workflow("default", "steps", 1))->description, "first");
    EXPECT_EQ((*store->workflow("default", "steps", 2))->description, "second");
    for (const std::int64_t other : {-1, 4, 5})
        EXPECT_EQ(code_of(store->workflow("default", "steps", other)), ErrorCode::not_found) << other;
}

TEST_P(WorkflowContract, AnotherVersionThanTheNextIsAConflictAndChangesNothing) {
    EXPECT_EQ(code_of(store->put_workflow(workflow(2))), ErrorCode::conflict) << "there is none yet";
    EXPECT_EQ(code_of(store->workflow("default", "steps", {})), ErrorCode::not_found);
    put();
    for (const std::int64_t version : {1, 3, 7}) {
        EXPECT_EQ(code_of(store->put_workflow(workflow(version, "steps", "wrong"))), ErrorCode::conflict) << version;
    }
    EXPECT_EQ((*store->workflow("default", "steps", {}))->description, "");
    EXPECT_EQ(names(), (std::vector<std::string>{"steps 1"}));
}

TEST_P(WorkflowContract, ARemovedOneIsFoundNoMoreAndALaterVersionCountsOn) {
    put();
    put();
    ASSERT_TRUE(store->remove_workflow("default", "steps", kNine));
    EXPECT_EQ(code_of(store->workflow("default", "steps", {})), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->workflow("default", "steps", 1)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->remove_workflow("default", "steps", kNine)), ErrorCode::not_found) << "it is gone already";
    EXPECT_EQ(names(), (std::vector<std::string>{}));
    EXPECT_EQ(code_of(store->put_workflow(workflow(1))), ErrorCode::conflict);
    EXPECT_EQ(put(3, "steps", "back"), 3);
    EXPECT_EQ((*store->workflow("default", "steps", {}))->description, "back");
    EXPECT_TRUE(store->workflow("default", "steps", 1)) << "its past is back, too";
}

TEST_P(WorkflowContract, ACheckSeesTheNewestVersionAndWhatItRefusesIsNotWritten) {
    std::vector<std::string> seen;
    const auto check = [&seen](const model::Workflow& newest) -> std::optional<Error> {
        seen.push_back(newest.description);
        return newest.description == "strict" ? std::optional(Error{ErrorCode::forbidden, "no"}) : std::nullopt;
    };
    EXPECT_TRUE(store->put_workflow(workflow(0, "steps", "first"), check));
    EXPECT_EQ(store->put_workflow(workflow(0, "steps", "strict"), check).value(), 2);
    EXPECT_EQ(code_of(store->put_workflow(workflow(0, "steps", "loose"), check)), ErrorCode::forbidden);
    EXPECT_EQ((*store->workflow("default", "steps", {}))->version, 2);
    ASSERT_TRUE(store->remove_workflow("default", "steps", kTen));
    EXPECT_EQ(code_of(store->put_workflow(workflow(0, "steps", "loose"), check)), ErrorCode::forbidden)
        << "also of one that was removed";
    EXPECT_EQ(code_of(store->workflow("default", "steps", {})), ErrorCode::not_found);
    EXPECT_EQ(seen, (std::vector<std::string>{"first", "strict", "strict"}));
}

TEST_P(WorkflowContract, APlanThatGetsAroundItsApprovalIsRefused) {
    auto strict = workflow(0);
    strict.approval.requires_approval = true;
    ASSERT_TRUE(store->put_workflow(strict));
    const auto schedule = test::workflow_schedule({});
    ASSERT_TRUE(test::create(*store, {schedule}, kNine));
    const auto refused = store->change(ref_of(schedule), {.now = kTen}, [](const Facts& facts) {
        auto careless = facts;
        auto workflow = *facts.workflow;
        workflow.approval = {};
        careless.workflow = std::make_shared<const model::Workflow>(workflow);
        return decide::plan_trigger(careless, {}, kTen);
    });
    EXPECT_EQ(code_of(refused), ErrorCode::conflict);
    EXPECT_TRUE(runs(schedule).empty());
    tick(kTen);
    ASSERT_EQ(runs(schedule).size(), 1U);
    EXPECT_EQ(runs(schedule).front().execution, model::ExecutionStatus::awaiting_approval);
}

TEST_P(WorkflowContract, BelongsToItsTenant) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    put();
    EXPECT_EQ(code_of(store->workflow("acme", "steps", {})), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->remove_workflow("acme", "steps", kNine)), ErrorCode::not_found);
    EXPECT_EQ(names("acme"), (std::vector<std::string>{}));
    auto theirs = workflow(1, "steps", "theirs");
    theirs.tenant = "acme";
    EXPECT_EQ(store->put_workflow(theirs).value(), 1) << "versions are counted per tenant";
    EXPECT_EQ((*store->workflow("acme", "steps", {}))->description, "theirs");
    EXPECT_EQ((*store->workflow("default", "steps", {}))->description, "");
    theirs.tenant = "nobody";
    EXPECT_EQ(code_of(store->put_workflow(theirs)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->workflow("nobody", "steps", {})), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->workflows("nobody", {})), ErrorCode::not_found);
}

TEST_P(WorkflowContract, AreListedByNameInPages) {
    for (const char* name : {"mail", "a", "Zebra", "steps", "gone", "z"}) put(0, name);
    put(0, "mail");
    ASSERT_TRUE(store->remove_workflow("default", "gone", kNine));
    const std::vector<std::string> all{"Zebra 1", "a 1", "mail 2", "steps 1", "z 1"};
    for (const std::size_t page : {1U, 2U, 3U, 5U, 100U}) EXPECT_EQ(names("default", page), all) << page;
    EXPECT_TRUE(store->workflows("default", {.limit = 5})->next.empty()) << "nothing is left";
}

TEST_P(WorkflowContract, ACursorOfAnotherListIsRefused) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    put(0, "a");
    put(0, "b");
    const auto cursor = store->workflows("default", {.limit = 1})->next;
    ASSERT_FALSE(cursor.empty());
    EXPECT_EQ(code_of(store->workflows("acme", {.after = cursor})), ErrorCode::invalid_argument);
    EXPECT_EQ(code_of(store->dead_letters("default", {.after = cursor})), ErrorCode::invalid_argument);
    EXPECT_EQ(code_of(store->workflows("default", {.after = "nonsense"})), ErrorCode::invalid_argument);
    EXPECT_EQ(store->workflows("default", {.after = cursor})->items, (std::vector<WorkflowHead>{{"b", 1}}));
}

TEST_P(WorkflowContract, OfManyWhoDeployAtOnceEachGetsAVersionOfItsOwn) {
    constexpr int kDeployers = 8;
    std::vector<Result<std::int64_t>> answers(kDeployers, Error{ErrorCode::corrupt, "not asked"});
    std::vector<std::thread> threads;
    for (int i = 0; i < kDeployers; ++i) {
        threads.emplace_back([&, i] {
            const auto mine = world->open();
            answers[static_cast<std::size_t>(i)] = mine->put_workflow(workflow(0, "steps", std::to_string(i)));
        });
    }
    for (auto& thread : threads) thread.join();
    std::set<std::int64_t> versions;
    for (int i = 0; i < kDeployers; ++i) {
        const auto& answer = answers[static_cast<std::size_t>(i)];
        ASSERT_TRUE(answer) << answer.error().message;
        versions.insert(*answer);
        EXPECT_EQ((*store->workflow("default", "steps", *answer))->description, std::to_string(i));
    }
    EXPECT_EQ(versions, (std::set<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

}  // namespace
}  // namespace belfry::store
