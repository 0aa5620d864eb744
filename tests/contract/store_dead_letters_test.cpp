// Dead letters: runs that failed or timed out in the end, until somebody replays or dismisses them.
#include "store_contract.hpp"

namespace belfry::store {
namespace {

class DeadLetterContract : public StoreContract {
protected:
    // Runs that end one after the other, an hour apart; each as asked.
    model::Schedule live(const std::vector<ExecutionStatus>& ends, const test::Edit& edit = {}) {
        auto schedule = create(edit);
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const auto now = kTen + static_cast<int>(i) * 1h;
            tick(now);
            finish(now + 1min, {.status = ends[i], .error = ends[i] == ExecutionStatus::succeeded ? "" : "broken"});
        }
        return schedule;
    }
    test::Lines dead(std::size_t page = 100, const std::string& tenant = "default") {
        test::Lines lines;
        for (const auto& run : test::all_dead_letters(*store, tenant, page)) {
            lines.push_back(format_instant(run.slot.occurrence).substr(11, 5) + " " +
                            std::string(name_of(run.execution)) + " " + run.error);
        }
        return lines;
    }
};
INSTANTIATE_TEST_SUITE_P(Every, DeadLetterContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(DeadLetterContract, AreTheRunsThatFailedOrTimedOutInTheEndNewestFirst) {
    using enum ExecutionStatus;
    live({failed, succeeded, timed_out, failed});
    reopen();
    EXPECT_EQ(dead(), (test::Lines{"13:00 failed broken", "12:00 timed_out broken", "10:00 failed broken"}));
}

TEST_P(DeadLetterContract, AreNotThoseThatAreTriedAgainOrWereStopped) {
    const auto schedule = create([](auto& s) { s.retry.max_retries = 1; });
    tick(kTen);
    finish(kTen, test::failed());
    EXPECT_EQ(dead(), (test::Lines{})) << "another attempt follows";
    const auto run = runs(schedule).front().id;
    ASSERT_TRUE(test::cancel(*store, ref_of(schedule), run, kTen + 1s));
    EXPECT_EQ(dead(), (test::Lines{})) << "somebody wanted it to end";
}

TEST_P(DeadLetterContract, AreListedInPagesOfAnySize) {
    live(std::vector<ExecutionStatus>(7, ExecutionStatus::failed));
    const auto all = dead();
    ASSERT_EQ(all.size(), 7U);
    for (const std::size_t page : {1U, 2U, 3U, 7U}) EXPECT_EQ(dead(page), all) << page;
}

TEST_P(DeadLetterContract, ThoseThatEndedTogetherAreListedOnce) {
    for (const char* name : {"a", "b", "c", "d", "e"}) create_named(name);
    tick(kTen);
    std::vector<AttemptReport> endings;
    for (const auto& task : claim(kTen)) endings.push_back({lease_of(task), test::failed()});
    ASSERT_TRUE(test::complete(*store, endings, kTen + 1s));
    const auto ids = [this](std::size_t page) {
        std::vector<std::string> found;
        for (const auto& run : test::all_dead_letters(*store, "default", page)) found.push_back(run.id);
        return found;
    };
    const auto all = ids(100);
    EXPECT_EQ(all.size(), 5U);
    for (const std::size_t page : {1U, 2U, 4U}) EXPECT_EQ(ids(page), all) << page;
}

TEST_P(DeadLetterContract, ADismissedOneIsNoneAnyMore) {
    using enum ExecutionStatus;
    const auto schedule = live({failed, failed});
    const auto newest = runs(schedule).front();
    ASSERT_TRUE(store->dismiss("default", newest.id));
    EXPECT_EQ(dead(), (test::Lines{"10:00 failed broken"}));
    EXPECT_EQ(code_of(store->dismiss("default", newest.id)), ErrorCode::not_found) << "once";
    EXPECT_EQ(run(newest.id), newest) << "the run itself stays as it is";
}

TEST_P(DeadLetterContract, WhatIsNoneCannotBeDismissed) {
    const auto schedule = live({ExecutionStatus::succeeded});
    for (const auto& id : {runs(schedule).front().id, model::run_id(schedule.id, {model::RunCause::tick, kNine}),
                           std::string("nonsense")}) {
        EXPECT_EQ(code_of(store->dismiss("default", id)), ErrorCode::not_found) << id;
    }
}

TEST_P(DeadLetterContract, BelongToTheirTenant) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    const auto schedule = live({ExecutionStatus::failed, ExecutionStatus::failed});
    const auto id = runs(schedule).front().id;
    EXPECT_EQ(dead(100, "acme"), (test::Lines{}));
    EXPECT_EQ(code_of(store->dismiss("acme", id)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->dead_letters("nobody", {})), ErrorCode::not_found);
    const auto cursor = store->dead_letters("default", {.limit = 1})->next;
    ASSERT_FALSE(cursor.empty());
    EXPECT_EQ(code_of(store->dead_letters("acme", {.after = cursor})), ErrorCode::invalid_argument);
    EXPECT_EQ(code_of(store->workflows("default", {.after = cursor})), ErrorCode::invalid_argument);
    EXPECT_EQ(code_of(store->dead_letters("default", {.after = "nonsense"})), ErrorCode::invalid_argument);
    EXPECT_EQ(dead().size(), 2U);
}

TEST_P(DeadLetterContract, AReplayedOneIsNoneAnyMoreAndItsTwinIsRefused) {
    const auto schedule =
        live({ExecutionStatus::failed}, [](auto& s) { s.overlap.policy = model::OverlapPolicy::allow_all; });
    const auto id = runs(schedule).front().id;
    const auto plan = test::replay(*store, ref_of(schedule), id, kTen + 5min);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(dead(), (test::Lines{}));
    EXPECT_EQ(claim_one(kTen + 5min).run_id, plan->runs.front().id);
    const auto before = everything(schedule);
    EXPECT_EQ(code_of(test::replay(*store, ref_of(schedule), id, kTen + 6min)), ErrorCode::conflict);
    EXPECT_EQ(everything(schedule), before) << "nothing is started for a letter that is gone";
}

TEST_P(DeadLetterContract, GoWithTheirRuns) {
    using enum ExecutionStatus;
    const auto schedule = live({failed, failed, failed, succeeded});
    EXPECT_EQ(store->prune(ref_of(schedule), {.keep_newest = 2}, 10).value(), 2);
    EXPECT_EQ(dead(), (test::Lines{"12:00 failed broken"}));
    ASSERT_TRUE(test::remove(*store, ref_of(schedule), kTen + 5h));
    EXPECT_EQ(dead(), (test::Lines{"12:00 failed broken"})) << "of a deleted schedule, too";
    EXPECT_EQ(store->purge(ref_of(schedule), 10).value(), 2);
    EXPECT_EQ(dead(), (test::Lines{}));
}

}  // namespace
}  // namespace belfry::store
