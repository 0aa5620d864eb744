// The facts that a decision is made on: conditions, calendars, switches and budgets as they are now, not as they were.
#include "decide/schedule/tick.hpp"
#include "store_contract.hpp"

namespace belfry::store {
namespace {

using model::OverlapPolicy;

class FactContract : public StoreContract {
protected:
    // The facts that a change of the schedule at `now` sees.
    Facts facts(const model::Schedule& schedule, Instant now, FactsRequest needs = {}) {
        needs.now = now;
        Facts seen;
        const auto looked = store->change(ref_of(schedule), needs, [&](const Facts& all) -> Result<Plan> {
            seen = all;
            return Error{ErrorCode::conflict, "only looking"};
        });
        EXPECT_FALSE(looked);
        return seen;
    }

    void put_tenant(const model::Tenant& tenant) {
        const auto put = store->put_tenant(tenant);
        ASSERT_TRUE(put) << put.error().message;
    }
};
INSTANTIATE_TEST_SUITE_P(Every, FactContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(FactContract, AConditionSeesTheResultOfTheRunBefore) {
    const auto schedule =
        create([](auto& s) { s.condition = test::json(R"({"/prior_run_result/ok":{"neq":false}})"); });
    tick(kTen);
    finish(kTen + 1min, test::succeeded(test::json(R"({"ok":false})")));
    tick(kTen + 1h);
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen + 61min));
    finish(kTen + 62min, test::succeeded(test::json(R"({"ok":true})")));
    reopen();
    tick(kTen + 2h);
    EXPECT_EQ(run_lines(schedule),
              (test::Lines{"10:00 succeeded", "11:00 skipped condition_failed", "11:01 succeeded", "12:00 queued"}));
}

TEST_P(FactContract, AConditionSeesHowTheRunsOfTheLastDayEnded) {
    const auto schedule = create([](auto& s) {
        s.condition = test::json(R"({"/last_24h_stats/failed":{"lt":2}})");
        s.overlap.policy = OverlapPolicy::allow_all;
    });
    tick(kTen);
    finish(kTen, test::failed());
    tick(kTen + 1h);
    finish(kTen + 1h, test::failed());
    tick(kTen + 2h);  // two have failed
    const auto now = facts(schedule, kTen + 150min).last_24h;
    EXPECT_EQ(now.failed, 2);
    EXPECT_EQ(now.succeeded, 0);
    tick(kTen + 23h + 1min);  // what came between is one record
    tick(kTen + 27h);         // both failures are older than a day
    const auto rows = run_lines(schedule);
    EXPECT_EQ(rows.at(2), "12:00 skipped condition_failed");
    EXPECT_EQ(rows.back(), "13:00 queued");
    EXPECT_EQ(facts(schedule, kTen + 27h).last_24h.failed, 0);
}

TEST_P(FactContract, OnlyRunsOfItsOwnTargetCountForACondition) {
    const auto edit = [](auto& s) { s.condition = test::json(R"({"/last_24h_stats/failed":{"lt":1}})"); };
    const auto a = create_named("a", edit);
    const auto b = create_named("b", [&edit](auto& s) {
        edit(s);
        s.target.kind = "another";
    });
    tick(kTen, {key_of(a)});
    finish(kTen, test::failed());
    EXPECT_EQ(facts(a, kTen + 1min).last_24h.failed, 1);
    EXPECT_EQ(facts(b, kTen + 1min).last_24h, decide::RunStats{});
    EXPECT_EQ(facts(b, kTen + 1min).prior_run_result, Json(nullptr));
}

TEST_P(FactContract, TheOldestRunInFlightComesFirst) {
    const auto schedule = create([](auto& s) { s.overlap = {OverlapPolicy::terminate_other, 5}; });
    for (int hour = 0; hour < 3; ++hour) tick(kTen + hour * 1h);
    const auto tasks = claim(kTen + 2h);
    ASSERT_EQ(tasks.size(), 3U);
    ASSERT_TRUE(test::complete(*store, {lease_of(tasks[1]), test::succeeded()}, kTen + 2h));
    std::vector<Instant> occurrences;
    for (const auto& run : facts(schedule, kTen + 3h).in_flight) {
        EXPECT_EQ(run.id, model::run_id(schedule.id, run.slot));
        occurrences.push_back(run.slot.occurrence);
    }
    EXPECT_EQ(occurrences, (std::vector<Instant>{kTen, kTen + 2h}));
}

TEST_P(FactContract, BufferedRunsAreAllThereOldestFirst) {
    const auto schedule = create([](auto& s) { s.overlap.policy = OverlapPolicy::buffer_all; });
    for (int hour = 0; hour < 3; ++hour) tick(kTen + hour * 1h);
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen + 30min, {.input = test::json("7")}));
    const auto buffered = facts(schedule, kTen + 3h).buffered;
    ASSERT_EQ(buffered.size(), 3U);
    EXPECT_EQ(buffered[0], (decide::BufferedRun{{model::RunCause::trigger, kTen + 30min}, test::json("7")}));
    EXPECT_EQ(buffered[1], (decide::BufferedRun{{model::RunCause::tick, kTen + 1h}, nullptr}));
    EXPECT_EQ(buffered[2], (decide::BufferedRun{{model::RunCause::tick, kTen + 2h}, nullptr}));
}

