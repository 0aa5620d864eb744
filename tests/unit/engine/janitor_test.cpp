#include <gtest/gtest.h>

#include <algorithm>

#include "engine/jobs/housekeeping.hpp"
#include "engine/usecases/immediate_start.hpp"
#include "support/worlds/engine_world.hpp"

namespace belfry::test {
namespace {

using namespace std::chrono_literals;

TEST(Janitor, ForgetsRequestKeysAfterADayAlthoughRunsAreKeptForEver) {
    EngineWorld world("2026-06-01T10:00:00Z");
    world.create([](auto& schedule) { schedule.overlap.policy = model::OverlapPolicy::allow_all; });
    engine::Janitor::Options options;
    options.batch = 2;
    engine::Janitor janitor(
        *world.store, world.store->registry(), world.journal, [] { return true; }, options,
        [] { return std::uint64_t{0}; });
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

TEST(Janitor, KeepsOnlyTheNewestPartOfALongFeed) {
    EngineWorld world("2026-06-01T10:00:00Z");
    auto& registry = world.store->registry();
    ASSERT_TRUE(registry.follow("default", instant("2026-07-01T00:00:00Z")));
    world.create();
    const auto trigger = [&] {
        return world.schedules.trigger({.tenant = "default", .name = "report"}, {}, {}).has_value();
    };
    for (int i = 0; i < 20; ++i) {
        world.clock.pass(1min);
        ASSERT_TRUE(trigger());
    }
    const auto all = registry.feed("default", 0, 100).value();
    engine::Janitor::Options options;
    options.batch = 4;
    options.feed_bytes_max = registry.feed_sizes(0, 100).value().parts.at(0).bytes;
    const auto sweep = [&] {
        engine::Janitor janitor(
            *world.store, registry, world.journal, [] { return true; }, options, [] { return std::uint64_t{0}; });
        for (int i = 0; i < 100; ++i) {
            if (janitor.step() == options.every) return;
        }
        ADD_FAILURE() << "it does not come to an end";
    };
    sweep();
    EXPECT_EQ(registry.feed("default", 0, 100).value(), all) << "it fits";
    ASSERT_TRUE(trigger());
    sweep();
    const auto kept = registry.feed("default", 0, 100).value();
    ASSERT_FALSE(kept.empty());
    EXPECT_EQ(kept.front(), all.at(4)) << "as many as it measures at once";
    EXPECT_LE(registry.feed_sizes(0, 100).value().parts.at(0).bytes, options.feed_bytes_max);
}

TEST(Janitor, RemovesStartsWithoutAScheduleWithTheirRunsAndKeepsTheirHistory) {
    EngineWorld world("2026-06-01T10:00:00Z");
    engine::Janitor::Options options;
    options.keep_deleted_for = std::chrono::days{7};
    options.batch = 3;
    engine::Janitor janitor(
        *world.store, world.store->registry(), world.journal, [] { return true; }, options,
        [] { return std::uint64_t{0}; });
    const auto sweep = [&] {
        for (int i = 0; i < 100; ++i) {
            if (janitor.step() == options.every) return;
        }
        ADD_FAILURE() << "it does not come to an end";
    };
    std::vector<engine::Started> started;
    for (int i = 0; i < 5; ++i) {
        engine::StartRequest request{.tenant = "default"};
        request.target.type = model::TargetType::task;
        request.target.kind = "greet";
        started.push_back(engine::start_now(*world.store, world.schedules, request, {}).value());
    }
    const auto now = world.store->now().value();
    const auto tasks = world.store->claim({.tenant = "default", .worker = "w", .limit = 4, .now = now}).value();
    ASSERT_EQ(tasks.size(), 4U) << "one of them stays in flight";
    for (const auto& task : tasks) {
        ASSERT_TRUE(world.store->complete(
            std::vector<store::AttemptReport>{
                {{task.run_id, task.attempt}, {.status = model::ExecutionStatus::succeeded}}},
            now, [now](const auto& facts, const auto& end) { return decide::plan_attempt_end(facts, end, now); }));
    }
    const auto left = [&] {
        return std::ranges::count_if(
            started, [&](const auto& each) { return world.store->run("default", each.run.id).has_value(); });
    };
    world.clock.pass(std::chrono::days{7});
    sweep();
    EXPECT_EQ(left(), 5) << "not longer than that";
    world.clock.pass(1h);
    sweep();
    EXPECT_EQ(left(), 1) << "the one that is in flight";
    for (const auto& each : started) {
        EXPECT_GE(world.store->events({.tenant = "default", .id = each.schedule.id}, 0, 10).value().size(), 3U);
    }
}

}  // namespace
}  // namespace belfry::test
