// What a condition sees of the runs before: those of everything that starts the same target, by when they ended.
#include "store_contract.hpp"

namespace belfry::store {
namespace {

using model::OverlapPolicy;

class TargetContract : public StoreContract {
protected:
    // The facts that a change of the schedule at `now` sees.
    Facts facts(const model::Schedule& schedule, Instant now) {
        Facts seen;
        const auto looked = store->change(ref_of(schedule), {.now = now}, [&](const Facts& all) -> Result<Plan> {
            seen = all;
            return Error{ErrorCode::conflict, "only looking"};
        });
        EXPECT_FALSE(looked);
        return seen;
    }

    static test::Edit watching(const test::Edit& edit = {}) {
        return [edit](model::Schedule& schedule) {
            schedule.condition = test::json(R"({"/last_24h_stats/failed":{"lt":2}})");
            if (edit) edit(schedule);
        };
    }
};
INSTANTIATE_TEST_SUITE_P(Every, TargetContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(TargetContract, AConditionSeesTheRunsOfEveryScheduleOfTheSameTarget) {
    const auto watcher = create_named("watcher", watching());
    const auto other = create_named("other");
    tick(kTen, {key_of(other)});
    finish(kTen + 1min, test::failed());
    ASSERT_TRUE(test::trigger(*store, ref_of(other), kTen + 2min));
    finish(kTen + 3min, test::succeeded(test::json(R"({"rows":7})")));
    reopen();
    const auto seen = facts(watcher, kTen + 4min);
    EXPECT_EQ(seen.last_24h, (decide::RunStats{.succeeded = 1, .failed = 1, .total = 2}));
    EXPECT_EQ(seen.prior_run_result, test::json(R"({"rows":7})"));
}

TEST_P(TargetContract, RunsOfAnotherTargetOrTenantDoNotCount) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    const auto watcher = create_named("watcher", watching());
    const auto task = create_named("task", [](auto& s) { s.target.kind = "another"; });
    const auto foreign = create_named("foreign", [](auto& s) { s.tenant = "acme"; });
    tick(kTen, {key_of(task), key_of(foreign)});
    finish(kTen, test::failed());
    const auto claimed = store->claim({.tenant = "acme", .worker = "w1", .now = kTen, .lease = 30s}).value();
    ASSERT_TRUE(test::complete(*store, {lease_of(claimed.at(0)), test::failed()}, kTen));
    EXPECT_EQ(facts(watcher, kTen + 1min).last_24h, decide::RunStats{});
    EXPECT_EQ(facts(watcher, kTen + 1min).prior_run_result, Json(nullptr));
}

TEST_P(TargetContract, TheLastDayIsCountedByWhenRunsEnded) {
    const auto watcher =
        create_named("watcher", watching([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; }));
    tick(kTen, {key_of(watcher)});
    EXPECT_EQ(facts(watcher, kTen + 1h).last_24h, (decide::RunStats{.total = 1}))
        << "its own that are in flight count in the total";
    const auto task = store->claim({.tenant = "default", .worker = "w1", .now = kTen, .lease = 48h}).value().at(0);
    ASSERT_TRUE(test::complete(*store, {lease_of(task), test::failed()}, kTen + 30h));
    EXPECT_EQ(facts(watcher, kTen + 31h).last_24h, (decide::RunStats{.failed = 1, .total = 1}))
        << "decided 31 hours ago, ended one hour ago";
    EXPECT_EQ(facts(watcher, kTen + 54h - Micros{1}).last_24h.failed, 1);
    EXPECT_EQ(facts(watcher, kTen + 54h).last_24h, decide::RunStats{});
}

TEST_P(TargetContract, ThePriorResultIsThatOfTheRunThatEndedLast) {
    const auto watcher =
        create_named("watcher", watching([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; }));
    tick(kTen);
    const auto early = store->claim({.tenant = "default", .worker = "w1", .now = kTen, .lease = 48h}).value().at(0);
    tick(kTen + 1h);
    finish(kTen + 61min, test::succeeded("late"));
    EXPECT_EQ(facts(watcher, kTen + 2h).prior_run_result, Json("late"));
    ASSERT_TRUE(test::complete(*store, {lease_of(early), test::succeeded("early")}, kTen + 3h));
    EXPECT_EQ(facts(watcher, kTen + 4h).prior_run_result, Json("early")) << "it began first and ended last";
    EXPECT_EQ(facts(watcher, kTen + 90h).prior_run_result, Json("early")) << "however long ago";
}

TEST_P(TargetContract, TheFirstConditionOnATargetSeesWhatEndedBeforeIt) {
    const auto worker = create_named("worker");
    tick(kTen, {key_of(worker)});
    finish(kTen + 1min, test::succeeded("first"));
    auto watcher = task_schedule(watching([](auto& s) { s.name = "watcher"; }));
    watcher.created_at = watcher.updated_at = kTen + 2min;
    ASSERT_TRUE(test::create(*store, {watcher}, kTen + 2min));
    EXPECT_EQ(facts(watcher, kTen + 3min).last_24h, (decide::RunStats{.succeeded = 1, .total = 1}));
    EXPECT_EQ(facts(watcher, kTen + 3min).prior_run_result, Json("first"));
}

TEST_P(TargetContract, ARunThatANewerOneReplacesCountsForTheTargetItHad) {
    const auto old_target = create_named("old", watching([](auto& s) { s.target.kind = "old"; }));
    const auto new_target = create_named("new", watching([](auto& s) { s.target.kind = "new"; }));
    const auto moved = create_named("moved", [](auto& s) {
        s.target.kind = "old";
        s.overlap.policy = OverlapPolicy::cancel_other;
    });
    tick(kTen, {key_of(moved)});
    ASSERT_TRUE(test::update(*store, ref_of(moved), kTen + 1min, [](auto& s) { s.target.kind = "new"; }));
    tick(kTen + 1h, {key_of(moved)});
    reopen();
    EXPECT_EQ(facts(old_target, kTen + 2h).last_24h, (decide::RunStats{.total = 1}));
    EXPECT_EQ(facts(new_target, kTen + 2h).last_24h, decide::RunStats{}) << "its only run is in flight";
}

TEST_P(TargetContract, TheLastResultStaysWhenOldEndsAreForgotten) {
    const auto watcher = create_named("watcher", watching());
    for (int hour = 0; hour < 2; ++hour) {
        tick(kTen + hour * 1h, {key_of(watcher)});
        finish(kTen + hour * 1h, test::succeeded(hour));
    }
    ASSERT_TRUE(store->prune_budgets(model::day_of(kTen + 240h), 100));
    EXPECT_EQ(facts(watcher, kTen + 2h).last_24h, (decide::RunStats{.succeeded = 1, .total = 1}));
    EXPECT_EQ(facts(watcher, kTen + 2h).prior_run_result, Json(1));
}

TEST_P(TargetContract, AWorkflowThatHasACycleSkipsTheTickWithItsPath) {
    auto workflow = test::diamond();
    workflow.nodes.at(0).depends_on = {workflow.nodes.back().id};  // as an older program might have stored it
    ASSERT_TRUE(store->put_workflow(workflow));
    const auto schedule = test::workflow_schedule();
    ASSERT_TRUE(test::create(*store, {schedule}, kNine));
    tick(kTen);
    reopen();
    ASSERT_EQ(run_lines(schedule), (test::Lines{"10:00 skipped cycle_detected"}));
    EXPECT_EQ(runs(schedule).at(0).detail, "a -> d -> b -> a");
}

TEST_P(TargetContract, ABackfillThatMeetsATakenSlotRecordsIt) {
    const auto schedule = create([](auto& s) { s.overlap.policy = OverlapPolicy::allow_all; });
    for (int time = 0; time < 2; ++time) {
        const auto backfill = test::new_backfill(schedule, kNine - 2h, kNine - 1s, kNine + time * 1min);
        ASSERT_TRUE(store->create_backfill("default", backfill));
        ASSERT_TRUE(test::step(*store, "default", backfill, kNine + time * 1min, 10));
    }
    EXPECT_EQ(runs(schedule).size(), 2U);
    std::vector<std::string> told;
    for (const auto& record : events(schedule)) {
        if (record.event.type != model::EventType::schedule_trigger_skipped) continue;
        const auto& payload = record.event.payload.get_object();
        told.push_back(std::string(payload.at("reason").get_string()) + " " +
                       std::string(payload.at("occurrence_time").get_string()));
    }
    EXPECT_EQ(told, (std::vector<std::string>{"schedule_slot_exists 2026-06-01T07:00:00Z",
                                              "schedule_slot_exists 2026-06-01T08:00:00Z"}));
    EXPECT_EQ(state(schedule).skips, 0) << "each has its outcome: nothing else was skipped";
}

TEST_P(TargetContract, TheOnlyTaskOfARunHasNoMoreThanTheTimeOfTheRun) {
    const auto schedule = create([](auto& s) { s.retry = {.max_retries = 3, .backoff = 1s}; });
    tick(kTen);
    const auto week = decide::RunCaps{}.timeout;
    const auto first =
        store->claim({.tenant = "default", .worker = "w1", .now = kTen + 144h, .lease = 240h}).value().at(0);
    EXPECT_EQ(first.lease_until, kTen + 144h + week) << "however long it waited in its queue";
    ASSERT_TRUE(test::complete(*store, {lease_of(first), test::failed()}, kTen + 145h));
    const auto second =
        store->claim({.tenant = "default", .worker = "w1", .now = kTen + 146h, .lease = 240h}).value().at(0);
    EXPECT_EQ(second.lease_until, kTen + week);
    ASSERT_TRUE(test::complete(*store, {lease_of(second), test::failed()}, kTen + week));
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 failed"})) << "there is no time for another attempt";
}

TEST_P(TargetContract, TheModelOfATargetReachesEveryNode) {
    ASSERT_TRUE(store->put_workflow(test::diamond()));
    const auto schedule = test::workflow_schedule([](auto& s) { s.target.metadata["global_model_id"] = "large"; });
    ASSERT_TRUE(test::create(*store, {schedule}, kNine));
    tick(kTen);
    std::vector<std::string> nodes;
    for (int round = 0; round < 3; ++round) {
        for (const auto& task : claim(kTen + round * 1s)) {
            nodes.push_back(task.node + " " + task.target.metadata.at("global_model_id"));
            ASSERT_TRUE(test::complete(*store, {lease_of(task), test::succeeded(test::json(R"({"rows":1})"))},
                                       kTen + round * 1s));
        }
    }
    std::ranges::sort(nodes);
    EXPECT_EQ(nodes, (std::vector<std::string>{"a large", "b large", "c large", "d large"}));
}

}  // namespace
}  // namespace belfry::store
