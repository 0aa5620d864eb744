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

// --- the sweep

class SweepContract : public StoreContract {
protected:
    // So many runs that are over, and the last of them is named by the state.
    model::Schedule create_with_runs(const std::string& name, int count, const test::Edit& edit = {}) {
        auto schedule = create_named(name, [&](auto& s) {
            s.target.queue = name;
            if (edit) edit(s);
        });
        for (int hour = 0; hour < count; ++hour) {
            const auto now = kTen + hour * 1h;
            tick(now, {key_of(schedule)});
            for (const auto& task :
                 store->claim({.tenant = schedule.tenant, .queue = name, .worker = "w", .limit = 1, .now = now})
                     .value()) {
                EXPECT_TRUE(test::complete(*store, {lease_of(task), test::succeeded()}, now));
            }
        }
        return schedule;
    }

    PruneOutcome sweep(const PruneRequest& request) {
        const auto swept = store->prune_some(request);
        EXPECT_TRUE(swept) << swept.error().message;
        return swept ? *swept : PruneOutcome{-1};
    }
    std::vector<std::size_t> counts(const std::vector<model::Schedule>& schedules) {
        std::vector<std::size_t> all;
        for (const auto& schedule : schedules) all.push_back(runs(schedule).size());
        return all;
    }
    using Counts = std::vector<std::size_t>;
};
INSTANTIATE_TEST_SUITE_P(Every, SweepContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(SweepContract, GoesPageByPageOverTheSchedulesOfAllTenantsDeletedOnesToo) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    std::vector all{create_with_runs("a", 3), create_named("empty"),
                    create_with_runs("b", 4, [](auto& s) { s.tenant = "acme"; }), create_with_runs("c", 2),
                    create_with_runs("d", 1)};
    ASSERT_TRUE(test::remove(*store, ref_of(all[3]), kTen + 9h));
    const auto before = everything(all[0]);
    const Retention newest{.keep_newest = 1};
    const auto first = sweep({.schedules = 2, .retention = newest});
    EXPECT_EQ(first, (PruneOutcome{2, key_of(all[1])}));
    EXPECT_EQ(counts(all), (Counts{1, 0, 4, 2, 1}));
    const auto second = sweep({.after_key = *first.next_after, .schedules = 2, .retention = newest});
    EXPECT_EQ(second, (PruneOutcome{4, key_of(all[3])}));
    EXPECT_EQ(counts(all), (Counts{1, 0, 1, 1, 1}));
    EXPECT_EQ(sweep({.after_key = *second.next_after, .schedules = 2, .retention = newest}),
              (PruneOutcome{0, std::nullopt}));
    EXPECT_EQ(sweep({.retention = newest}), PruneOutcome{}) << "nothing is left";
    EXPECT_EQ(record(all[0]), before.record);
    EXPECT_EQ(events(all[0]), before.events);
}

TEST_P(SweepContract, GoesOnWithTheScheduleAtWhichTheLimitWasReached) {
    const std::vector all{create_with_runs("a", 2), create_with_runs("b", 6), create_with_runs("c", 3)};
    const Retention newest{.keep_newest = 1};
    PruneRequest request{.retention = newest, .limit = 3};
    const auto first = sweep(request);
    EXPECT_EQ(first, (PruneOutcome{3, key_of(all[1]) - 1}));
    EXPECT_EQ(counts(all), (Counts{1, 4, 3}));
    request.after_key = *first.next_after;
    EXPECT_EQ(sweep(request), first) << "b again, up to the limit";
    EXPECT_EQ(counts(all), (Counts{1, 1, 3}));
    EXPECT_EQ(sweep(request), (PruneOutcome{2, std::nullopt}));
    EXPECT_EQ(counts(all), (Counts{1, 1, 1}));
}

TEST_P(SweepContract, EndsHoweverSmallItsSteps) {
    std::vector<model::Schedule> all;
    for (const char* const name : {"a", "b", "c"}) all.push_back(create_with_runs(name, 3));
    PruneRequest request{.schedules = 0, .retention = {.occurred_before = kTen + 9h}, .limit = 0};
    std::int64_t removed = 0;
    int calls = 0;
    for (; calls < 100; ++calls) {
        const auto swept = sweep(request);
        removed += swept.removed;
        EXPECT_LE(swept.removed, 1);
        if (!swept.next_after) break;
        request.after_key = *swept.next_after;
    }
    EXPECT_LT(calls, 20);
    EXPECT_EQ(removed, 6) << "all but the last of each, which the states name";
    EXPECT_EQ(counts(all), (Counts{1, 1, 1}));
}

TEST_P(SweepContract, ForgetsWhatPruningOneByOneWouldForget) {
    const auto schedule = create([](auto& s) { s.overlap.policy = OverlapPolicy::buffer_all; });
    tick(kTen);
    finish(kTen);
    tick(kTen + 1h);
    tick(kTen + 2h);
    const Retention everything_old{.occurred_before = kTen + 24h, .keep_newest = 0};
    EXPECT_EQ(sweep({.retention = everything_old}), PruneOutcome{}) << "completed last, queued and buffered";
    EXPECT_EQ(sweep({.retention = {}}), PruneOutcome{}) << "no rule, nothing to forget";
    finish(kTen + 2h);
    EXPECT_EQ(sweep({.retention = {.occurred_before = kTen}}).removed, 0) << "it did not occur before";
    EXPECT_EQ(sweep({.retention = {.occurred_before = kTen + Micros{1}}}).removed, 1);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"11:00 succeeded", "12:00 queued"}));
    EXPECT_EQ(sweep({.retention = everything_old}), PruneOutcome{});
    EXPECT_EQ(store->prune(ref_of(schedule), everything_old, 100).value(), 0);
}

}  // namespace
}  // namespace belfry::store
