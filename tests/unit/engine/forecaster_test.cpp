#include "engine/explain/forecaster.hpp"

#include <gtest/gtest.h>

#include "support/worlds/engine_world.hpp"

namespace belfry::engine {
namespace {

TEST(Forecaster, LongPreviewsAndSimulationsOfOneTenantLeaveRoomForAnother) {
    test::EngineWorld world("2026-06-01T10:00:00Z");
    FairPlaces places(4);
    Forecaster forecaster(*world.store, test::zones(), world.schedules, places);
    const auto ours = world.create().definition;
    auto theirs = ours;
    theirs.tenant = "other";
    const Window all{.rows = 1'000};
    const decide::SimulationRequest day{.to = world.clock.now() + std::chrono::hours{24}};
    std::vector<FairPlaces::Place> under_way;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(forecaster.preview(ours, all).value().rows.size(), 1'000U) << i;
        under_way.push_back(places.take("default"));
    }
    EXPECT_EQ(forecaster.preview(ours, all).error().code, ErrorCode::exhausted);
    EXPECT_EQ(forecaster.simulate(ours, std::nullopt, day).error().code, ErrorCode::exhausted);
    EXPECT_EQ(forecaster.preview(ours, Window{.rows = 10}).value().rows.size(), 10U)
        << "a short one is like any other request";
    const LoadRequest hour{.from = world.clock.now(), .to = world.clock.now() + std::chrono::hours{1}};
    EXPECT_EQ(forecaster.load("default", hour).error().code, ErrorCode::exhausted);
    const auto other = forecaster.load("other", hour);
    EXPECT_TRUE(other || other.error().code == ErrorCode::not_found) << "it has a place";
    EXPECT_TRUE(forecaster.preview(theirs, all));
    EXPECT_TRUE(forecaster.simulate(theirs, std::nullopt, day));
    under_way.clear();
    EXPECT_TRUE(forecaster.simulate(ours, std::nullopt, day));
}

}  // namespace
}  // namespace belfry::engine
