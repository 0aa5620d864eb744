#include "api/http/rate_limit.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "api/contract/problem.hpp"
#include "support/worlds/set_clocks.hpp"

namespace belfry::api {
namespace {

int taken(RateLimiter& limiter, const std::string& who, int tries) {
    int count = 0;
    for (int i = 0; i < tries; ++i) count += limiter.take(who) ? 1 : 0;
    return count;
}

TEST(RateLimit, ABurstThenASteadyRate) {
    test::SetSteadyClock clock;
    RateLimiter limiter({.per_second = 10, .burst = 20}, clock);
    EXPECT_EQ(taken(limiter, "ada", 100), 20);
    clock.at += std::chrono::milliseconds{99};
    EXPECT_EQ(taken(limiter, "ada", 100), 0);
    clock.at += std::chrono::milliseconds{1};
    EXPECT_EQ(taken(limiter, "ada", 100), 1);
    clock.at += Seconds{1};
    EXPECT_EQ(taken(limiter, "ada", 100), 10);
    clock.at += Seconds{3600};
    EXPECT_EQ(taken(limiter, "ada", 100), 20);
}

TEST(RateLimit, EachHasABucketOfTheirOwn) {
    test::SetSteadyClock clock;
    RateLimiter limiter({.per_second = 1, .burst = 2}, clock);
    EXPECT_EQ(taken(limiter, "ada", 5), 2);
    EXPECT_EQ(taken(limiter, "bob", 5), 2);
}

TEST(RateLimit, NoLimitIsNoLimit) {
    test::SetSteadyClock clock;
    RateLimiter limiter({}, clock);
    EXPECT_EQ(taken(limiter, "ada", 10'000), 10'000);
    EXPECT_EQ(limiter.buckets(), 0U);
}

TEST(RateLimit, MemoryIsBoundedAndTheLongestUnusedIsForgotten) {
    test::SetSteadyClock clock;
    RateLimiter limiter({.per_second = 1, .burst = 1}, clock, 3);
    for (const auto* const who : {"a", "b", "c"}) EXPECT_TRUE(limiter.take(who));
    EXPECT_FALSE(limiter.take("a"));  // used last
    EXPECT_TRUE(limiter.take("d"));
    EXPECT_EQ(limiter.buckets(), 3U);
    EXPECT_FALSE(limiter.take("a"));
    EXPECT_FALSE(limiter.take("c"));
    EXPECT_TRUE(limiter.take("b"));  // forgotten
}

TEST(RateLimit, TheAnswerSaysWhenToComeBack) {
    test::SetSteadyClock clock;
    RateLimiter limiter({.per_second = 1, .burst = 1}, clock);
    EXPECT_TRUE(limiter.take("a"));
    const auto response = problem_response(limiter.take("a").error());
    EXPECT_EQ(response.status, 429);
    EXPECT_EQ(response.header("Retry-After"), "1");
    EXPECT_NE(response.body.find(R"("code":"exhausted")"), std::string::npos);
    clock.at += Seconds{1};  // as it says
    EXPECT_TRUE(limiter.take("a"));
}

TEST(RateLimit, ThreadsTakeNoMoreThanThereIs) {
    test::SetSteadyClock clock;
    RateLimiter limiter({.per_second = 1, .burst = 1'000}, clock);
    std::atomic<int> all = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) threads.emplace_back([&] { all += taken(limiter, "ada", 500); });
    }
    EXPECT_EQ(all, 1'000);
}

TEST(Problem, SomebodyUnknownIsToldWhatToSend) {
    const auto response = problem_response(Error{ErrorCode::unauthenticated, "say who you are"});
    EXPECT_EQ(response.status, 401);
    EXPECT_EQ(response.header("WWW-Authenticate"), "Bearer");
}

}  // namespace
}  // namespace belfry::api
