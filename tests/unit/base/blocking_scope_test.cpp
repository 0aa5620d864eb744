#include "base/concurrency/blocking_scope.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace belfry {
namespace {

struct Counting final : BlockingListener {
    int begun = 0;
    int ended = 0;
    void begin_wait() override { ++begun; }
    void end_wait() override { ++ended; }
};

class WaitingTest : public testing::Test {
protected:
    WaitingTest() { waiting_host = &host_; }
    ~WaitingTest() override { waiting_host = nullptr; }
    Counting host_;
};

TEST_F(WaitingTest, TheHostHearsWhenAWaitBeginsAndWhenItEnds) {
    for (int i = 1; i <= 2; ++i) {
        const BlockingScope waiting;
        EXPECT_EQ(host_.begun, i);
        EXPECT_EQ(host_.ended, i - 1);
    }
    EXPECT_EQ(host_.ended, 2);
}

TEST_F(WaitingTest, AWaitInsideAWaitIsTheSameWait) {
    {
        const BlockingScope outer;
        { const BlockingScope inner; }
        EXPECT_EQ(host_.ended, 0);
    }
    EXPECT_EQ(host_.begun, 1);
    EXPECT_EQ(host_.ended, 1);
}

TEST_F(WaitingTest, AWaitThatEndsByAnExceptionHasEnded) {
    EXPECT_THROW(
        {
            const BlockingScope waiting;
            throw std::runtime_error("away");
        },
        std::runtime_error);
    EXPECT_EQ(host_.ended, 1);
    EXPECT_EQ(waiting_host, &host_);
}

TEST_F(WaitingTest, AnotherThreadHasNoHost) {
    std::thread([] { const BlockingScope waiting; }).join();
    EXPECT_EQ(host_.begun, 0);
}

}  // namespace
}  // namespace belfry
