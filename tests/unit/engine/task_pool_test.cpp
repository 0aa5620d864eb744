#include "engine/jobs/task_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

#include "support/worlds/waiting.hpp"

namespace belfry::engine {
namespace {

TEST(TaskPool, DoesAsManyJobsAtOnceAsItMay) {
    std::latch all(4);
    std::atomic<int> done = 0;
    TaskPool pool(4, "test");
    for (int i = 0; i < 4; ++i) {
        pool.run([&] {
            all.arrive_and_wait();  // returns only when all four are at it
            ++done;
        });
    }
    EXPECT_TRUE(test::within_a_minute([&] { return done == 4; }));
}

TEST(TaskPool, WhatHasNoThreadWaitsForOne) {
    std::atomic<int> now = 0;
    std::atomic<int> most = 0;
    std::atomic<int> done = 0;
    TaskPool pool(2, "test");
    for (int i = 0; i < 100; ++i) {
        pool.run([&] {
            const int busy = ++now;
            int seen = most;
            while (busy > seen && !most.compare_exchange_weak(seen, busy)) {
            }
            --now;
            ++done;
        });
    }
    EXPECT_TRUE(test::within_a_minute([&] { return done == 100; }));
    EXPECT_LE(most, 2);
}

TEST(TaskPool, ItsEndWaitsForWhatGoesOn) {
    std::latch begun(1);
    std::latch may_end(1);
    std::atomic<bool> ended = false;
    std::jthread helper;
    {
        TaskPool pool(1, "test");
        pool.run([&] {
            begun.count_down();
            may_end.wait();
            ended = true;
        });
        begun.wait();
        helper = std::jthread([&] { may_end.count_down(); });
    }
    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace belfry::engine
