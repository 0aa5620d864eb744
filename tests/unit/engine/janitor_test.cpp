#include <gtest/gtest.h>

#include "engine/housekeeping.hpp"
#include "support/engine_world.hpp"

namespace belfry::test {
namespace {

using namespace std::chrono_literals;

TEST(Janitor, ForgetsRequestKeysAfterADayAlthoughRunsAreKeptForEver) {
    EngineWorld world("2026-06-01T10:00:00Z");
    world.create([](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::allow_all; });
    engine::Janitor::Options options;
    options.batch = 2;
    engine::Janitor janitor(
        *world.store, world.journal, [] { return true; }, options, [] { return std::uint64_t{0}; });
    const auto trigger = [&](const std::string& key) {
        model::CommandContext context;
        context.request = model::RequestKey{key, "same"};
        return world.schedules.trigger({.tenant = "default", .name = "report"}, {}, context).value().repeated;
    };
    for (const char* const key : {"a", "b", "c"}) {
        EXPECT_FALSE(trigger(key));
        world.clock.pass(1h);
    }
    world.clock.set(instant("2026-06-02T10:00:00Z"));
    EXPECT_EQ(janitor.step(), options.every) << "a day, and not yet more than that";
    EXPECT_TRUE(trigger("a"));
    world.clock.set(instant("2026-06-02T12:00:00.000001Z"));
    EXPECT_EQ(janitor.step(), options.between) << "as many as go at once; more may follow";
    EXPECT_TRUE(trigger("c"));
    EXPECT_EQ(janitor.step(), options.every);
    EXPECT_FALSE(trigger("a")) << "the key is free again";
    EXPECT_EQ(world.runs_of().size(), 4U);
}

}  // namespace
}  // namespace belfry::test
