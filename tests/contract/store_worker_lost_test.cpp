// Leases that end without a word from their worker: the task is handed out again, with a higher attempt, at most three
// times beside its retries.
#include "store/registry.hpp"
#include "walk_contract.hpp"

namespace belfry::store {
namespace {

class WorkerLostContract : public WorkflowRunContract {
protected:
    // The only ready task is claimed at `now` and its worker is lost.
    model::Task lose(Instant now) {
        const auto task = claim_one(now);
        const auto done = test::complete(*store, test::lost(lease_of(task), now + 1min), now + 1min);
        EXPECT_TRUE(done) << done.error().message;
        return task;
    }
    int redeliveries(const std::string& run_id, const std::string& node = {}) {
        const auto found = workflow_run(run_id);
        const auto* const record = found.find(node);
        return record == nullptr ? 0 : record->redeliveries;
    }
};
INSTANTIATE_TEST_SUITE_P(Every, WorkerLostContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(WorkerLostContract, ATaskComesBackAtMostThreeTimesAndHasThenTimedOut) {
    const auto plain = create();
    tick(kTen);
    const auto id = runs(plain).front().id;
    std::string key;
    for (int i = 1; i <= 3; ++i) {
        const auto task = lose(kTen + i * 2min);
        EXPECT_EQ(task.attempt, i) << "the fencing token grows";
        if (i > 1) {
            EXPECT_EQ(task.idempotency_key, key);
        }
        key = task.idempotency_key;
        EXPECT_EQ(status(id), ExecutionStatus::queued);
        EXPECT_EQ(run(id).attempts, i);
        EXPECT_EQ(redeliveries(id), i);
        EXPECT_EQ(code_of(test::complete(*store, {lease_of(task), test::succeeded()}, kTen + i * 2min + 61s)),
                  ErrorCode::conflict)
            << "its worker comes too late";
        reopen();
    }
    EXPECT_EQ(told(id), (test::Lines{"3 node.redelivered", "4 node.redelivered", "5 node.redelivered"}));
    EXPECT_EQ(state(plain).failures, 0);
    lose(kTen + 10min);
    EXPECT_EQ(status(id), ExecutionStatus::timed_out);
    EXPECT_EQ(run(id).attempts, 4);
    EXPECT_EQ(state(plain).failures, 1);
    EXPECT_EQ(state(plain).in_flight, 0);
    EXPECT_TRUE(claim(kTen + 1h).empty());
}

TEST_P(WorkerLostContract, RetriesAreCountedBesideRedeliveries) {
    const auto plain = create([](auto& s) { s.retry = {1, 1ms, {}, {}}; });
    tick(kTen);
    const auto id = runs(plain).front().id;
    lose(kTen);
    finish(kTen + 2min, test::failed("one"));
    EXPECT_EQ(status(id), ExecutionStatus::queued) << "the first failure has a retry";
    reopen();
    lose(kTen + 4min);
    lose(kTen + 6min);
    EXPECT_EQ(redeliveries(id), 3);
    finish(kTen + 8min, test::failed("two"));
    EXPECT_EQ(status(id), ExecutionStatus::failed);
    EXPECT_EQ(run(id).attempts, 5);
    EXPECT_EQ(told(id),
              (test::Lines{"3 node.redelivered", "4 node.failed", "5 node.redelivered", "6 node.redelivered"}));
}

TEST_P(WorkerLostContract, ANodeComesBackAsATaskDoes) {
    const auto id = begin();
    for (int i = 1; i <= 3; ++i) {
        const auto task = lose(kTen + i * 2min);
        EXPECT_EQ(task.node, "a");
        EXPECT_EQ(task.attempt, i);
        EXPECT_EQ(nodes(id), (test::Lines{"a queued"}));
        EXPECT_EQ(redeliveries(id, "a"), i);
        reopen();
    }
    lose(kTen + 10min);
    EXPECT_EQ(nodes(id), (test::Lines{"a timed_out", "b skipped", "c skipped", "d skipped"}));
    EXPECT_EQ(status(id), ExecutionStatus::timed_out);
}

TEST_P(WorkerLostContract, OneThatWasHandedOutAgainSucceedsAsIfNothingHadHappened) {
    const auto plain = create([](auto& s) { s.retry.timeout = 90'000ms; });
    tick(kTen);
    const auto id = runs(plain).front().id;
    lose(kTen);
    const auto task = claim_one(kTen + 2min);
    EXPECT_EQ(task.timeout, 90'000ms);
    ASSERT_TRUE(test::complete(*store, {lease_of(task), test::succeeded(test::json("1"))}, kTen + 3min));
    EXPECT_EQ(status(id), ExecutionStatus::succeeded);
    EXPECT_EQ(run(id).attempts, 2);
    EXPECT_EQ(run(id).error, "");
    EXPECT_EQ(state(plain).failures, 0);
}

TEST_P(WorkerLostContract, WithThePolicyFailItHasTimedOut) {
    const auto strict = create([](auto& s) { s.worker_lost = model::WorkerLostPolicy::fail; });
    EXPECT_EQ(record(strict).definition.worker_lost, model::WorkerLostPolicy::fail);
    tick(kTen);
    lose(kTen);
    EXPECT_EQ(status(runs(strict).front().id), ExecutionStatus::timed_out);
}

TEST_P(WorkerLostContract, WhatWasHandedOutAgainCanBeCancelledAndIsForgottenWithItsRun) {
    const auto plain = create();
    tick(kTen);
    const auto id = runs(plain).front().id;
    lose(kTen);
    ASSERT_TRUE(test::cancel(*store, ref_of(plain), id, kTen + 2min));
    EXPECT_EQ(status(id), ExecutionStatus::cancelled);
    EXPECT_TRUE(claim(kTen + 1h).empty());
}

}  // namespace
}  // namespace belfry::store
