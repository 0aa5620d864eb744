#include "engine/jobs/timer.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "support/worlds/seed.hpp"

namespace belfry::engine {
namespace {

Instant at(int second) { return Instant{Seconds{second}}; }
using Keys = std::vector<std::int64_t>;

TEST(Timer, GivesOutWhatIsDueInTheOrderOfTime) {
    Timer timer;
    timer.set(1, 7, at(30));
    timer.set(2, 7, at(10));
    timer.set(3, 7, at(20));
    EXPECT_EQ(timer.next(), at(10));
    EXPECT_EQ(timer.take(at(9), 10), Keys{});
    EXPECT_EQ(timer.take(at(20), 10), (Keys{2, 3}));
    EXPECT_EQ(timer.next(), at(30));
}

TEST(Timer, WhatIsSetLaterCounts) {
    Timer timer;
    timer.set(1, 7, at(10));
    timer.set(1, 7, at(50));
    timer.set(2, 7, at(60));
    timer.set(2, 7, at(20));
    timer.set(3, 7, at(20));
    timer.set(3, 7, std::nullopt);
    EXPECT_EQ(timer.next(), at(20));
    EXPECT_EQ(timer.take(at(30), 10), Keys{2});
    EXPECT_EQ(timer.take(at(100), 10), Keys{1});
    EXPECT_EQ(timer.next(), std::nullopt);
}

TEST(Timer, WhatWasTakenOutIsNotGivenAgainUntilItIsSet) {
    Timer timer;
    timer.set(1, 7, at(10));
    EXPECT_EQ(timer.take(at(10), 10), Keys{1});
    EXPECT_EQ(timer.take(at(99), 10), Keys{});
    EXPECT_EQ(timer.at(1), std::nullopt);
    timer.set(1, 0, at(10));
    EXPECT_EQ(timer.tenant_of(1), 7);
    EXPECT_EQ(timer.take(at(10), 10), Keys{1});
}

TEST(Timer, TenantsTakeTurnsSoThatAHerdOfOneDoesNotKeepAnotherWaiting) {
    Timer timer;
    for (int key = 1; key <= 100; ++key) timer.set(key, 1, at(10));
    timer.set(200, 2, at(11));
    timer.set(201, 2, at(11));
    timer.set(300, 3, at(12));
    EXPECT_EQ(timer.take(at(12), 6), (Keys{1, 200, 300, 2, 201, 3}));
    EXPECT_EQ(timer.take(at(12), 3), (Keys{4, 5, 6}));
}

TEST(Timer, ARowThatIsMovedWhileItWaitsForItsTurnIsNotGivenOut) {
    Timer timer;
    for (int key = 1; key <= 3; ++key) timer.set(key, 1, at(10));
    EXPECT_EQ(timer.take(at(10), 1), Keys{1});
    timer.set(2, 0, at(90));
    EXPECT_EQ(timer.take(at(10), 10), Keys{3});
    EXPECT_EQ(timer.next(), at(90));
}

TEST(Timer, TakesEverythingOutToBeSetElsewhere) {
    Timer timer;
    timer.set(1, 7, at(10));
    timer.set(2, 8, at(20));
    auto all = timer.take_all();
    std::ranges::sort(all, {}, &Timer::Taken::key);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1].key, 2);
    EXPECT_EQ(all[1].tenant, 8);
    EXPECT_EQ(all[1].at, at(20));
    EXPECT_EQ(timer.size(), 0U);
    EXPECT_EQ(timer.next(), std::nullopt);
}

// Against a plain map: every key whose time has come is given out exactly once, whatever was set before.
TEST(Timer, AgreesWithAPlainMapOnARandomWalk) {
    std::mt19937_64 random(test::seed());
    Timer timer;
    std::map<std::int64_t, std::int64_t> model;
    int now = 0;
    for (int step = 0; step < 20'000; ++step) {
        const auto key = static_cast<std::int64_t>(random() % 50);
        switch (random() % 4) {
            case 0:
            case 1: {
                const int second = now - 5 + static_cast<int>(random() % 50);
                timer.set(key, 1 + static_cast<std::int64_t>(random() % 3), at(second));
                model[key] = second;
                break;
            }
            case 2:
                timer.set(key, 0, std::nullopt);
                model.erase(key);
                break;
            default: {
                now += static_cast<int>(random() % 4);
                const auto limit = random() % 8;
                const auto taken = timer.take(at(now), limit);
                EXPECT_LE(taken.size(), limit);
                for (const auto each : taken) {
                    const auto found = model.find(each);
                    ASSERT_NE(found, model.end()) << "key " << each << " step " << step;
                    EXPECT_LE(found->second, now);
                    model.erase(found);
                }
                const auto is_due = [now](const auto& each) { return each.second <= now; };
                if (taken.size() < limit) {
                    EXPECT_EQ(std::ranges::count_if(model, is_due), 0) << "step " << step;
                }
            }
        }
    }
}

}  // namespace
}  // namespace belfry::engine
