// Runs that walk a workflow: their nodes are tasks of their own, and the run goes on until the last of them is over.
#include <mutex>
#include <thread>

#include "support/worlds/waiting.hpp"
#include "walk_contract.hpp"

namespace belfry::store {
namespace {

INSTANTIATE_TEST_SUITE_P(Every, WorkflowRunContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(WorkflowRunContract, ARunBeginsWithTheNodesThatDependOnNothing) {
    const auto id = begin();
    EXPECT_EQ(status(id), ExecutionStatus::queued);
    const auto found = workflow_run(id);
    ASSERT_TRUE(found.workflow);
    EXPECT_EQ(found.workflow->version, 1);
    EXPECT_EQ(found.deadline, kTen + decide::RunCaps{}.timeout);
    EXPECT_EQ(nodes(id), (test::Lines{"a queued"}));
    EXPECT_EQ(told(id), (test::Lines{})) << "nothing has happened that the run does not tell";
    EXPECT_EQ(found.events, 1);
}

TEST_P(WorkflowRunContract, AClaimTellsTheWorkerEverythingOfTheNode) {
    const auto id = begin([](auto& s) { s.target.priority = 4; },
                          [](auto& w) {
                              w.nodes[0].task_kind = "fetch";
                              w.nodes[0].action = "publish";
                              w.nodes[0].timeout = 10'000ms;
                          });
    const auto task = claim_one(kTen + 5s);
    const model::RunSlot slot{model::RunCause::tick, kTen};
    model::Task expected;
    expected.run_id = id;
    expected.schedule_id = schedule.id;
    expected.tenant = "default";
    expected.schedule_name = "report";
    expected.idempotency_key = model::idempotency_key(schedule.id, slot) + ":a";
    expected.instance_id = model::instance_id("report", slot);
    expected.target = schedule.target;
    expected.node = "a";
    expected.task_kind = "fetch";
    expected.action = "publish";
    expected.workflow_version = 1;
    expected.input = test::json(R"({"audience":"all"})");
    expected.slot = slot;
    expected.attempt = 1;
    expected.lease_until = kTen + 15s;
    expected.timeout = 10'000ms;
    expected.ready_at = kTen;
    expected.queue = "default";
    ASSERT_TRUE(task.workflow);
    EXPECT_EQ(task.workflow->version, 1);
    EXPECT_NE(task.workflow->find("a"), nullptr);
    expected.workflow = task.workflow;  // which is shared
    EXPECT_EQ(task, expected);
    EXPECT_EQ(nodes(id), (test::Lines{"a running"}));
    const auto row = run(id);
    EXPECT_EQ(row.execution, ExecutionStatus::running);
    EXPECT_EQ(row.started_at, kTen + 5s);
    EXPECT_EQ(told(id), (test::Lines{"2 run.started", "3 node.started a"}));
}

TEST_P(WorkflowRunContract, NodesFollowEachOtherAndTheRunStaysRunningInBetween) {
    const auto id = begin();
    end("a", kTen + 1s, test::succeeded(test::json(R"({"rows":[1,2]})")));
    EXPECT_EQ(status(id), ExecutionStatus::running) << "between two nodes";
    EXPECT_EQ(nodes(id), (test::Lines{"a succeeded", "b queued", "c queued"}));
    reopen();
    const auto both = claim(kTen + 2s);
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[0].node, "b");
    EXPECT_EQ(both[0].input, test::json(R"({"from":[1,2]})")) << "what came out of a";
    complete(both[1], kTen + 3s, test::succeeded(test::json(R"("C")")));
    EXPECT_EQ(nodes(id), (test::Lines{"a succeeded", "b running", "c succeeded"})) << "d waits for both";
    EXPECT_TRUE(claim(kTen + 3s).empty());
    complete(both[0], kTen + 4s, test::succeeded(test::json("7")));
    const auto last = claim_one(kTen + 5s);
    EXPECT_EQ(last.node, "d");
    EXPECT_EQ(last.input, test::json(R"({"b":7,"c":"C"})"));
    EXPECT_EQ(state(schedule).in_flight, 1);
    complete(last, kTen + 6s, test::succeeded(test::json(R"({"done":true})")));

    const auto over = run(id);
    EXPECT_EQ(over.execution, ExecutionStatus::succeeded);
    EXPECT_EQ(over.result, test::json(R"({"done":true})")) << "of the last node";
    EXPECT_EQ(over.started_at, kTen + 1s);
    EXPECT_EQ(over.completed_at, kTen + 6s);
    EXPECT_EQ(state(schedule).in_flight, 0);
    EXPECT_FALSE(workflow_run(id).deadline);
    EXPECT_EQ(nodes(id), (test::Lines{"a succeeded", "b succeeded", "c succeeded", "d succeeded"}));
    EXPECT_EQ(told(id), (test::Lines{"2 run.started", "3 node.started a", "4 node.succeeded a", "5 node.ready b",
                                     "6 node.ready c", "7 node.started b", "8 node.started c", "9 node.succeeded c",
                                     "10 node.succeeded b", "11 node.ready d", "12 node.started d",
                                     "13 node.succeeded d", "14 run.succeeded"}));
    EXPECT_EQ(workflow_run(id).events, 14);
    const auto page = store->run_events("default", id, 4, 3).value();
    ASSERT_EQ(page.size(), 3U);
    EXPECT_EQ(page.front().sequence, 5);
}

TEST_P(WorkflowRunContract, TwoNodesOfOneRunEndInOneCall) {
    const auto id = begin();
    end("a", kTen, test::succeeded(test::json(R"({"rows":1})")));
    const auto both = claim(kTen);
    ASSERT_EQ(both.size(), 2U);
    const auto done = test::complete(
        *store,
        std::vector<AttemptReport>{{lease_of(both[0]), test::succeeded()}, {lease_of(both[1]), test::succeeded()}},
        kTen);
    ASSERT_TRUE(done) << done.error().message;
    for (const auto& each : *done) EXPECT_TRUE(each) << each.error().message;
    EXPECT_EQ(claim_one(kTen).node, "d");
}

TEST_P(WorkflowRunContract, AFailedNodeIsTriedAgainAsItsPolicySays) {
    const auto id = begin({}, [](auto& w) { w.nodes[0].retry = model::RetryPolicy{1, 1000ms, {}, {}}; });
    end("a", kTen, test::failed("once"));
    EXPECT_EQ(status(id), ExecutionStatus::running);
    const auto waiting = workflow_run(id).nodes.front();
    EXPECT_EQ(waiting.status, NodeStatus::queued);
    EXPECT_EQ(waiting.attempts, 1);
    EXPECT_EQ(waiting.error, "once");
    EXPECT_GE(waiting.ready_at, kTen + 1s);
    EXPECT_TRUE(claim(kTen).empty()) << "later";
    const auto again = claim_one(waiting.ready_at);
    EXPECT_EQ(again.attempt, 2);
    EXPECT_EQ(again.input, test::json(R"({"audience":"all"})"));
    complete(again, waiting.ready_at, test::failed("twice"));
    EXPECT_EQ(status(id), ExecutionStatus::failed);
    EXPECT_EQ(run(id).error, "node a: twice");
    EXPECT_EQ(nodes(id), (test::Lines{"a failed", "b skipped", "c skipped", "d skipped"}));
    EXPECT_EQ(state(schedule).consecutive_failures, 1);
    EXPECT_EQ(test::all_dead_letters(*store, "default").size(), 1U);
}

TEST_P(WorkflowRunContract, ANodeThatFailsSkipsWhatDependsOnItAndTheRestGoesOn) {
    const auto id = begin();
    end("a", kTen, test::succeeded(test::json(R"({"rows":1})")));
    const auto both = claim(kTen);
    complete(both[0], kTen, test::failed());
    EXPECT_EQ(nodes(id), (test::Lines{"a succeeded", "b failed", "c running", "d skipped"}));
    EXPECT_EQ(status(id), ExecutionStatus::running);
    complete(both[1], kTen + 1s);
    EXPECT_EQ(status(id), ExecutionStatus::failed);
    EXPECT_EQ(run(id).completed_at, kTen + 1s);
}

TEST_P(WorkflowRunContract, AReferenceThatLeadsNowhereFailsTheNode) {
    const auto id = begin();
    end("a", kTen, test::succeeded(test::json(R"({"no rows":1})")));
    EXPECT_EQ(nodes(id), (test::Lines{"a succeeded", "b failed", "c queued", "d skipped"}));
    end("c", kTen + 1s);
    EXPECT_EQ(status(id), ExecutionStatus::failed);
}

TEST_P(WorkflowRunContract, HaltEndsTheRunAtOnceAndRefusesTheOthers) {
    const auto id = begin([](auto& s) { s.failure.mode = FailureMode::halt; });
    end("a", kTen, test::succeeded(test::json(R"({"rows":1})")));
    const auto both = claim(kTen);
    complete(both[0], kTen + 1s, test::failed());
    EXPECT_EQ(status(id), ExecutionStatus::failed);
    EXPECT_EQ(nodes(id), (test::Lines{"a succeeded", "b failed", "c cancelled"}));
    EXPECT_EQ(code_of(test::complete(*store, {lease_of(both[1]), test::succeeded()}, kTen + 2s)), ErrorCode::conflict);
    EXPECT_TRUE(store->heartbeat(std::vector{lease_of(both[1])}, kTen, kTen + 5min)->empty());
    EXPECT_TRUE(store->expired(kInstantMax, 10)->empty()) << "no lease is left";
    EXPECT_EQ(told(id).back(), "10 run.failed");
}

TEST_P(WorkflowRunContract, HaltTakesTheReadyNodesAway) {
    const auto id = begin([](auto& s) { s.failure.mode = FailureMode::halt; });
    end("a", kTen, test::succeeded(test::json(R"({"rows":1})")));
    const auto b = claim(kTen, 1).front();
    complete(b, kTen + 1s, test::failed());
    EXPECT_EQ(nodes(id), (test::Lines{"a succeeded", "b failed", "c cancelled"}));
    EXPECT_TRUE(claim(kTen + 1h).empty());
}

TEST_P(WorkflowRunContract, FallbackHandsANodeToAnotherLaneOnce) {
    const auto id = begin([](auto& s) {
        s.assignee = model::Assignee{"team", "first"};
        s.failure = {FailureMode::fallback, "second"};
        s.retry.max_retries = 1;
        s.retry.backoff = 1ms;
    });
    EXPECT_TRUE(claim(kTen).empty()) << "it is for its assignee alone";
    end("a", kTen, test::failed(), "first");
    end("a", kTen + 1s, test::failed(), "first");
    EXPECT_TRUE(claim_from("default", "first", kTen + 1h).empty());
    const auto task = claim_from("default", "second", kTen + 2s);
    ASSERT_EQ(task.size(), 1U);
    EXPECT_EQ(task.front().attempt, 3) << "the token goes on";
    EXPECT_EQ(task.front().assignee, "second");
    complete(task.front(), kTen + 2s, test::failed());
    end("a", kTen + 3s, test::failed(), "second");
    EXPECT_EQ(status(id), ExecutionStatus::failed) << "there is no third";
    EXPECT_EQ(workflow_run(id).nodes.front().attempts, 4);
}

TEST_P(WorkflowRunContract, FallbackHandsTheOnlyTaskOfARunToAnotherLaneOnce) {
    const auto plain = create([](auto& s) {
        s.assignee = model::Assignee{"team", "first"};
        s.failure = {FailureMode::fallback, "second"};
        s.retry.timeout = 20'000ms;
    });
    tick(kTen);
    const auto id = runs(plain).front().id;
    end("", kTen, test::failed("one"), "first");
    EXPECT_EQ(status(id), ExecutionStatus::queued);
    EXPECT_EQ(run(id).attempts, 1);
    EXPECT_EQ(run(id).error, "one");
    EXPECT_EQ(nodes(id), (test::Lines{" queued"}));
    EXPECT_TRUE(claim_from("default", "first", kTen + 1h).empty());
    const auto tasks = claim_from("default", "second", kTen + 1s);
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_EQ(tasks.front().attempt, 2);
    EXPECT_EQ(tasks.front().assignee, "second");
    EXPECT_EQ(tasks.front().lease_until, kTen + 21s);
    EXPECT_EQ(status(id), ExecutionStatus::running);
    EXPECT_EQ(nodes(id), (test::Lines{" running"}));
    complete(tasks.front(), kTen + 2s, test::succeeded(test::json("1")));
    EXPECT_EQ(status(id), ExecutionStatus::succeeded);
    EXPECT_EQ(nodes(id), (test::Lines{" succeeded"}));
    EXPECT_EQ(run(id).attempts, 2);
    EXPECT_EQ(told(id), (test::Lines{"3 node.failed"})) << "the number of the attempt and two";
    EXPECT_EQ(state(plain).in_flight, 0);
}

TEST_P(WorkflowRunContract, TheFallbackOfATaskIsTriedAgainInItsOwnLane) {
    const auto plain = create([](auto& s) {
        s.failure = {FailureMode::fallback, "second"};
        s.retry = {1, 1ms, {}, {}};
    });
    tick(kTen);
    const auto id = runs(plain).front().id;
    end("", kTen, test::failed());
    end("", kTen + 1s, test::failed());
    end("", kTen + 2s, test::failed(), "second");
    EXPECT_EQ(status(id), ExecutionStatus::queued);
    EXPECT_TRUE(claim(kTen + 1h).empty());
    end("", kTen + 3s, test::failed("the last"), "second");
    EXPECT_EQ(status(id), ExecutionStatus::failed);
    EXPECT_EQ(run(id).attempts, 4);
    EXPECT_EQ(told(id), (test::Lines{"3 node.failed", "4 node.failed", "5 node.failed"}));
    EXPECT_EQ(nodes(id), (test::Lines{" failed"}));
}

TEST_P(WorkflowRunContract, ALeaseEndsAtItsDeadlineHoweverOftenItIsProlonged) {
    const auto id = begin([](auto& s) { s.retry.timeout = 60'000ms; });
    const auto task = claim_one(kTen);
    EXPECT_EQ(task.lease_until, kTen + 30s);
    for (const auto until : {kTen + 50s, kTen + 10min, kTen + 1h}) {
        EXPECT_EQ(store->heartbeat(std::vector{lease_of(task)}, kTen + 20s, until)->size(), 1U);
        const auto lease = store->expired(kInstantMax, 10)->front();
        EXPECT_EQ(lease.until, std::min(until, kTen + 60s));
        EXPECT_EQ(lease.deadline, kTen + 60s);
        EXPECT_EQ(lease.ref, lease_of(task));
    }
    EXPECT_TRUE(store->expired(kTen + 60s, 10)->empty());
    ASSERT_EQ(store->expired(kTen + 61s, 10)->size(), 1U);
    ASSERT_TRUE(test::complete(*store, test::reaped(lease_of(task), kTen + 61s), kTen + 61s));
    EXPECT_EQ(nodes(id), (test::Lines{"a timed_out", "b skipped", "c skipped", "d skipped"}));
    EXPECT_EQ(status(id), ExecutionStatus::timed_out);
}

TEST_P(WorkflowRunContract, ALongLeaseOfATaskEndsAtItsTimeoutToo) {
    create([](auto& s) { s.retry.timeout = 10'000ms; });
    tick(kTen);
    const auto task = claim_one(kTen);
    EXPECT_EQ(task.lease_until, kTen + 10s);
    EXPECT_EQ(store->expired(kTen + 11s, 10)->size(), 1U);
}

TEST_P(WorkflowRunContract, AStaleTokenOfANodeIsRefused) {
    const auto id = begin([](auto& s) { s.retry = {3, 1ms, {}, {}}; });
    const auto first = claim_one(kTen);
    ASSERT_TRUE(test::complete(*store, test::reaped(lease_of(first), kTen + 1min), kTen + 1min));
    const auto second = claim_one(kTen + 2min);
    EXPECT_EQ(second.attempt, 2);
    EXPECT_EQ(code_of(test::complete(*store, {lease_of(first), test::succeeded()}, kTen + 2min)), ErrorCode::conflict);
    EXPECT_TRUE(store->heartbeat(std::vector{lease_of(first)}, kTen, kTen + 1h)->empty());
    auto other = lease_of(second);
    other.node = "b";
    EXPECT_EQ(code_of(test::complete(*store, {other, test::succeeded()}, kTen + 2min)), ErrorCode::conflict)
        << "the token of another node";
    other.node = "";
    EXPECT_EQ(code_of(test::complete(*store, {other, test::succeeded()}, kTen + 2min)), ErrorCode::conflict);
    EXPECT_EQ(nodes(id), (test::Lines{"a running"}));
    complete(second, kTen + 2min, test::succeeded(test::json(R"({"rows":1})")));
}

TEST_P(WorkflowRunContract, ARunThatTakesTooLongIsOverdueUntilItEnds) {
    const auto id = begin({}, [](auto& w) { w.timeout = 60'000ms; });
    EXPECT_TRUE(store->overdue(kTen + 60s, 10)->empty());
    const std::vector<OverdueRun> late{{"default", id, kTen + 60s}};
    EXPECT_EQ(*store->overdue(kTen + 61s, 10), late);
    claim_one(kTen);
    EXPECT_EQ(*store->overdue(kTen + 61s, 10), late) << "also while somebody works on it";
    EXPECT_TRUE(store->overdue(kTen + 61s, 0)->empty());
    ASSERT_TRUE(test::cancel(*store, ref_of(schedule), id, kTen + 61s));
    EXPECT_TRUE(store->overdue(kInstantMax, 10)->empty());
}

TEST_P(WorkflowRunContract, TheEndOfARunEndsAllItsLeases) {
    const auto id = begin();
    end("a", kTen, test::succeeded(test::json(R"({"rows":1})")));
    const auto both = claim(kTen);
    ASSERT_EQ(both.size(), 2U);
    ASSERT_TRUE(test::cancel(*store, ref_of(schedule), id, kTen + 1s));
    EXPECT_TRUE(store->expired(kInstantMax, 10)->empty());
    EXPECT_EQ(nodes(id), (test::Lines{"a succeeded", "b cancelled", "c cancelled"}));
    for (const auto& task : both) {
        EXPECT_EQ(code_of(test::complete(*store, {lease_of(task), test::succeeded()}, kTen + 2s)), ErrorCode::conflict)
            << task.node;
    }
    EXPECT_EQ(status(id), ExecutionStatus::cancelled);
    EXPECT_EQ(told(id).back(), "9 run.cancelled");
    EXPECT_EQ(state(schedule).in_flight, 0);
}

TEST_P(WorkflowRunContract, ARunKeepsTheVersionThatItBeganWith) {
    const auto id = begin();
    deploy([](auto& w) { w.nodes.resize(1); });
    end("a", kTen, test::succeeded(test::json(R"({"rows":1})")));
    EXPECT_EQ(nodes(id), (test::Lines{"a succeeded", "b queued", "c queued"}));
    EXPECT_EQ(workflow_run(id).workflow->version, 1);
    ASSERT_TRUE(test::cancel(*store, ref_of(schedule), id, kTen + 1s));
    tick(kTen + 1h);
    const auto next = runs(schedule).front().id;
    EXPECT_EQ(workflow_run(next).workflow->version, 2) << "the next one takes the newest";
    end("a", kTen + 1h);
    EXPECT_EQ(status(next), ExecutionStatus::succeeded);
}

TEST_P(WorkflowRunContract, ATargetMayNameItsVersion) {
    deploy();
    deploy([](auto& w) { w.nodes.resize(1); });
    const auto pinned = create_walking([](auto& s) { s.target.version = 1; });
    tick(kTen);
    EXPECT_EQ(workflow_run(runs(pinned).front().id).workflow->version, 1);
}

TEST_P(WorkflowRunContract, AVersionThatIsNotThereIsSkipped) {
    deploy();
    const auto pinned = create_walking([](auto& s) { s.target.version = 9; });
    tick(kTen);
    EXPECT_EQ(run_lines(pinned), (test::Lines{"10:00 skipped validation_failed"}));
}

TEST_P(WorkflowRunContract, ARemovedWorkflowIsSkippedButItsRunsGoOn) {
    const auto id = begin([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    ASSERT_TRUE(store->remove_workflow("default", "steps", kTen + 1s));
    tick(kTen + 1h);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 queued", "11:00 skipped validation_failed"}));
    end("a", kTen + 1h, test::succeeded(test::json(R"({"rows":1})")));
    EXPECT_EQ(nodes(id), (test::Lines{"a succeeded", "b queued", "c queued"}));
    deploy();
    tick(kTen + 2h);
    EXPECT_EQ(run_lines(schedule).back(), "12:00 queued");
}

TEST_P(WorkflowRunContract, AWorkflowThatNobodyDeployedIsOneTaskForAWorkerThatKnowsIt) {
    const auto plain = create_walking();
    tick(kTen);
    const auto task = claim_one(kTen);
    EXPECT_EQ(task.node, "");
    EXPECT_EQ(task.target.kind, "steps");
    EXPECT_FALSE(task.workflow_version);
    complete(task, kTen + 1s);
    EXPECT_EQ(status(task.run_id), ExecutionStatus::succeeded);
    EXPECT_EQ(told(task.run_id), (test::Lines{})) << "what is known of it follows from the run";
    EXPECT_EQ(workflow_run(task.run_id).nodes.size(), 0U);
}

TEST_P(WorkflowRunContract, AnInputThatTheFirstNodesCannotUseIsASkip) {
    deploy();
    const auto wrong = create_walking([](auto& s) { s.target.input = test::json("{}"); });
    tick(kTen);
    EXPECT_EQ(run_lines(wrong), (test::Lines{"10:00 skipped validation_failed"}));
    EXPECT_EQ(state(wrong).in_flight, 0);
    EXPECT_TRUE(claim(kTen).empty());
}

TEST_P(WorkflowRunContract, ApprovalStartsAWalkOfTheVersionThatWaited) {
    const auto id = begin([](auto& s) { s.approval.requires_approval = true; });
    EXPECT_EQ(status(id), ExecutionStatus::awaiting_approval);
    EXPECT_EQ(nodes(id), (test::Lines{}));
    EXPECT_TRUE(claim(kTen).empty());
    deploy([](auto& w) { w.description = "newer"; });
    ASSERT_TRUE(test::judge(*store, ref_of(schedule), id, {true, "fine"}, kTen + 1min));
    EXPECT_EQ(status(id), ExecutionStatus::queued);
    EXPECT_EQ(nodes(id), (test::Lines{"a queued"}));
    EXPECT_EQ(workflow_run(id).workflow->version, 1);
    EXPECT_EQ(workflow_run(id).deadline, kTen + 1min + decide::RunCaps{}.timeout);
    EXPECT_EQ(claim_one(kTen + 1min).node, "a");
}

TEST_P(WorkflowRunContract, ABufferedRunBeginsItsWalkWhenItIsReleased) {
    const auto id =
        begin([](auto& s) { s.overlap.policy = OverlapPolicy::buffer_all; }, [](auto& w) { w.nodes.resize(1); });
    tick(kTen + 1h);
    const auto next = runs(schedule).front().id;
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 queued", "11:00 buffered"}));
    EXPECT_FALSE(workflow_run(next).workflow);
    deploy([](auto& w) { w.nodes.resize(1); });
    end("a", kTen + 1h + 1s);
    EXPECT_EQ(status(id), ExecutionStatus::succeeded);
    EXPECT_EQ(status(next), ExecutionStatus::queued);
    EXPECT_EQ(workflow_run(next).workflow->version, 2);
    end("a", kTen + 1h + 2s);
    EXPECT_EQ(status(next), ExecutionStatus::succeeded);
}

TEST_P(WorkflowRunContract, CancelOtherEndsARunThatWalks) {
    const auto id = begin([](auto& s) { s.overlap.policy = OverlapPolicy::cancel_other; });
    const auto task = claim_one(kTen);
    tick(kTen + 1h);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 cancelled", "11:00 queued"}));
    EXPECT_EQ(nodes(id), (test::Lines{"a cancelled"}));
    EXPECT_EQ(code_of(test::complete(*store, {lease_of(task), test::succeeded()}, kTen + 1h)), ErrorCode::conflict);
    EXPECT_EQ(told(id).back(), "4 run.cancelled");
    EXPECT_EQ(store->overdue(kInstantMax, 10)->size(), 1U) << "only the newer one is under way";
}

TEST_P(WorkflowRunContract, ARunThatIsCancelledBeforeItsFirstClaimHasNeverBegun) {
    const auto id = begin();
    ASSERT_TRUE(test::cancel(*store, ref_of(schedule), id, kTen));
    EXPECT_EQ(told(id), (test::Lines{"2 run.cancelled"}));
    EXPECT_FALSE(run(id).started_at);
    EXPECT_TRUE(claim(kTen + 1h).empty());
    EXPECT_EQ(nodes(id), (test::Lines{"a cancelled"}));
}

TEST_P(WorkflowRunContract, AScheduleThatIsGivenATaskInsteadLetsItsRunsWalkToTheirEnd) {
    const auto id = begin();
    const auto task = claim_one(kTen);
    ASSERT_TRUE(
        test::update(*store, ref_of(schedule), kTen + 1s, [](auto& s) { s.target.type = model::TargetType::task; }));
    complete(task, kTen + 2s, test::succeeded(test::json(R"({"rows":1})")));
    for (const auto& each : claim(kTen + 3s)) complete(each, kTen + 3s);
    end("d", kTen + 4s);
    EXPECT_EQ(status(id), ExecutionStatus::succeeded);
    EXPECT_EQ(told(id).back(), "14 run.succeeded");
    EXPECT_TRUE(store->overdue(kInstantMax, 10)->empty()) << "the walk is over, too";
}

TEST_P(WorkflowRunContract, AScheduleThatIsGivenAWorkflowInsteadLetsItsTasksEnd) {
    deploy();
    const auto plain = create([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    tick(kTen);
    const auto task = claim_one(kTen);
    ASSERT_TRUE(test::update(*store, ref_of(plain), kTen + 1s, [](auto& s) {
        s.target.type = model::TargetType::workflow;
        s.target.kind = "steps";
        s.target.input = test::json(R"({"audience":"all"})");
    }));
    complete(task, kTen + 2s);
    EXPECT_EQ(status(task.run_id), ExecutionStatus::succeeded);
    EXPECT_EQ(told(task.run_id), (test::Lines{}));
    tick(kTen + 1h);
    EXPECT_EQ(claim_one(kTen + 1h).node, "a");
}

TEST_P(WorkflowRunContract, PruneForgetsNodesAndEvents) {
    const auto id = begin({}, [](auto& w) { w.nodes.resize(1); });
    end("a", kTen);
    tick(kTen + 1h);
    end("a", kTen + 1h);
    EXPECT_EQ(store->prune(ref_of(schedule), {.keep_newest = 1}, 10).value(), 1);
    EXPECT_EQ(code_of(store->workflow_run("default", id)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->run_events("default", id, 0, 10)), ErrorCode::not_found);
    const auto kept = runs(schedule).front().id;
    EXPECT_EQ(nodes(kept), (test::Lines{"a succeeded"}));
    ASSERT_TRUE(test::remove(*store, ref_of(schedule), kTen + 2h));
    EXPECT_EQ(store->purge(ref_of(schedule), 10).value(), 1);
    EXPECT_EQ(code_of(store->workflow_run("default", kept)), ErrorCode::not_found);
}

TEST_P(WorkflowRunContract, AnotherTenantsRunIsNotFound) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    const auto id = begin();
    EXPECT_EQ(code_of(store->workflow_run("acme", id)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->run_events("acme", id, 0, 10)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->workflow_run("nobody", id)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->workflow_run("default", "nonsense")), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->workflow_run("default", model::run_id(schedule.id, {model::RunCause::tick, kNine}))),
              ErrorCode::not_found);
}

TEST_P(WorkflowRunContract, CountsNameTheQueuesOfNodesAndSumTheirLanes) {
    const auto id = begin({}, [](auto& w) {
        w.queue = "graph";
        w.nodes[1].queue = "mail";
        w.nodes[1].assignee = "one";
        w.nodes[2].queue = "mail";
        w.nodes[2].assignee = "two";
    });
    const auto queues = [this](Instant now) {
        test::Lines lines;
        const auto counts = store->counts(now).value();
        for (const auto& depth : counts.queues) {
            lines.push_back(depth.queue + " " + std::to_string(depth.ready) + " " + std::to_string(depth.delayed) +
                            " " + std::to_string(depth.leased));
        }
        return lines;
    };
    EXPECT_EQ(queues(kTen), (test::Lines{"graph 1 0 0"}));
    const auto a = claim_from("graph", "", kTen);
    ASSERT_EQ(a.size(), 1U);
    EXPECT_EQ(queues(kTen), (test::Lines{"graph 0 0 1"}));
    complete(a.front(), kTen, test::succeeded(test::json(R"({"rows":1})")));
    EXPECT_EQ(queues(kTen), (test::Lines{"mail 2 0 0"}));
    EXPECT_EQ(claim_from("mail", "two", kTen).front().node, "c");
    EXPECT_EQ(queues(kTen), (test::Lines{"mail 1 0 1"}));
    EXPECT_TRUE(claim_from("mail", "", kTen).empty()) << "each lane is its own";
}

TEST_P(WorkflowRunContract, AServersOwnNodesStandInItsOwnQueues) {
    const auto id = begin(
        [](auto& s) {
            s.assignee = model::Assignee{"team", "somebody"};
        },
        [](auto& w) {
            w.nodes.resize(1);
            w.nodes[0].kind = model::NodeKind::http;
            w.nodes[0].input = test::json(R"({"url":"https://example.com"})");
        });
    EXPECT_EQ(store->waiting_lines(std::vector<std::string>{model::kHttpQueue}, {.limit = 100}).value().items,
              (std::vector<QueueLine>{{"default", model::kHttpQueue}}));
    EXPECT_EQ(store->counts(kTen).value().queues,
              (std::vector<QueueDepth>{{.tenant = "default", .queue = model::kHttpQueue, .ready = 1}}));
    const auto queues = store->receiver_queues({.tenant = "default", .now = kTen}).value();
    EXPECT_EQ(queues, (std::vector{model::receiver_queue(test::json(R"({"url":"https://example.com/other"})"))}));
    const auto tasks = claim_from(queues.at(0), "", kTen);
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_TRUE(store->receiver_queues({.tenant = "default", .now = kTen}).value().empty());
    EXPECT_EQ(tasks.front().kind, model::NodeKind::http);
    EXPECT_EQ(tasks.front().assignee, "");
    EXPECT_EQ(nodes(id), (test::Lines{"a running"}));
}

TEST_P(WorkflowRunContract, ARunIsListedOnceWhateverItsNodesDo) {
    const auto id = begin();
    const auto plain = create_named("plain", [](auto& s) { s.target.queue = "other"; });
    tick(kTen);
    const auto other = runs(plain).front().id;
    EXPECT_EQ(ids(RunState::queued).size(), 2U);
    EXPECT_EQ(ids(RunState::running), (std::vector<std::string>{}));
    end("a", kTen, test::succeeded(test::json(R"({"rows":1})")));
    EXPECT_EQ(ids(RunState::running), (std::vector{id})) << "between nodes";
    EXPECT_EQ(ids(RunState::queued), (std::vector{other}));
    claim(kTen);
    EXPECT_EQ(ids(RunState::running), (std::vector{id})) << "two leases, one run";
    const auto page =
        store->runs({.tenant = "default", .schedule_id = schedule.id, .state = RunState::running}, {.limit = 1})
            .value();
    EXPECT_EQ(page.items.size(), 1U);
    EXPECT_TRUE(page.next.empty());
    ASSERT_TRUE(test::cancel(*store, ref_of(schedule), id, kTen + 1s));
    EXPECT_EQ(ids(RunState::running), (std::vector<std::string>{}));
    EXPECT_EQ(ids(RunState::cancelled), (std::vector{id}));
}

TEST_P(WorkflowRunContract, TheNewsNameQueueAssigneeAndTime) {
    std::mutex mutex;
    std::vector<TasksReady> heard;
    const auto id = begin(
        [](auto& s) {
            s.retry = {1, 1000ms, {}, {}};
        },
        [](auto& w) {
            w.nodes[1].queue = "mail";
            w.nodes[1].assignee = "team b";
        });
    store->listen([&](const Notification& news) {
        const std::lock_guard lock(mutex);
        if (const auto* ready = std::get_if<TasksReady>(&news)) heard.push_back(*ready);
    });
    const auto wait_for = [&](const TasksReady& wanted) {
        return test::within_a_minute([&] {
            const std::lock_guard lock(mutex);
            return std::ranges::find(heard, wanted) != heard.end();
        });
    };
    end("a", kTen, test::failed());
    EXPECT_TRUE(wait_for({"default", "default", "", workflow_run(id).nodes.front().ready_at}));
    end("a", kTen + 1h, test::succeeded(test::json(R"({"rows":1})")));
    EXPECT_TRUE(wait_for({"default", "mail", "team b", {}}));
    EXPECT_TRUE(wait_for({"default", "default", "", {}}));
    store->listen({});
}

TEST_P(WorkflowRunContract, AClaimThatHasNoRoomForANodeLeavesItReady) {
    // b and c are ready together; each input is counted with the definition of the schedule.
    const auto large = test::json(R"({"text": ")" + std::string(20'000, 'x') + "\"}");
    const auto id = begin({}, [&](auto& w) { w.nodes[1].input = w.nodes[2].input = large; });
    end("a", kTen, test::succeeded(test::json(R"({"rows":1})")));
    const auto claim_bytes = [&](std::size_t bytes) {
        return store
            ->claim({.tenant = "default", .worker = "w1", .limit = 10, .now = kTen, .lease = 30s, .bytes = bytes})
            .value();
    };
    const auto first = claim_bytes(10'000);
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(workflow_run(id).find(first.front().node == "b" ? "c" : "b")->attempts, 0)
        << "the other one was not begun";
    const auto second = claim_bytes(10'000);
    ASSERT_EQ(second.size(), 1U);
    EXPECT_NE(first.front().node, second.front().node);
    EXPECT_EQ(second.front().attempt, 1);
    EXPECT_TRUE(claim_bytes(10'000).empty());
}

TEST_P(WorkflowRunContract, TwoClaimersOfOneRunBeginItOnce) {
    constexpr int kRounds = 10;
    deploy([](auto& w) {
        for (auto& node : w.nodes) node.depends_on = {}, node.input = nullptr;
    });
    schedule = create_walking([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    for (int round = 0; round < kRounds; ++round) {
        const auto now = kTen + round * 1h;
        tick(now);
        std::mutex mutex;
        std::vector<std::string> claimed;
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                const auto mine = world->open();
                const auto tasks =
                    mine->claim({.tenant = "default", .worker = "w" + std::to_string(i), .limit = 1, .now = now});
                const std::lock_guard lock(mutex);
                EXPECT_TRUE(tasks) << tasks.error().message;
                if (!tasks) return;
                for (const auto& task : *tasks) claimed.push_back(task.node);
            });
        }
        for (auto& thread : threads) thread.join();
        for (const auto& rest : claim(now)) claimed.push_back(rest.node);
        std::ranges::sort(claimed);
        EXPECT_EQ(claimed, (std::vector<std::string>{"a", "b", "c", "d"})) << "each node once";
        const auto lines = told(runs(schedule).front().id);
        ASSERT_EQ(lines.size(), 5U);
        EXPECT_EQ(lines.front(), "2 run.started");
        EXPECT_EQ(std::ranges::count_if(lines, [](const auto& line) { return line.ends_with("run.started"); }), 1);
    }
}

TEST_P(WorkflowRunContract, AClaimAndACancellationRaceAndNoLeaseIsLeft) {
    deploy([](auto& w) {
        for (auto& node : w.nodes) node.depends_on = {}, node.input = nullptr;
    });
    schedule = create_walking([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    for (int round = 0; round < 20; ++round) {
        const auto now = kTen + round * 1h;
        tick(now);
        const auto id = runs(schedule).front().id;
        std::thread claimer([&] {
            const auto mine = world->open();
            for (int i = 0; i < 4; ++i)
                EXPECT_TRUE(mine->claim({.tenant = "default", .worker = "w", .limit = 1, .now = now}));
        });
        EXPECT_TRUE(test::cancel(*store, ref_of(schedule), id, now));
        claimer.join();
        EXPECT_TRUE(store->expired(kInstantMax, 10)->empty()) << "a run that has ended has no lease";
        EXPECT_TRUE(told(id).back().ends_with("run.cancelled")) << "nothing happens after its end";
    }
}

}  // namespace
}  // namespace belfry::store
