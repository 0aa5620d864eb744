#include "base/metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace belfry {
namespace {

std::uint64_t at_most(const HistogramReading& reading, Micros bound) {
    const auto found = std::ranges::find(reading.bounds, bound);
    return reading.at_most.at(static_cast<std::size_t>(found - reading.bounds.begin()));
}

TEST(Counter, AddsUpWhatAllThreadsCount) {
    Counter counter;
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread) {
            threads.emplace_back([&counter] {
                for (int i = 0; i < 1'000; ++i) counter.add();
                counter.add(10);
            });
        }
    }
    EXPECT_EQ(counter.value(), 4'040U);
}

TEST(Histogram, CountsWhatWasAtMostSoLong) {
    Histogram histogram;
    histogram.add(Micros{0});
    histogram.add(Micros{1'000});  // a bound belongs to its bucket
    histogram.add(Micros{1'001});
    histogram.add(std::chrono::hours{2});
    const auto reading = histogram.read();
    EXPECT_EQ(at_most(reading, Micros{1'000}), 2U);
    EXPECT_EQ(at_most(reading, Micros{2'000}), 3U);
    EXPECT_EQ(at_most(reading, std::chrono::hours{1}), 3U);
    EXPECT_EQ(reading.count, 4U);
    EXPECT_EQ(reading.sum, std::chrono::hours{2} + Micros{2'001});
    EXPECT_EQ(reading.longest, std::chrono::hours{2});
}

TEST(Histogram, KnowsTheLongestOfAllThreads) {
    Histogram histogram;
    {
        std::vector<std::jthread> threads;
        for (int thread = 1; thread <= 4; ++thread) {
            threads.emplace_back([&histogram, thread] {
                for (int i = 0; i < 1'000; ++i) histogram.add(Micros{thread * 1'000 + i});
            });
        }
    }
    const auto reading = histogram.read();
    EXPECT_EQ(reading.count, 4'000U);
    EXPECT_EQ(reading.longest, Micros{4'999});
}

TEST(Histogram, ItsBoundsGoFromATenthOfAMillisecondToAnHour) {
    EXPECT_TRUE(std::ranges::is_sorted(kDurationBounds));
    EXPECT_EQ(kDurationBounds.front(), Micros{100});
    EXPECT_EQ(kDurationBounds.back(), std::chrono::hours{1});
}

}  // namespace
}  // namespace belfry
