// Backfills that run in turn, that run what was skipped, and that run again what has run.
#include <algorithm>
#include <set>

#include "store_contract.hpp"

namespace belfry::store {
namespace {

using model::BackfillRerun;
using model::BackfillStatus;

class BackfillRerunContract : public StoreContract {
protected:
    // Of 7:00 and 8:00, one at a time.
    model::Backfill ask(const model::Schedule& schedule, Instant now, BackfillRerun rerun = BackfillRerun::missing,
                        std::optional<int> concurrency = 1) {
        auto backfill = test::new_backfill(schedule, kNine - 2h, kNine - 1h, now);
        backfill.rerun = rerun;
        backfill.concurrency = concurrency;
        const auto created = store->create_backfill("default", backfill);
        EXPECT_TRUE(created) << created.error().message;
        return backfill;
    }
    BackfillStep step(const model::Backfill& backfill, Instant now) {
        auto stepped = test::step(*store, "default", backfill, now, 10);
        EXPECT_TRUE(stepped) << stepped.error().message;
        return stepped ? *stepped : BackfillStep{};
    }
    // To its end; every run ends as `end` says.
    void fill(const model::Schedule& schedule, Instant now, BackfillRerun rerun,
              const decide::AttemptEnd& end = test::succeeded()) {
        const auto backfill = ask(schedule, now, rerun);
        for (int turns = 0; turns < 10; ++turns) {
            const auto stepped = step(backfill, now);
            for (const auto& task : claim(now)) ASSERT_TRUE(test::complete(*store, {lease_of(task), end}, now));
            if (is_over(stepped.backfill.status)) return;
        }
        ADD_FAILURE() << "it does not come to its end";
    }
};
INSTANTIATE_TEST_SUITE_P(Every, BackfillRerunContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(BackfillRerunContract, KeepsTheConcurrencyAndWhatToRunAgain) {
    const auto schedule = create();
    const auto backfill = ask(schedule, kNine, BackfillRerun::failed, 7);
    reopen();
    EXPECT_EQ(store->backfill("default", backfill.id).value(), backfill);
    EXPECT_EQ(store->running_backfills(10).value().front().second, backfill);
}

TEST_P(BackfillRerunContract, OneOccurrenceRunsAfterTheOtherAndARestartChangesNothing) {
    const auto schedule = create();
    const auto backfill = ask(schedule, kNine);
    EXPECT_EQ(step(backfill, kNine).backfill.next_from, kNine - 1h);
    reopen();
    EXPECT_TRUE(step(backfill, kNine + 1s).plan.empty()) << "the first goes on";
    EXPECT_EQ(run_lines(schedule), (test::Lines{"07:00 queued"}));
    finish(kNine + 2s);
    reopen();
    EXPECT_EQ(step(backfill, kNine + 3s).backfill.status, BackfillStatus::completed);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"07:00 succeeded", "08:00 queued"}));
}

TEST_P(BackfillRerunContract, WhatABackfillSkippedIsRunByALaterOneInTheSameRow) {
    const auto schedule = create([](auto& s) { s.calendars = {"weekends-only"}; });  // it is a Monday
    fill(schedule, kNine, BackfillRerun::missing);
    ASSERT_EQ(run_lines(schedule), (test::Lines{"07:00 skipped calendar", "08:00 skipped calendar"}));
    const auto before = runs(schedule);
    const auto skips = state(schedule).skips;
    ASSERT_TRUE(test::update(*store, ref_of(schedule), kNine, [](auto& s) { s.calendars.clear(); }));
    reopen();
    fill(schedule, kNine + 1s, BackfillRerun::missing, test::succeeded(test::json("1")));
    EXPECT_EQ(run_lines(schedule), (test::Lines{"07:00 succeeded", "08:00 succeeded"}));
    const auto after = runs(schedule);
    ASSERT_EQ(after.size(), 2U);
    EXPECT_EQ(after.front().id, before.front().id);
    EXPECT_EQ(after.front().reason, std::nullopt);
    EXPECT_EQ(after.front().detail, "");
    EXPECT_EQ(after.front().version, 2);
    EXPECT_EQ(state(schedule).skips, skips);
    EXPECT_EQ(state(schedule).runs, 2);
    int told = 0;
    for (const auto& [event, hash] : events(schedule))
        told += event.type == model::EventType::schedule_trigger_skipped ? 1 : 0;
    EXPECT_EQ(told, 2) << "that it was skipped once stays on record";
    test::expect_chain(record(schedule), events(schedule));
    fill(schedule, kNine + 2s, BackfillRerun::missing);
    EXPECT_EQ(runs(schedule), after) << "now they have run";
}

