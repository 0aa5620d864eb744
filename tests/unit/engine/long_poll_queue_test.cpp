#include "engine/usecases/long_poll_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "engine/jobs/long_poll_timer.hpp"
#include "support/worlds/engine_world.hpp"

namespace belfry::engine {

namespace {

using Found = LongPollQueue::Found;

const std::string kLine = line_key("default", "mail");

// A line on a clock that stands still, a heap of tasks, and the names of those who were told that it is their turn.
struct World {
    test::ManualClock clock{Instant{}};
    test::ManualSteadyClock steady{clock};
    LongPollQueue waiters{steady};
    std::vector<std::string> told;
    int tasks = 0;

    struct Waiter {
        World& world;
        std::string name;
        std::unique_ptr<LongPollQueue::Place> place;

        // As a session does it: looks when it is its turn.
        Found look(int wanted = 1) const {
            return place->look([&] {
                const int taken = std::min(world.tasks, wanted);
                world.tasks -= taken;
                return taken == 0 ? Found::nothing : taken < wanted ? Found::some : Found::all_wanted;
            });
        }
    };
    Waiter join(const std::string& name, const std::string& line = kLine) {
        Waiter waiter{*this, name, waiters.join(line)};
        waiter.place->listen([this, name] { told.push_back(name); });
        return waiter;
    }
    std::vector<std::string> heard() { return std::exchange(told, {}); }
};

using Names = std::vector<std::string>;

}  // namespace

TEST(LongPollQueue, ARingWakesTheFirstAndNobodyElse) {
    World world;
    const auto a = world.join("a");
    const auto b = world.join("b");
    EXPECT_EQ(world.heard(), Names{});
    world.waiters.ring(line_key("default", "other"));
    world.waiters.ring(line_key("other", "mail"));
    world.waiters.ring(line_key("default", "mail", "somebody"));
    EXPECT_EQ(world.heard(), Names{});
    world.waiters.ring(kLine);
    EXPECT_EQ(world.heard(), Names{"a"});
    EXPECT_EQ(a.look(), Found::nothing);
    EXPECT_EQ(world.heard(), Names{}) << "what the first did not find is not there for the second";
    world.waiters.ring(kLine);
    EXPECT_EQ(world.heard(), Names{"a"}) << "it is still the first";
}

TEST(LongPollQueue, ThoseWhoWaitAreServedInTheOrderInWhichTheyCameUntilOneFindsNothing) {
    World world;
    const auto a = world.join("a");
    const auto b = world.join("b");
    const auto c = world.join("c");
    const auto d = world.join("d");
    world.tasks = 2;
    world.waiters.ring(kLine);
    EXPECT_EQ(world.heard(), Names{"a"});
    EXPECT_EQ(a.look(), Found::all_wanted);
    EXPECT_EQ(world.heard(), Names{"b"});
    EXPECT_EQ(b.look(), Found::all_wanted);
    EXPECT_EQ(world.heard(), Names{"c"});
    EXPECT_EQ(c.look(), Found::nothing);
    EXPECT_EQ(world.heard(), Names{});
    const auto again = world.join("a again");
    world.tasks = 1;
    world.waiters.ring(kLine);
    EXPECT_EQ(world.heard(), Names{"c"});
    EXPECT_EQ(c.look(), Found::all_wanted);
    EXPECT_EQ(world.heard(), Names{"d"}) << "whoever comes back stands behind those who waited";
}

TEST(LongPollQueue, WhoeverFindsFewerThanItWantedKnowsThatThereAreNoMore) {
    World world;
    const auto a = world.join("a");
    const auto b = world.join("b");
    world.tasks = 3;
    world.waiters.ring(kLine);
    EXPECT_EQ(a.look(10), Found::some);
    EXPECT_EQ(world.heard(), Names{"a"});
}

TEST(LongPollQueue, ARingDuringALookIsNotLost) {
    for (const bool finds : {false, true}) {
        World world;
        const auto a = world.join("a");
        const auto b = world.join("b");
        world.waiters.ring(kLine);
        world.heard();
        a.place->look([&] {
            world.waiters.ring(kLine);
            world.waiters.ring(kLine);
            EXPECT_EQ(world.heard(), Names{}) << "it has the turn already";
            return finds ? Found::some : Found::nothing;
        });
        EXPECT_EQ(world.heard(), Names{finds ? "b" : "a"});
    }
}

TEST(LongPollQueue, ARingBetweenTheFirstLookAndTheWaitIsNotLost) {
    World world;
    const auto place = world.waiters.join(kLine);
    place->look([&] {
        world.waiters.ring(kLine);  // too late for this look
        return Found::nothing;
    });
    int rings = 0;
    place->listen([&] { ++rings; });
    EXPECT_EQ(rings, 1);
}

TEST(LongPollQueue, AWaiterWithTheTurnWhoLooksForAnotherReasonKeepsItWhenTheTurnCameTooLate) {
    World world;
    const auto a = world.join("a");
    const auto b = world.join("b");
    a.place->look([&] {
        world.waiters.ring(kLine);
        return Found::nothing;
    });
    EXPECT_EQ(world.heard(), Names{"a"});
    EXPECT_EQ(a.look(), Found::nothing) << "the session was told, so it looks again";
    world.waiters.ring(kLine);
    EXPECT_EQ(world.heard(), Names{"a"}) << "the turn was given back";
    b.place->look([&] { return Found::all_wanted; });
    EXPECT_EQ(a.look(), Found::nothing);
    EXPECT_EQ(world.heard(), Names{"a"}) << "somebody who found as many as it wanted leaves more behind, perhaps";
}

TEST(LongPollQueue, WhoeverLeavesWithTheTurnPassesItOn) {
    World world;
    auto a = world.join("a");
    auto b = world.join("b");
    auto c = world.join("c");
    c.place.reset();
    EXPECT_EQ(world.heard(), Names{}) << "it had no turn";
    world.waiters.ring(kLine);
    a.place.reset();
    EXPECT_EQ(world.heard(), (Names{"a", "b"}));
    b.place.reset();
    EXPECT_EQ(world.waiters.lines(), 0U) << "nothing is kept of a line that nobody stands in";
    world.waiters.ring(kLine);
    EXPECT_EQ(world.heard(), Names{});
}

TEST(LongPollQueue, ARingForAllGivesTheTurnInEveryLine) {
    World world;
    const auto a = world.join("a");
    const auto b = world.join("b");
    const auto other = world.join("other", line_key("default", "other"));
    world.waiters.ring_all();
    auto heard = world.heard();
    std::ranges::sort(heard);
    EXPECT_EQ(heard, (Names{"a", "other"}));
}

TEST(LongPollQueue, ALineIsAskedOnceASecondAtTheLatest) {
    World world;
    LongPollTimer bell(world.waiters);
    const auto a = world.join("a");
    const auto b = world.join("b");
    const auto wait_for_turn = [&] {
        const auto began = world.clock.now();
        while (world.told.empty() && world.clock.now() - began < Seconds{5}) {
            const auto wait = bell.step();
            EXPECT_GT(wait, Micros{0});
            if (world.told.empty()) world.clock.pass(wait);
        }
        return world.clock.now() - began;
    };
    for (int i = 0; i < 3; ++i) {
        EXPECT_LE(wait_for_turn(), kLineAskedEvery);
        EXPECT_EQ(world.heard(), Names{"a"}) << "one for the whole line";
        bell.step();
        EXPECT_EQ(world.heard(), Names{}) << "it has the turn";
        EXPECT_EQ(a.look(), Found::nothing);
    }
    world.waiters.ring(kLine);
    EXPECT_EQ(a.look(), Found::nothing);
    world.heard();
    bell.step();
    EXPECT_EQ(world.heard(), Names{}) << "it was asked just now";
}

// Every task is found although each is rung for once, whatever the threads do in between.
TEST(LongPollQueue, NoTaskIsLeftLyingWhileSomebodyWaits) {
    constexpr int kTasks = 2'000;
    const SystemSteadyClock steady;
    LongPollQueue waiters(steady);
    std::atomic<int> made = 0;
    std::atomic<int> taken = 0;
    const auto take = [&] {
        for (int seen = taken; seen < made;) {
            if (taken.compare_exchange_weak(seen, seen + 1)) return Found::all_wanted;
        }
        return Found::nothing;
    };
    std::vector<std::jthread> workers;
    for (int i = 0; i < 4; ++i) {
        workers.emplace_back([&] {
            while (taken < kTasks) {
                const auto place = waiters.join(kLine);
                if (place->look(take) != Found::nothing) continue;
                const auto rung = std::make_shared<std::atomic<int>>(0);
                place->listen([rung] { ++*rung; });
                for (int handled = 0; taken < kTasks;) {
                    if (*rung == handled) {
                        std::this_thread::yield();
                        continue;
                    }
                    handled = *rung;
                    if (place->look(take) != Found::nothing) break;
                }
            }
        });
    }
    for (int i = 0; i < kTasks; ++i) {
        ++made;
        waiters.ring(kLine);
        if (i % 3 == 0) {
            while (taken < made) std::this_thread::yield();
        }
    }
    while (taken < kTasks) std::this_thread::yield();
    workers.clear();
    EXPECT_EQ(waiters.lines(), 0U);
}

}  // namespace belfry::engine
