#include "engine/jobs/counts_sampler.hpp"

#include <gtest/gtest.h>

#include "support/worlds/engine_world.hpp"

namespace belfry::engine {
namespace {

std::int64_t schedules_in(const std::optional<store::Counts>& counts) {
    std::int64_t sum = 0;
    for (const auto& each : counts.value_or(store::Counts{}).schedules) sum += each.count;
    return sum;
}

TEST(CountsSampler, CountsAtItsOwnPaceAndOnlyWhileSomebodyReads) {
    test::EngineWorld world("2026-06-01T12:00:00Z");
    CountsSampler sampler(*world.store);
    EXPECT_FALSE(sampler.read());
    world.create();
    EXPECT_EQ(sampler.step(), kSampleEvery);
    EXPECT_EQ(schedules_in(sampler.read()), 1);
    world.create([](model::Schedule& schedule) { schedule.name = "second"; });
    EXPECT_EQ(schedules_in(sampler.read()), 1);
    sampler.step();
    world.create([](model::Schedule& schedule) { schedule.name = "third"; });
    // Nobody has read since.
    sampler.step();
    EXPECT_EQ(schedules_in(sampler.read()), 2);
}

}  // namespace
}  // namespace belfry::engine
