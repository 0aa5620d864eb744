// Leases that are passed on to whoever is at the other end of a connection, and tasks that nobody has tried and that go
// back.
#include "store_contract.hpp"

namespace belfry::store {
namespace {

class PassingOn : public StoreContract {
protected:
    // One task of a run that was claimed by a publisher at ten.
    model::Task carried(const test::Edit& edit = {}) {
        schedule = create([&](model::Schedule& made) {
            made.target.connection = "orders";
            if (edit) edit(made);
        });
        tick(kTen);
        return carried_again(kTen);
    }
    model::Task carried_again(Instant now, const std::string& worker = "@courier:orders:s1") {
        auto tasks = store->claim(
            {.tenant = "default", .queue = "@to:orders", .worker = worker, .limit = 10, .now = now, .lease = 30s});
        EXPECT_TRUE(tasks) << tasks.error().message;
        EXPECT_EQ(tasks->size(), 1U);
        return tasks->empty() ? model::Task{} : tasks->front();
    }
    static LeaseTransfer passing(const model::Task& task, Instant until,
                                 const std::string& worker = "connection:orders",
                                 const std::string& event = "node.handed_over") {
        return {
            .lease = lease_of(task), .worker = worker, .until = until, .event = event, .payload = {{"messageId", "7"}}};
    }
    std::vector<model::LeaseRef> transfer_lease(const LeaseTransfer& passed, Instant now) {
        auto held = store->transfer_lease(std::vector{passed}, now);
        EXPECT_TRUE(held) << held.error().message;
        return held ? *held : std::vector<model::LeaseRef>{};
    }
    std::vector<std::string> events_of(const std::string& run_id) {
        std::vector<std::string> types;
        std::int64_t before = 0;
        for (const auto& event : store->run_events("default", run_id, 0, 100).value()) {
            EXPECT_GT(event.sequence, before);
            before = event.sequence;
            types.push_back(event.type);
        }
        return types;
    }
    decide::AttemptPlan complete(const model::Task& task, const decide::AttemptEnd& end, Instant now) {
        auto done = test::complete(*store, {lease_of(task), end}, now);
        EXPECT_TRUE(done) << done.error().message;
        return done ? *done : decide::AttemptPlan{};
    }
    static decide::AttemptEnd back() {
        return {.status = ExecutionStatus::failed, .error = "the server ended", .put_back = true};
    }

