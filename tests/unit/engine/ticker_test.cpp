#include "engine/ticker.hpp"

#include <gtest/gtest.h>

#include "support/engine_world.hpp"

namespace belfry::test {
namespace {

using engine::Shares;

TEST(Ticker, SleepsUntilTheNextFireTimeAndNoLongerThanATick) {
    EngineWorld world("2026-06-01T10:00:00Z");
    world.create();
    EXPECT_EQ(world.settle(), 1);
    EXPECT_EQ(world.ticker.step(), Seconds{1});
    world.clock.set(instant("2026-06-01T10:59:59.5Z"));
    EXPECT_EQ(world.ticker.step(), std::chrono::milliseconds{500});
    world.clock.set(instant("2026-06-01T10:59:59.999999Z"));
    EXPECT_EQ(world.ticker.step(), Micros{1});
    EXPECT_EQ(world.runs_of(), Lines{});
    world.clock.set(instant("2026-06-01T11:00:00Z"));
    world.settle();
    EXPECT_EQ(world.runs_of(), Lines{"tick 2026-06-01T11:00:00Z dispatched"});
}

TEST(Ticker, FiresEveryOccurrenceOnceInTheOrderOfTime) {
    EngineWorld world("2026-06-01T10:00:00Z");
    world.create([](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::allow_all; });
    world.play("2026-06-01T13:30:00Z");
    EXPECT_EQ(world.runs_of(),
              (Lines{"tick 2026-06-01T11:00:00Z dispatched", "tick 2026-06-01T12:00:00Z dispatched", "tick 2026-06-01T13:00:00Z dispatched"}));
}

TEST(Ticker, FindsWhatWasThereBeforeItStarted) {
    EngineWorld first("2026-06-01T10:00:00Z");
    first.create();
    EngineWorld second("2026-06-01T10:59:00Z", [&first](const Clock&) { return first.store; });
    first.clock.set(instant("2026-06-01T11:00:00Z"));
    second.clock.set(instant("2026-06-01T11:00:00Z"));
    second.settle();
    EXPECT_EQ(second.runs_of(), Lines{"tick 2026-06-01T11:00:00Z dispatched"});
}

TEST(Ticker, WhatIsAnnouncedIsHeededWithTheNextStep) {
    EngineWorld world("2026-06-01T10:00:00Z");
    world.settle();
    world.create([](auto& schedule) { schedule.spec.cron = {"* * * * *"}; });
    world.clock.set(instant("2026-06-01T10:00:59.9Z"));
    EXPECT_EQ(world.ticker.step(), std::chrono::milliseconds{100});
}

TEST(Ticker, AnAnnouncementThatWasLostIsMadeUpForByASweep) {
    EngineWorld world("2026-06-01T10:00:00Z");
    world.settle();
    world.store->listen({});
    world.create([](auto& schedule) { schedule.spec.cron = {"* * * * *"}; });
    world.play("2026-06-01T10:02:30Z");
    EXPECT_EQ(world.runs_of().size(), 2U);
}

TEST(Ticker, TheStoresClockDecidesWhatIsDueWhateverMemoryBelieves) {
    EngineWorld world("2026-06-01T10:00:00Z");
    const auto record = world.create();
    world.settle();
    world.ticker.hear(store::ScheduleMoved{model::key_of(record.definition.id), instant("2026-06-01T09:00:00Z"), 0});
    world.settle();
    EXPECT_EQ(world.runs_of(), Lines{});
    world.play("2026-06-01T11:00:00Z");
    EXPECT_EQ(world.runs_of(), Lines{"tick 2026-06-01T11:00:00Z dispatched"});
}

TEST(Ticker, WorksOffAHerdInBoundedBatches) {
    engine::TickerOptions options;
    options.batch = 10;
    EngineWorld world("2026-06-01T10:00:00Z", options);
    for (int i = 0; i < 95; ++i) {
        world.create([i](auto& schedule) { schedule.name = "s" + std::to_string(i); });
    }
    world.settle();
    world.journal.ticks.clear();
    world.clock.set(instant("2026-06-01T11:00:00Z"));
    EXPECT_EQ(world.settle(), 10);
    EXPECT_EQ(world.journal.ticks.size(), 10U);
    std::size_t decided = 0;
    for (const auto& tick : world.journal.ticks) decided += tick.decided;
    EXPECT_EQ(decided, 95U);
}

TEST(Ticker, OneBatchWritesABoundedNumberOfRunsAndTheRestIsNext) {
    engine::TickerOptions options;
    options.runs_per_batch = 150;
    EngineWorld world("2026-06-01T10:00:00Z", options);
    for (int i = 0; i < 4; ++i) {
        world.create([i](auto& schedule) {
            schedule.name = "s" + std::to_string(i);
            schedule.spec.cron = {"* * * * *"};
            schedule.overlap.policy = model::OverlapPolicy::allow_all;
            schedule.missed = {model::MissedPolicy::fire_all, Seconds{60}, 1000};
        });
    }
    world.settle();
    world.clock.set(instant("2026-06-01T12:00:00Z"));
    world.ticker.step();
    std::size_t first = 0;
    for (int i = 0; i < 4; ++i) first += world.runs_of("s" + std::to_string(i)).size();
    EXPECT_EQ(first, 150U);
    world.settle();
    for (int i = 0; i < 4; ++i) EXPECT_EQ(world.runs_of("s" + std::to_string(i)).size(), 120U) << i;
}

TEST(Ticker, LeavesAnotherServersShareToItForAMomentAndThenHelps) {
    EngineWorld world("2026-06-01T10:00:00Z");
    const auto record = world.create();
    const auto key = model::key_of(record.definition.id);
    const Shares not_mine{Shares{0, 2}.mine(key) ? std::size_t{1} : std::size_t{0}, 2};
    world.ticker.share(not_mine);
    world.settle();
    world.clock.set(instant("2026-06-01T11:00:00Z"));
    EXPECT_EQ(world.ticker.step(), std::chrono::milliseconds{250});
    EXPECT_EQ(world.runs_of(), Lines{});
    world.clock.pass(std::chrono::milliseconds{250});
    world.settle();
    EXPECT_EQ(world.runs_of(), Lines{"tick 2026-06-01T11:00:00Z dispatched"});
}

TEST(Ticker, WhatTheOtherServerHasFiredIsOnlyLookedAt) {
    EngineWorld world("2026-06-01T10:00:00Z");
    const auto record = world.create();
    const auto key = model::key_of(record.definition.id);
    const Shares not_mine{Shares{0, 2}.mine(key) ? std::size_t{1} : std::size_t{0}, 2};
    EngineWorld other("2026-06-01T10:00:00Z", [&world](const Clock&) { return world.store; });
    world.store->listen([&world](const store::Announcement& announcement) { world.ticker.hear(announcement); });
    world.ticker.share(not_mine);
    other.ticker.share({1 - not_mine.index, 2});
    world.settle();
    other.settle();
    world.clock.set(instant("2026-06-01T11:00:00Z"));
    world.settle();
    other.settle();
    EXPECT_EQ(other.runs_of(), Lines{"tick 2026-06-01T11:00:00Z dispatched"});
    world.clock.pass(std::chrono::milliseconds{250});
    world.settle();
    EXPECT_TRUE(world.journal.ticks.empty());
    EXPECT_EQ(world.ticker.standing().next_fire, instant("2026-06-01T12:00:00Z"));
}

TEST(Ticker, ADeletedScheduleIsForgotten) {
    EngineWorld world("2026-06-01T10:00:00Z");
    const auto record = world.create();
    world.settle();
    world.store->listen({});
    ASSERT_TRUE(world.schedules.remove({"default", record.definition.id}, "", {}));
    world.play("2026-06-01T11:30:00Z");
    EXPECT_EQ(world.ticker.standing().schedules, 0U);
}

}  // namespace
}  // namespace belfry::test
