#include "engine/explain/load.hpp"

#include <gtest/gtest.h>

#include "support/worlds/engine_world.hpp"

namespace belfry::engine::load_test {

namespace {

using test::EngineWorld;
using test::instant;

Load load(EngineWorld& world, const LoadRequest& request) {
    const auto answer = planned_load(*world.store, test::zones(), "default", request);
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? *answer : Load{};
}

constexpr const char* kStart = "2026-06-01T10:00:00Z";

}  // namespace

TEST(Load, CountsFiresWithTheirJitterInsideTheWindow) {
    EngineWorld world(kStart);
    world.create([](model::Schedule& schedule) { schedule.spec.jitter.after = "PT30M"; });
    const LoadRequest request{instant("2026-06-02T00:00:00Z"), instant("2026-06-03T00:00:00Z"), std::chrono::hours{1}};
    const auto answer = load(world, request);
    EXPECT_EQ(answer.fires, 24);
    EXPECT_EQ(answer.buckets, std::vector<std::int64_t>(24, 1));
    EXPECT_TRUE(answer.complete);
}

TEST(Load, LeavesOutWhatDoesNotFire) {
    EngineWorld world(kStart);
    world.create();
    world.create([](model::Schedule& schedule) { schedule.name = "paused"; });
    ASSERT_TRUE(world.schedules.pause({.tenant = "default", .name = "paused"}, {}, {}));
    const auto answer =
        load(world, {instant("2026-06-02T00:00:00Z"), instant("2026-06-02T02:00:00Z"), std::chrono::minutes{90}});
    EXPECT_EQ(answer.schedules, 1);
    EXPECT_EQ(answer.buckets, (std::vector<std::int64_t>{2, 0}))
        << "the end is not included, and the last bucket may be shorter";
}

TEST(Load, SaysThatThereIsMoreThanItCounts) {
    EngineWorld world(kStart);
    for (int i = 0; i < 12; ++i) {
        world.create([i](model::Schedule& schedule) {
            schedule.name = "busy " + std::to_string(i);
            schedule.spec.cron = {"* * * * * *"};
        });
    }
    const auto answer =
        load(world, {instant("2026-06-02T00:00:00Z"), instant("2026-06-03T00:00:00Z"), std::chrono::minutes{1}});
    EXPECT_FALSE(answer.complete);
    EXPECT_EQ(answer.fires, kLoadFiresMax);
    EXPECT_EQ(answer.schedules, 12);
    EXPECT_EQ(answer.buckets.size(), 1440U);
}

}  // namespace belfry::engine::load_test