    model::Schedule schedule;
};

TEST_P(PassingOn, ATaskKnowsSinceWhenItWasReadyAndWhichQueueWasMeant) {
    const auto task = carried([](auto& made) { made.target.queue = "billing"; });
    EXPECT_EQ(task.ready_at, kTen);
    EXPECT_EQ(task.queue, "billing");
}

TEST_P(PassingOn, WhoeverGetsTheLeaseHasItAsLongAsItSays) {
    const auto task = carried([](auto& made) { made.retry.timeout = 60s; });
    EXPECT_EQ(transfer_lease(passing(task, kTen + 2h), kTen + 1s), std::vector{lease_of(task)});
    EXPECT_TRUE(store->expired(kTen + 1h, 10).value().empty());
    const auto expired = store->expired(kTen + 3h, 10).value();
    ASSERT_EQ(expired.size(), 1U);
    EXPECT_EQ(expired[0].worker, "connection:orders");
    EXPECT_EQ(expired[0].until, kTen + 2h);
    EXPECT_EQ(events_of(task.run_id), std::vector<std::string>{"node.handed_over"});
    complete(task, test::succeeded(), kTen + 1h);
    EXPECT_EQ(store->run("default", task.run_id)->execution, ExecutionStatus::succeeded);
}

TEST_P(PassingOn, TwiceIsOnceAndWhoHasToldMoreKeepsIt) {
    const auto task = carried();
    transfer_lease(passing(task, kTen + 1h), kTen + 1s);
    EXPECT_EQ(transfer_lease(passing(task, kTen + 1h), kTen + 2s).size(), 1U);
    EXPECT_EQ(transfer_lease(passing(task, kTen + 1h, "connection:orders, started", "node.started"), kTen + 3s).size(),
              1U);
    EXPECT_EQ(transfer_lease(passing(task, kTen + 2h), kTen + 4s).size(), 1U);
    EXPECT_EQ(transfer_lease(passing(task, kTen + 2h, "connection:orders, started", "node.started"), kTen + 5s).size(),
              1U);
    EXPECT_EQ(events_of(task.run_id), (std::vector<std::string>{"node.handed_over", "node.started"}));
    const auto expired = store->expired(kTen + 3h, 10).value();
    ASSERT_EQ(expired.size(), 1U);
    EXPECT_EQ(expired[0].worker, "connection:orders, started");
    EXPECT_EQ(expired[0].until, kTen + 2h);
}

TEST_P(PassingOn, AStartThatComesBeforeTheAcknowledgementIsKept) {
    const auto task = carried();
    transfer_lease(passing(task, kTen + 1h, "connection:orders, started", "node.started"), kTen + 1s);
    transfer_lease(passing(task, kTen + 2h), kTen + 2s);
    EXPECT_EQ(events_of(task.run_id), std::vector<std::string>{"node.started"});
    EXPECT_EQ(store->expired(kTen + 3h, 10).value().front().until, kTen + 2h);
}

TEST_P(PassingOn, ALeaseThatWasLostIsNotPassedOn) {
    const auto task = carried();
    auto other = passing(task, kTen + 1h);
    other.lease.attempt = 2;
    EXPECT_TRUE(transfer_lease(other, kTen + 1s).empty());
    other.lease = {"nothing", 1};
    EXPECT_TRUE(transfer_lease(other, kTen + 1s).empty());
    EXPECT_TRUE(events_of(task.run_id).empty());
}

TEST_P(PassingOn, WhatIsPutBackHasItsOldPlaceWhateverThePolicySays) {
    const auto first = carried([](auto& made) { made.overlap.policy = model::OverlapPolicy::allow_all; });
    tick(kTen + 1h);
    const auto plan = complete(first, back(), kTen + 1h + 1s);
    EXPECT_EQ(std::get<decide::Plan>(plan).nodes.front().node.ready_at, kTen);
    EXPECT_EQ(store->run("default", first.run_id)->execution, ExecutionStatus::queued);
    const auto tasks = store
                           ->claim({.tenant = "default",
                                    .queue = "@to:orders",
                                    .worker = "@courier:orders:s2",
                                    .limit = 10,
                                    .now = kTen + 2h})
                           .value();
    ASSERT_EQ(tasks.size(), 2U);
    EXPECT_EQ(tasks[0].run_id, first.run_id);
    EXPECT_EQ(tasks[0].attempt, 2);
    EXPECT_EQ(tasks[0].ready_at, kTen);
    EXPECT_EQ(tasks[0].idempotency_key, first.idempotency_key);
    EXPECT_EQ(events_of(first.run_id), std::vector<std::string>{"node.put_back"});
}

TEST_P(PassingOn, EveryAttemptHasItsEventsInOrder) {
    auto task = carried([](auto& made) { made.retry = {3, 1000ms, {}, {}}; });
    complete(task, back(), kTen + 1s);
    task = carried_again(kTen + 2s);
    transfer_lease(passing(task, kTen + 1h), kTen + 3s);
    transfer_lease(passing(task, kTen + 1h, "connection:orders, started", "node.started"), kTen + 4s);
    const auto retry = complete(task, test::failed(), kTen + 5s);
    task = carried_again(std::get<decide::Plan>(retry).nodes.front().node.ready_at);
    transfer_lease(passing(task, kTen + 1h), kTen + 1min);
    EXPECT_EQ(events_of(task.run_id), (std::vector<std::string>{"node.put_back", "node.handed_over", "node.started",
                                                                "node.failed", "node.handed_over"}));
}

TEST_P(PassingOn, WhatIsPutBackCostsNoTryOfItsPolicy) {
    auto task = carried([](auto& made) { made.retry = {1, 1000ms, {}, {}}; });
    for (int i = 1; i <= 3; ++i) {
        EXPECT_EQ(task.attempt, i) << "an older lease is refused";
        complete(task, back(), kTen + i * 1s);
        task = carried_again(kTen + i * 1s);
    }
    transfer_lease(passing(task, kTen + 1h), kTen + 5s);
    complete(task, test::failed(), kTen + 6s);
    EXPECT_EQ(store->run("default", task.run_id)->execution, ExecutionStatus::queued) << "the policy still has its try";
    task = carried_again(kTen + 1min);
    complete(task, test::failed(), kTen + 2min);
    EXPECT_EQ(store->run("default", task.run_id)->execution, ExecutionStatus::failed) << "and no more than that";
}

TEST_P(PassingOn, AUsageLimitEndsWhatWasHandedOver) {
    ASSERT_TRUE(store->put_assignee("default", {.id = "bo", .policies = {.max_tokens = 100}, .created_at = kNine}));
    for (const bool started : {false, true}) {
        const auto task = carried([started](auto& made) {
            made.name = started ? "started" : "handed over";
            made.assignee = {"agent", "bo"};
            made.retry = {3, 1000ms, {}, {}};
        });
        transfer_lease(passing(task, kTen + 1h), kTen + 1s);
        if (started) transfer_lease(passing(task, kTen + 1h, "connection:orders, started", "node.started"), kTen + 2s);
        const auto taken = test::report_usage(*store, {{test::lease_of(task), {.tokens = 101}}}, kTen + 3s);
        ASSERT_TRUE(taken && taken->front());
        const auto run = store->run("default", task.run_id).value();
        EXPECT_EQ(run.execution, ExecutionStatus::failed);
        EXPECT_EQ(events_of(task.run_id).back(), "run.failed");
    }
}

TEST_P(PassingOn, ANodeIsPassedOnAndPutBackInItsOldPlaceWithoutATryOfItsPolicy) {
    auto workflow = test::diamond();
    workflow.version = 0;
    workflow.connection = "orders";
    ASSERT_TRUE(store->put_workflow(workflow));
    schedule = test::workflow_schedule([](auto& made) { made.retry = {1, 1000ms, {}, {}}; });
    ASSERT_TRUE(test::create(*store, {schedule}, kNine));
    tick(kTen);
    auto task = carried_again(kTen);
    EXPECT_EQ(task.node, "a");
    complete(task, back(), kTen + 1s);
    task = carried_again(kTen + 2s);
    EXPECT_EQ(task.ready_at, kTen);
    EXPECT_EQ(transfer_lease(passing(task, kTen + 1h), kTen + 3s).size(), 1U);
    const auto failed = complete(task, test::failed(), kTen + 4s);
    EXPECT_TRUE(std::get<decide::Plan>(failed).ends.empty()) << "the policy still has its try";
    EXPECT_EQ(events_of(task.run_id), (std::vector<std::string>{"run.started", "node.started", "node.put_back",
                                                                "node.started", "node.handed_over", "node.failed"}));
}

INSTANTIATE_TEST_SUITE_P(Every, PassingOn, ::testing::ValuesIn(test::stores_under_test()), store_name);

}  // namespace
}  // namespace belfry::store
