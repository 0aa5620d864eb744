// A run keeps what it was decided by: target, workflow, policies and names, whatever becomes of its schedule.
#include "walk_contract.hpp"

namespace belfry::store {
namespace {

class RunDefinitionContract : public WorkflowRunContract {
protected:
    void change(const test::Edit& edit, Instant now = kTen) {
        const auto changed = test::update(*store, ref_of(schedule), now, edit);
        ASSERT_TRUE(changed) << changed.error().message;
    }
    Result<Plan> approve(const std::string& run_id, Instant now) {
        return store->change(ref_of(schedule), {.now = now, .run = run_id}, [&](const Facts& facts) {
            return decide::plan_approval(facts, {.approved = true}, now, {.principal = "ada"});
        });
    }
    std::string only_run() { return runs(schedule).front().id; }
};
INSTANTIATE_TEST_SUITE_P(Every, RunDefinitionContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(RunDefinitionContract, ARunIsRetriedAsOftenAsItsOwnDefinitionSays) {
    schedule = create([](auto& s) { s.retry = {.max_retries = 1, .backoff = 1000ms}; });
    tick(kTen);
    const auto task = claim_one(kTen);
    change([](auto& s) { s.retry.max_retries = 0; });
    reopen();
    complete(task, kTen + 1s, test::failed());
    EXPECT_EQ(status(task.run_id), ExecutionStatus::queued) << "the retry that it was decided with";
    change([](auto& s) { s.retry.max_retries = 5; }, kTen + 2s);
    complete(claim_one(kTen + 1min), kTen + 1min, test::failed());
    EXPECT_EQ(status(task.run_id), ExecutionStatus::failed) << "and no other one";
}

TEST_P(RunDefinitionContract, ARunFallsBackAsItsOwnDefinitionSays) {
    schedule = create([](auto& s) { s.failure = {FailureMode::fallback, "deputy"}; });
    tick(kTen);
    const auto task = claim_one(kTen);
    change([](auto& s) { s.failure = {}; });
    complete(task, kTen + 1s, test::failed());
    ASSERT_EQ(claim_from("default", "deputy", kTen + 1min).size(), 1U);
}

TEST_P(RunDefinitionContract, ANodeFailsAndQueuesAsTheDefinitionOfItsRunSays) {
    const auto id = begin([](auto& s) {
        s.retry = {.max_retries = 1, .backoff = 1000ms};
        s.failure.mode = FailureMode::halt;
    });
    change([](auto& s) {
        s.retry.max_retries = 0;
        s.failure.mode = FailureMode::isolate;
        s.assignee = model::Assignee{"agent", "newcomer"};
    });
    end("a", kTen + 1min, test::failed());
    EXPECT_EQ(nodes(id), (test::Lines{"a queued"})) << "one retry";
    end("a", kTen + 2min, test::succeeded(test::json(R"({"rows":[1,2]})")));
    EXPECT_EQ(claim(kTen + 3min).size(), 2U) << "b and c are not the new assignee's";
}

TEST_P(RunDefinitionContract, AnApprovalStartsTheTaskThatWaited) {
    schedule = create([](auto& s) {
        s.approval.requires_approval = true;
        s.target.kind = "report";
        s.target.queue = "reports";
        s.target.input = test::json(R"({"harmless":true})");
    });
    tick(kTen);
    change([](auto& s) {
        s.target.kind = "drop-database";
        s.target.queue = "default";
        s.target.input = test::json(R"({"harmless":false})");
        s.approval.requires_approval = false;
    });
    reopen();
    ASSERT_TRUE(approve(only_run(), kTen + 1min));
    EXPECT_TRUE(claim(kTen + 1min).empty());
    const auto tasks = claim_from("reports", {}, kTen + 1min);
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_EQ(tasks.front().task_kind, "report");
    EXPECT_EQ(tasks.front().input, test::json(R"({"harmless":true})"));
}

TEST_P(RunDefinitionContract, AnApprovalStartsTheVersionOfTheWorkflowThatWaited) {
    deploy();
    schedule = create_walking([](auto& s) { s.approval.requires_approval = true; });
    tick(kTen);
    const auto id = only_run();
    EXPECT_EQ(store->approvals_of("default", {&id, 1}).value().front().workflow_version, 1);
    deploy([](auto& w) { w.nodes[0].action = "delete"; });
    reopen();
    ASSERT_TRUE(approve(id, kTen + 1min));
    EXPECT_EQ(workflow_run(id).workflow->version, 1);
    EXPECT_EQ(claim_one(kTen + 1min).action, "");
}

TEST_P(RunDefinitionContract, AnApprovalStartsTheWorkflowThatWaitedWhenTheTargetIsAnotherOneNow) {
    deploy();
    deploy([](auto& w) { w.name = "other"; });
    schedule = create_walking([](auto& s) {
        s.approval.requires_approval = true;
        s.target.priority = 7;
    });
    tick(kTen);
    const auto id = only_run();
    change([](auto& s) {
        s.target.kind = "other";
        s.target.priority = 0;
    });
    ASSERT_TRUE(approve(id, kTen + 1min));
    EXPECT_EQ(workflow_run(id).workflow->name, test::diamond().name);
}

TEST_P(RunDefinitionContract, ATaskThatWaitedStaysOneWhenAWorkflowOfItsNameIsDeployed) {
    schedule = create_walking([](auto& s) { s.approval.requires_approval = true; });
    tick(kTen);
    const auto id = only_run();
    deploy();
    ASSERT_TRUE(approve(id, kTen + 1min));
    EXPECT_EQ(workflow_run(id).workflow, nullptr);
    EXPECT_EQ(claim_one(kTen + 1min).node, "");
}

TEST_P(RunDefinitionContract, AVersionOfAWorkflowThatARunWaitsForIsKept) {
    deploy();
    schedule = create_walking([](auto& s) { s.approval.requires_approval = true; });
    tick(kTen);
    const auto id = only_run();
    deploy();
    deploy();
    const auto pruned = store->prune_workflows(std::numeric_limits<std::int64_t>::min(), 1, 100);
    ASSERT_TRUE(pruned) << pruned.error().message;
    EXPECT_EQ(pruned->removed, 1) << "the second";
    ASSERT_TRUE(approve(id, kTen + 1min));
    EXPECT_EQ(workflow_run(id).workflow->version, 1);
}

TEST_P(RunDefinitionContract, EveryVersionOfADefinitionIsRead) {
    schedule = create([](auto& s) { s.name = "before"; });
    tick(kTen);
    change([](auto& s) { s.name = "after"; });
    reopen();
    const std::vector<DefinitionRef> wanted{{schedule.id, 2}, {schedule.id, 1}, {schedule.id, 3}, {test::new_id(), 1}};
    const auto found = store->definitions("default", wanted);
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_EQ(found->size(), 4U);
    EXPECT_EQ(found->at(0)->name, "after");
    EXPECT_EQ(found->at(1)->name, "before");
    EXPECT_EQ(found->at(2), nullptr);
    EXPECT_EQ(found->at(3), nullptr);
    ASSERT_TRUE(store->put_tenant({.name = "other"}));
    EXPECT_EQ(store->definitions("other", wanted).value().at(0), nullptr) << "another tenant has none of it";
}

}  // namespace
}  // namespace belfry::store
