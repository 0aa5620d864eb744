#include "engine/jobs/parallel_batches.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace belfry::engine {
namespace {

TEST(ParallelBatches, DoEveryJobOnceAndReturnWhenAllAreDone) {
    for (const std::size_t count : {1U, 2U, 4U}) {
        ParallelBatches lanes(count);
        for (int round = 0; round < 50; ++round) {
            std::vector<std::atomic<int>> done(10);
            std::vector<std::function<void()>> jobs;
            for (auto& each : done) jobs.emplace_back([&each] { ++each; });
            lanes.run(jobs);
            for (const auto& each : done) EXPECT_EQ(each, 1);
        }
    }
}

TEST(ParallelBatches, NoJobsAreNoWork) {
    ParallelBatches lanes(3);
    lanes.run({});
}

TEST(ParallelBatches, JobsThatWaitForEachOtherAreDoneSideBySide) {
    ParallelBatches lanes(2);
    std::atomic<int> arrived = 0;
    const auto meet = [&arrived] {
        ++arrived;
        while (arrived < 2) std::this_thread::yield();
    };
    lanes.run({meet, meet});
    EXPECT_EQ(arrived, 2);
}

}  // namespace
}  // namespace belfry::engine