TEST_P(FactContract, ATenantWhoseDispatchIsOffSkipsEverything) {
    const auto schedule = create();
    auto tenant = store->tenant("default").value();
    tenant.dispatch_enabled = false;
    tenant.version += 1;
    put_tenant(tenant);
    tick(kTen);
    tenant.dispatch_enabled = true;
    tenant.version += 1;
    put_tenant(tenant);
    tick(kTen + 1h);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 skipped dispatch_disabled", "11:00 queued"}));
    EXPECT_EQ(runs(schedule).at(1).detail, "tenant");
}

TEST_P(FactContract, TheBudgetOfADayCountsAcrossSchedulesInOneTick) {
    put_tenant({.name = "acme", .runs_per_day = 2});
    std::vector<model::Schedule> all;
    for (const char* const name : {"a", "b", "c"})
        all.push_back(create_named(name, [](auto& s) { s.tenant = "acme"; }));
    const auto free = create_named("free");
    EXPECT_EQ(tick(kTen).plans.size(), 4U);
    EXPECT_EQ(test::all_runs(*store, {.tenant = "acme", .state = RunState::queued}).size(), 2U);
    const auto skipped = test::all_runs(*store, {.tenant = "acme", .state = RunState::skipped});
    ASSERT_EQ(skipped.size(), 1U);
    EXPECT_EQ(skipped[0].reason, model::SkipReason::budget_exceeded);
    EXPECT_EQ(run_lines(free), (test::Lines{"10:00 queued"})) << "another tenant has a budget of its own";
}

TEST_P(FactContract, TheBudgetCountsWhateverWasDispatchedOnTheUtcDateOfTheDecision) {
    put_tenant({.name = "acme", .runs_per_day = 3});
    const auto schedule = create([](auto& s) { s.tenant = "acme", s.overlap.policy = OverlapPolicy::allow_all; });
    const auto left = [&](Instant now) { return facts(schedule, now).budget.runs_left_today; };
    EXPECT_EQ(left(kNine), 3);
    tick(kTen);
    EXPECT_EQ(left(kTen), 2);
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen + 1min));
    EXPECT_EQ(left(kTen + 1min), 1) << "manual runs count, too";
    const auto backfill = test::new_backfill(schedule, kNine - 3h, kNine - 1s, kTen);
    ASSERT_TRUE(store->create_backfill("acme", backfill));
    ASSERT_TRUE(test::step(*store, "acme", backfill, kTen + 2min, 10));
    EXPECT_EQ(left(kTen + 2min), 0);
    reopen();
    tick(kTen + 1h);
    EXPECT_EQ(run_lines(schedule).back(), "11:00 skipped budget_exceeded");
    EXPECT_EQ(left(instant("2026-06-01T23:59:59.999999Z")), 0);
    EXPECT_EQ(left(instant("2026-06-02T00:00:00Z")), 3) << "a new day";
}

TEST_P(FactContract, ABudgetThatIsChangedIsSeenAtOnce) {
    put_tenant({.name = "acme", .runs_per_day = 1});
    const auto schedule = create([](auto& s) { s.tenant = "acme", s.overlap.policy = OverlapPolicy::allow_all; });
    tick(kTen);
    put_tenant({.name = "acme", .runs_per_day = 5, .version = 2});
    EXPECT_EQ(facts(schedule, kTen).budget.runs_left_today, 4);
    put_tenant({.name = "acme", .version = 3});
    EXPECT_EQ(facts(schedule, kTen).budget.runs_left_today, std::nullopt);
}

TEST_P(FactContract, ARunAboutWhichAskedIsThereAsItIs) {
    const auto schedule = create();
    tick(kTen);
    const auto task = claim_one(kTen + 1s);
    const auto seen = facts(schedule, kTen + 2s, {.run = task.run_id}).run;
    ASSERT_TRUE(seen);
    EXPECT_EQ(*seen, run(task.run_id));
    EXPECT_EQ(seen->execution, ExecutionStatus::running);
    EXPECT_EQ(seen->attempts, 1);
}

}  // namespace
}  // namespace belfry::store
