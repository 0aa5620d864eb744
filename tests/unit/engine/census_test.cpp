#include "engine/census.hpp"

#include <gtest/gtest.h>

#include "support/engine_world.hpp"

namespace belfry::engine {
namespace {

std::int64_t schedules_in(const std::optional<store::Counts>& counts) {
    std::int64_t sum = 0;
    for (const auto& each : counts.value_or(store::Counts{}).schedules) sum += each.count;
    return sum;
}

TEST(Census, CountsAtItsOwnPaceAndOnlyWhileSomebodyReads) {
    test::EngineWorld world("2026-06-01T12:00:00Z");
    Census census(*world.store);
    EXPECT_FALSE(census.read());
    world.create();
    EXPECT_EQ(census.step(), kCensusEvery);
    EXPECT_EQ(schedules_in(census.read()), 1);
    world.create([](model::Schedule& schedule) { schedule.name = "second"; });
    EXPECT_EQ(schedules_in(census.read()), 1);
    census.step();
    world.create([](model::Schedule& schedule) { schedule.name = "third"; });
    // Nobody has read since.
    census.step();
    EXPECT_EQ(schedules_in(census.read()), 2);
}

}  // namespace
}  // namespace belfry::engine
