// What may be forgotten: runs that are over, never events.
#include "store_contract.hpp"

namespace belfry::store {
namespace {

using model::OverlapPolicy;

class RetentionContract : public StoreContract {
protected:
    // Ten runs, 10:00 to 19:00, of which every third was skipped; those that ran have ended.
    model::Schedule create_history() {
        EXPECT_TRUE(store->put_calendar("default", {{.name = "c"}, 1}));
        auto schedule = create([](auto& s) { s.calendars = {"c"}; });
        for (int hour = 0; hour < 10; ++hour) {
            const bool skipped = hour % 3 == 1;
            CalendarRecord calendar{{.name = "c"}, hour + 2};
            if (skipped) calendar.calendar.dates = {"2026-06-01"};
            EXPECT_TRUE(store->put_calendar("default", calendar));
            tick(kTen + hour * 1h);
            if (!skipped) finish(kTen + hour * 1h);
        }
        return schedule;
    }

    std::int64_t prune(const model::Schedule& schedule, const Retention& retention, std::size_t limit = 100) {
        const auto pruned = store->prune(ref_of(schedule), retention, limit);
        EXPECT_TRUE(pruned) << pruned.error().message;
        return pruned ? *pruned : -1;
    }

    test::Lines hours(const model::Schedule& schedule) {
        auto lines = run_lines(schedule);
        for (auto& line : lines) line = line.substr(0, 2);
        return lines;
    }
};
INSTANTIATE_TEST_SUITE_P(Every, RetentionContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(RetentionContract, PurgingForgetsTheRunsOfADeletedScheduleAndNoEvents) {
    const auto schedule = create_history();
    const auto other = create_named("other");
    tick(kTen + 10h, {key_of(other)});
    const auto others = runs(other);
    EXPECT_EQ(code_of(store->purge(ref_of(schedule), 100)), ErrorCode::invalid_argument) << "it is not deleted";
    EXPECT_EQ(runs(schedule).size(), 10U);
    ASSERT_TRUE(test::remove(*store, ref_of(schedule), kTen + 11h));
    const auto before = everything(schedule);
    EXPECT_EQ(store->purge(ref_of(schedule), 4).value(), 4);
    EXPECT_EQ(runs(schedule).size(), 6U);
    EXPECT_EQ(store->purge(ref_of(schedule), 100).value(), 6);
    EXPECT_EQ(store->purge(ref_of(schedule), 100).value(), 0);
    EXPECT_TRUE(runs(schedule).empty());
    for (const auto& gone : before.runs) EXPECT_EQ(code_of(store->run("default", gone.id)), ErrorCode::not_found);
    EXPECT_EQ(record(schedule), before.record);
    EXPECT_EQ(events(schedule), before.events);
    EXPECT_EQ(runs(other), others);
    EXPECT_EQ(code_of(store->purge({.tenant = "default", .id = task_schedule().id}, 1)), ErrorCode::not_found);
}

TEST_P(RetentionContract, PruningForgetsWhatOccurredBefore) {
    const auto schedule = create_history();
    const auto before = everything(schedule);
    EXPECT_EQ(prune(schedule, {.occurred_before = kTen + 4h}), 4);
    EXPECT_EQ(hours(schedule), (test::Lines{"14", "15", "16", "17", "18", "19"}));
    EXPECT_EQ(prune(schedule, {.occurred_before = kTen + 4h}), 0);
    EXPECT_EQ(record(schedule), before.record);
    EXPECT_EQ(events(schedule), before.events);
    EXPECT_EQ(prune(schedule, {}), 0) << "no rule, nothing to forget";
}

TEST_P(RetentionContract, PruningKeepsTheNewest) {
    const auto schedule = create_history();
    EXPECT_EQ(prune(schedule, {.keep_newest = 12}), 0);
    EXPECT_EQ(prune(schedule, {.keep_newest = 4}, 3), 3) << "at most the limit";
    EXPECT_EQ(hours(schedule), (test::Lines{"13", "14", "15", "16", "17", "18", "19"})) << "the oldest first";
    EXPECT_EQ(prune(schedule, {.keep_newest = 4}), 3);
    EXPECT_EQ(hours(schedule), (test::Lines{"16", "17", "18", "19"}));
}

TEST_P(RetentionContract, EitherRuleIsEnough) {
    const auto schedule = create_history();
    EXPECT_EQ(prune(schedule, {.occurred_before = kTen + 2h, .keep_newest = 7}), 3);
    EXPECT_EQ(hours(schedule).size(), 7U);
    EXPECT_EQ(prune(schedule, {.occurred_before = kTen + 5h, .keep_newest = 7}), 2);
    EXPECT_EQ(hours(schedule), (test::Lines{"15", "16", "17", "18", "19"}));
}

TEST_P(RetentionContract, WhatIsNotOverStaysAndSoDoesWhatTheStateNames) {
    const auto schedule = create([](auto& s) { s.overlap.policy = OverlapPolicy::buffer_all; });
    tick(kTen);
    finish(kTen);  // the last that has completed
    tick(kTen + 1h);
    tick(kTen + 2h);
    EXPECT_EQ(prune(schedule, {.occurred_before = kTen + 24h, .keep_newest = 0}), 0);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"10:00 succeeded", "11:00 queued", "12:00 buffered"}));
    const auto task = claim_one(kTen + 2h);
    EXPECT_EQ(prune(schedule, {.occurred_before = kTen + 24h}), 0) << "nor one that is running";
    ASSERT_TRUE(test::complete(*store, {lease_of(task), test::succeeded()}, kTen + 2h));
    EXPECT_EQ(prune(schedule, {.occurred_before = kTen + 24h}), 1);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"11:00 succeeded", "12:00 queued"}));
}

TEST_P(RetentionContract, AConditionStillSeesTheLastResultAfterPruning) {
    const auto schedule = create([](auto& s) { s.condition = test::json(R"({"/prior_run_result/ok":{"eq":true}})"); });
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kNine));
    finish(kNine, test::succeeded(test::json(R"({"ok":true})")));
    EXPECT_EQ(prune(schedule, {.keep_newest = 0}), 0);
    tick(kTen);
    EXPECT_EQ(run_lines(schedule).back(), "10:00 queued");
}

}  // namespace
}  // namespace belfry::store
