// What the parts of the engine do when the store's clock steps.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/jobs/cluster_member.hpp"
#include "engine/jobs/housekeeping.hpp"
#include "simulation/forwarding_store.hpp"
#include "store/memory/memory_store.hpp"
#include "store/observed_store.hpp"
#include "store/store_metrics.hpp"
#include "support/worlds/engine_world.hpp"
#include "support/worlds/set_clocks.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::engine {
namespace {

using namespace std::chrono_literals;
using test::instant;
using test::Lines;

constexpr auto kConfirm = 60s;

std::uint64_t no_jitter() { return 0; }

class ClockStep : public testing::Test {
protected:
    // Real time: both clocks advance.
    void pass(Micros time) {
        steady.at += time;
        world.clock.pass(time);
    }
    void step(Micros by) { world.clock.pass(by); }
    // Real time, in which somebody asks for it and the leader looks after leases every second.
    void live(Micros time) {
        for (Micros passed{0}; passed < time; passed += 1s) {
            pass(1s);
            world.settle();
            reaper.step();
        }
    }
    std::string claim(Micros lease = 30s) {
        world.create([](auto& schedule) {
            schedule.name = "work";
            schedule.spec.cron = {"0 0 1 1 *"};
            schedule.retry.max_retries = 5;
        });
        const auto id = world.schedules.trigger({.tenant = "default", .name = "work"}, {}, {})->id;
        EXPECT_EQ(world.runs.claim({.tenant = "default", .worker = "w", .lease = lease})->size(), 1U);
        return id;
    }
    bool held(const std::string& id) {
        return world.store->run("default", id)->execution == model::ExecutionStatus::running;
    }
    bool heartbeat(const std::string& id) { return world.runs.heartbeat({{id, 1}}, 30s)->size() == 1; }

    test::SetSteadyClock steady;
    ClockGuard guard{steady, kConfirm};
    store::StoreMetrics metrics;
    test::EngineWorld world{"2026-06-01T10:00:30Z", [this](const Clock& clock) {
                                return std::make_shared<store::ObservedStore>(
                                    std::make_unique<store::MemoryStore>(test::zones(), &clock), metrics, &guard);
                            }};
    Reaper reaper{*world.store, world.journal, [] { return true; }, {.clock = &guard}, &no_jitter};
};

TEST_F(ClockStep, OfADayForThreeSecondsDecidesNothing) {
    world.create([](auto& schedule) { schedule.spec.cron = {"* * * * *"}; });
    live(31s);
    step(24h);
    live(3s);
    step(-24h);
    live(56s);
    EXPECT_EQ(world.runs_of(),
              (Lines{"tick 2026-06-01T10:01:00Z dispatched", "tick 2026-06-01T10:02:00Z skipped overlap_in_flight"}));
}

TEST_F(ClockStep, ThatHoldsIsAnOutage) {
    world.create(
        [](auto& schedule) { schedule.spec.cron = {"0 * * * *"}, schedule.missed.policy = model::MissedPolicy::skip; });
    step(3h);
    live(kConfirm);
    EXPECT_EQ(world.runs_of(), Lines{}) << "nothing is decided for a time that is not confirmed";
    live(2s);
    EXPECT_EQ(world.runs_of(), Lines{"tick 2026-06-01T11:00:00Z skipped missed_run x3"});
}

TEST_F(ClockStep, ForwardTakesNoLeaseFromAWorkerThatSendsHeartbeats) {
    const auto id = claim();
    step(1min);
    for (int i = 0; i < 20; ++i) {
        live(10s);
        ASSERT_TRUE(heartbeat(id)) << "after " << (i + 1) * 10 << " s";
    }
    EXPECT_EQ(guard.reading().forward, 1U);
}

TEST_F(ClockStep, ForwardEndsTheLeaseOfADeadWorkerAfterItsTime) {
    const auto id = claim(5min);
    step(1h);
    live(4min + 55s);
    EXPECT_EQ(guard.reading().forward, 1U) << "it was accepted long since";
    EXPECT_TRUE(held(id));
    live(10s);
    EXPECT_FALSE(held(id));
}

TEST_F(ClockStep, BackEndsTheLeaseOfADeadWorkerAfterItsTime) {
    step(1h);
    live(kConfirm + 2s);
    const auto id = claim(5min);
    step(-1h);
    live(4min + 55s);
    EXPECT_EQ(guard.reading().back, 1U);
    EXPECT_TRUE(held(id));
    live(kConfirm + 15s);  // the clock was put back while the lease ran: it has as long as the reaper saw it then
    EXPECT_FALSE(held(id)) << "and not an hour later";
}

TEST_F(ClockStep, BackTakesNoLeaseFromAWorkerThatSendsHeartbeats) {
    const auto id = claim();
    step(-1h);
    for (int i = 0; i < 20; ++i) {
        live(10s);
        ASSERT_TRUE(heartbeat(id)) << "after " << (i + 1) * 10 << " s";
    }
    EXPECT_EQ(guard.reading().back, 1U);
}

TEST_F(ClockStep, ForwardForgetsNoRequestKeyForADay) {
    world.create([](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::allow_all; });
    Janitor janitor(
        *world.store, world.store->registry(), world.journal, [] { return true; }, {.clock = &guard}, &no_jitter);
    const auto trigger = [&] {
        model::CommandContext context;
        context.request = model::RequestKey{"a", "same"};
        return world.schedules.trigger({.tenant = "default", .name = "report"}, {}, context)->repeated;
    };
    EXPECT_FALSE(trigger());
    step(24h * 365);
    live(kConfirm + 2s);
    janitor.step();
    EXPECT_TRUE(trigger()) << "a repeated request is recognized for a day, whatever the wall clock did";
    pass(24h);
    janitor.step();
    EXPECT_FALSE(trigger());
}

// --- Leadership

// A server that attends every three seconds, and looks at the clock by itself.
struct Attending {
    Attending(const std::string& name, const std::shared_ptr<store::Store>& shared, const SteadyClock& steady)
        : guard(steady, kConfirm),
          store(std::make_unique<sim::ForwardingStore>(*shared), metrics, &guard),
          member(store, steady, journal, {.server = name, .clock = &guard}, &no_jitter, [](const ShardAssignment&) {}) {
    }

