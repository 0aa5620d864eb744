#include "api/http/pool/handler_thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

namespace belfry::api {
namespace {

namespace asio = boost::asio;

class HandlerThreadPoolTest : public testing::Test {
protected:
    void start(int threads) {
        for (int i = 0; i < threads; ++i) {
            threads_.emplace_back([this] { pool_.run(context_); });
        }
    }
    void stop() {
        guard_.reset();
        pool_.finish();
        threads_.clear();
    }
    ~HandlerThreadPoolTest() override { stop(); }

    static constexpr std::size_t kAwakeMax = 2;

    asio::io_context context_;
    HandlerThreadPool pool_{kAwakeMax};
    asio::executor_work_guard<asio::io_context::executor_type> guard_ = asio::make_work_guard(context_);
    std::vector<std::jthread> threads_;
};

TEST_F(HandlerThreadPoolTest, NoMoreThanTheMostWorkAtOnce) {
    std::atomic<std::size_t> working = 0;
    std::atomic<bool> too_many = false;
    constexpr int kWorks = 1'000;
    std::latch done(kWorks);
    for (int i = 0; i < kWorks; ++i) {
        asio::post(context_, [&] {
            if (++working > kAwakeMax) too_many = true;
            std::this_thread::yield();
            --working;
            done.count_down();
        });
    }
    start(8);
    done.wait();
    EXPECT_FALSE(too_many);
}

// Each waits until all are there: with a place for every second of them nobody would ever go on.
TEST_F(HandlerThreadPoolTest, WhoWaitsLeavesItsPlaceToAnother) {
    constexpr int kThreads = 8;
    start(kThreads);
    for (int round = 0; round < 3; ++round) {
        std::latch met(kThreads);
        std::latch done(kThreads);
        for (int i = 0; i < kThreads; ++i) {
            asio::post(context_, [&] {
                {
                    const BlockingScope waiting;
                    met.arrive_and_wait();
                }
                done.count_down();
            });
        }
        done.wait();
    }
}

TEST_F(HandlerThreadPoolTest, WhatThrowsTakesNoThreadAlong) {
    start(1);
    std::latch done(1);
    asio::post(context_, [] { throw std::runtime_error("broken"); });
    asio::post(context_, [&] { done.count_down(); });
    done.wait();
}

TEST_F(HandlerThreadPoolTest, WhatIsLeftIsDoneBeforeTheThreadsEnd) {
    std::atomic<int> done = 0;
    for (int i = 0; i < 100; ++i) {
        asio::post(context_, [&] { ++done; });
    }
    start(8);
    stop();
    EXPECT_EQ(done, 100);
}

}  // namespace
}  // namespace belfry::api