TEST_P(BackfillRerunContract, WhatTwoBackfillsSkippedKeepsOneRowAndAnEventOfEach) {
    const auto schedule = create([](auto& s) { s.calendars = {"weekends-only"}; });  // it is a Monday
    fill(schedule, kNine, BackfillRerun::missing);
    fill(schedule, kNine + 1s, BackfillRerun::missing);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"07:00 skipped calendar", "08:00 skipped calendar"}));
    const auto all = events(schedule);
    EXPECT_EQ(std::ranges::count_if(
                  all, [](const auto& one) { return one.event.type == model::EventType::schedule_trigger_skipped; }),
              4);
    test::expect_chain(record(schedule), all);
}

TEST_P(BackfillRerunContract, NobodyWritesOverARunThatWasNotSkipped) {
    const auto schedule = create();
    fill(schedule, kNine, BackfillRerun::missing);
    const auto before = everything(schedule);
    const auto refused = store->change(ref_of(schedule), {.now = kNine}, [](const Facts& facts) -> Result<Plan> {
        auto plan = decide::plan_trigger(facts, {}, kNine).value();
        plan.runs.front().slot = {model::RunCause::backfill, kNine - 1h};
        plan.runs.front().id = model::run_id(plan.schedule_id, plan.runs.front().slot);
        plan.runs.front().replaces = true;
        return plan;
    });
    EXPECT_EQ(code_of(refused), ErrorCode::conflict);
    EXPECT_EQ(everything(schedule), before);
}

TEST_P(BackfillRerunContract, RunsAgainWhatHasFailedAndOnlyThat) {
    const auto schedule = create();
    fill(schedule, kNine, BackfillRerun::all, test::failed());
    EXPECT_EQ(run_lines(schedule), (test::Lines{"07:00 failed", "08:00 failed"}));
    fill(schedule, kNine + 1s, BackfillRerun::failed);
    EXPECT_EQ(run_lines(schedule), (test::Lines{"07:00 failed", "07:00 succeeded", "08:00 failed", "08:00 succeeded"}));
    const auto before = runs(schedule);
    fill(schedule, kNine + 2s, BackfillRerun::failed);
    EXPECT_EQ(runs(schedule), before) << "the newest of each has succeeded";
}

TEST_P(BackfillRerunContract, EveryRerunIsARunOfItsOwnWithAKeyOfItsOwn) {
    const auto schedule = create();
    for (int i = 0; i < 3; ++i) fill(schedule, kNine + i * 1s, BackfillRerun::all);
    reopen();
    const auto all = runs(schedule);
    ASSERT_EQ(all.size(), 6U);
    std::set<std::string> ids;
    std::set<std::string> keys;
    std::set<int> reruns;
    for (const auto& run : all) {
        ids.insert(run.id);
        keys.insert(model::idempotency_key(schedule.id, run.slot));
        reruns.insert(run.slot.rerun);
        EXPECT_TRUE(run.slot.occurrence == kNine - 2h || run.slot.occurrence == kNine - 1h);
        EXPECT_EQ(this->run(run.id), run);
    }
    EXPECT_EQ(ids.size(), 6U);
    EXPECT_EQ(keys.size(), 6U);
    EXPECT_EQ(reruns, (std::set{0, 1, 2}));
    // A rerun stands after what it repeats, within the second of its occurrence.
    const auto of = [&](Instant from, Instant to) {
        return test::all_runs(*store, {.tenant = "default", .schedule_id = schedule.id, .from = from, .to = to}).size();
    };
    EXPECT_EQ(of(kNine - 1h, kNine - 1h), 1U);
    EXPECT_EQ(of(kNine - 1h, kNine - 1h + model::kRerunSpan), 3U);
    EXPECT_EQ(of(kNine - 2h, kNine - 1h), 4U);
}

}  // namespace
}  // namespace belfry::store
