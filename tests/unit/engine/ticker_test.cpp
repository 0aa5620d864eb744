#include "engine/jobs/ticker.hpp"

#include <gtest/gtest.h>

#include "simulation/forwarding_store.hpp"
#include "support/worlds/engine_world.hpp"

namespace belfry::test {
namespace {

using engine::ShardAssignment;

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
    EXPECT_EQ(world.runs_of(), (Lines{"tick 2026-06-01T11:00:00Z dispatched", "tick 2026-06-01T12:00:00Z dispatched",
                                      "tick 2026-06-01T13:00:00Z dispatched"}));
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
    world.ticker.on_notification(
        store::ScheduleMoved{model::key_of(record.definition.id), instant("2026-06-01T09:00:00Z"), 0});
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

TEST(Ticker, ReleasesWhatIsBufferedWhenDispatchIsSwitchedOn) {
    EngineWorld world("2026-06-01T09:30:00Z");
    const auto id =
        world.create([](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::buffer_all; }).definition.id;
    world.play("2026-06-01T11:00:00Z");
    const auto switch_dispatch = [&](bool on) {
        auto tenant = world.store->tenant("default").value();
        tenant.dispatch_enabled = on;
        tenant.version += 1;
        ASSERT_TRUE(world.store->put_tenant(tenant));
    };
    switch_dispatch(false);
    const auto first = world.store->runs({.tenant = "default", .schedule_id = id}, {})->items.back().id;
    ASSERT_TRUE(world.runs.cancel("default", first, "stop"));
    world.play("2026-06-01T11:10:00Z");
    EXPECT_EQ(world.runs_of(), (Lines{"tick 2026-06-01T10:00:00Z dispatched", "tick 2026-06-01T11:00:00Z buffered"}));
    switch_dispatch(true);
    world.play("2026-06-01T11:10:05Z");
    EXPECT_EQ(world.runs_of(), (Lines{"tick 2026-06-01T10:00:00Z dispatched", "tick 2026-06-01T11:00:00Z dispatched"}));
}

// Every look at it takes a while: decisions on it are slow.
class SlowClock final : public SteadyClock {
public:
    [[nodiscard]] Micros now() const override { return now_ += std::chrono::milliseconds{10}; }

private:
    mutable Micros now_{0};
};

TEST(Ticker, SleepsUntilTheNextFireHoweverLongItsStepTook) {
    EngineWorld world("2026-06-01T10:59:59.500Z");
    world.create();
    const SlowClock slow;
    engine::Ticker ticker(*world.store, slow, world.journal, {}, [] { return std::uint64_t{0}; });
    const auto wait = ticker.step();
    EXPECT_GT(wait, Micros{0});
    EXPECT_LT(wait, std::chrono::milliseconds{500});
}

class TickerWithABacklog : public testing::Test {
protected:
    void SetUp() override {
        for (int i = 0; i < kMany; ++i) {
            world.create([i](auto& schedule) {
                schedule.name = "s" + std::to_string(i);
                schedule.spec.cron = {"30 * * * *"};
                schedule.missed.policy = model::MissedPolicy::skip;
            });
        }
        ASSERT_TRUE(world.store->put_tenant({.name = "other"}));
        world.create([](auto& schedule) {
            schedule.tenant = "other";
            schedule.name = "on-time";
            schedule.spec.cron = {"0 12 * * *"};
        });
        ticker.step();  // reads what there is
        world.clock.set(instant("2026-06-01T11:59:59Z"));
    }
    std::size_t decided() {
        std::size_t count = 0;
        for (int i = 0; i < kMany; ++i) count += world.runs_of("s" + std::to_string(i)).empty() ? 0U : 1U;
        return count;
    }

    static constexpr int kMany = 300;
    EngineWorld world{"2026-06-01T09:00:00Z"};
    SlowClock slow;
    engine::Ticker ticker{*world.store, slow, world.journal, {.planning = std::chrono::milliseconds{500}}, [] {
                              return std::uint64_t{0};
                          }};
};

TEST_F(TickerWithABacklog, OneTransactionDecidesForABoundedTimeAndTheRestIsNext) {
    ticker.step();
    const auto first = decided();
    EXPECT_GT(first, 0U);
    EXPECT_LT(first, 100U);
    int steps = 1;
    while (ticker.step() == Micros{0}) ASSERT_LT(++steps, 100);
    EXPECT_EQ(decided(), static_cast<std::size_t>(kMany));
    for (int i = 0; i < kMany; ++i) {
        EXPECT_EQ(world.runs_of("s" + std::to_string(i)).front(), "tick 2026-06-01T09:30:00Z skipped missed_run x3")
            << i;
    }
}

TEST_F(TickerWithABacklog, WhatIsOnTimeDoesNotWaitForIt) {
    ticker.step();
    world.clock.set(instant("2026-06-01T12:00:00Z"));
    ticker.step();
    EXPECT_LT(decided(), static_cast<std::size_t>(kMany));
    EXPECT_EQ(world.runs_of("on-time", "other"), Lines{"tick 2026-06-01T12:00:00Z dispatched"});
}

// Fails whatever takes too long, as a database does.
class ImpatientStore final : public sim::ForwardingStore {
public:
    ImpatientStore(store::Store& inner, std::size_t most) : ForwardingStore(inner), most_(most) {}
    Result<store::TickOutcome> tick(const store::TickRequest& request, const store::Planner& planner) override {
        if (request.keys.size() <= most_) return ForwardingStore::tick(request, planner);
        return Error{ErrorCode::unavailable, "the transaction took too long"};
    }

private:
    const std::size_t most_;
};

TEST_F(TickerWithABacklog, ABatchThatTakesTooLongIsTriedAgainInHalves) {
    ImpatientStore impatient(*world.store, 10);
    engine::Ticker other(impatient, slow, world.journal, {.planning = std::chrono::milliseconds{5}},
                         [] { return std::uint64_t{0}; });
    for (int steps = 0; other.step() == Micros{0} || decided() < static_cast<std::size_t>(kMany); ++steps)
        ASSERT_LT(steps, 2'000);
}

TEST(Ticker, LeavesAnotherServersShareToItForAMomentAndThenHelps) {
    EngineWorld world("2026-06-01T10:00:00Z");
    const auto record = world.create();
    const auto key = model::key_of(record.definition.id);
    const ShardAssignment not_mine{ShardAssignment{0, 2}.mine(key) ? std::size_t{1} : std::size_t{0}, 2};
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
    const ShardAssignment not_mine{ShardAssignment{0, 2}.mine(key) ? std::size_t{1} : std::size_t{0}, 2};
    EngineWorld other("2026-06-01T10:00:00Z", [&world](const Clock&) { return world.store; });
    world.store->listen(
        [&world](const store::Notification& notification) { world.ticker.on_notification(notification); });
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