    ClockGuard guard;
    store::StoreMetrics metrics;
    store::ObservedStore store;
    test::Journal journal;
    ClusterMember member;
};

class ClockStepOfACluster : public testing::Test {
protected:
    Attending server(const std::string& name) { return {name, shared, steady}; }
    // Every server attends in turn, a second after the one before.
    void live(std::initializer_list<Attending*> servers, Micros time) {
        for (Micros passed{0}; passed < time;) {
            for (auto* const each : servers) {
                passed += 1s;
                steady.at += 1s;
                clock.pass(1s);
                each->member.step();
                ASSERT_LE(std::ranges::count_if(servers, [](const auto* one) { return one->member.leading(); }), 1)
                    << "after " << passed.count() / 1'000'000 << " s";
            }
        }
    }

    test::ManualClock clock{instant("2026-06-01T10:00:00Z")};
    test::SetSteadyClock steady;
    std::shared_ptr<store::Store> shared = std::make_shared<store::MemoryStore>(test::zones(), &clock);
};

TEST_F(ClockStepOfACluster, HasOneLeaderWhateverTheClockDoes) {
    auto a = server("a");
    auto b = server("b");
    auto c = server("c");
    for (const Micros by : std::initializer_list<Micros>{0s, 1min, -1min, 24h, -24h, 1h, -1h}) {
        clock.pass(by);
        live({&a, &b, &c}, 5min);
    }
    EXPECT_TRUE(a.member.leading());
    EXPECT_EQ(a.member.term(), 4) << "it needs a new term after each step forward, and has it before anybody else";
    EXPECT_EQ(a.guard.reading().forward, 3U);
    EXPECT_EQ(a.guard.reading().back, 3U);
}

TEST_F(ClockStepOfACluster, FollowsALeaderThatDiedInALaterTime) {
    auto a = server("a");
    auto b = server("b");
    clock.pass(24h);
    live({&a, &b}, 3min);
    clock.pass(-24h);
    live({&b}, 3min);
    EXPECT_TRUE(b.member.leading());
}

TEST_F(ClockStepOfACluster, TellsThatTheStoreIsAheadOfTheClockAlsoAfterARestart) {
    auto before = server("before");
    live({&before}, 1min);
    EXPECT_TRUE(before.member.clock().ok());
    clock.pass(-1h);
    live({&before}, 5s);
    EXPECT_EQ(before.member.clock().steps.pending, -1h);
    live({&before}, 2min);
    EXPECT_FALSE(before.member.clock().steps.pending);
    EXPECT_TRUE(before.member.clock().decided_until);
    auto after = server("after");
    live({&after}, 1min);
    ASSERT_TRUE(after.member.clock().decided_until) << "it knows of no step, and finds what the store holds";
    const auto until = *after.member.clock().decided_until;
    live({&after}, until - clock.now() + 5s);
    EXPECT_TRUE(after.member.clock().ok()) << "that time has come";
}

}  // namespace
}  // namespace belfry::engine
