#include "engine/outgoing/queue_watcher.hpp"

#include <gtest/gtest.h>

#include "support/worlds/engine_world.hpp"

namespace belfry::engine {
namespace {

using Tenants = std::vector<std::string>;

class QueueWatcherTest : public testing::Test {
protected:
    Tenants due(const std::string& last = {}) { return watcher.due("@one", last, world.clock.now()); }
    Micros wait() {
        return watcher.until_next(world.clock.now(), [](const auto&) { return true; });
    }
    void hear(const std::string& tenant, std::optional<Instant> ready_at = {}) {
        watcher.on_notification({.tenant = tenant, .queue = "@one", .ready_at = ready_at});
        watcher.take_news();
    }
    // Without a notification.
    void add_task(const std::string& tenant) {
        ASSERT_TRUE(world.store->put_tenant({.name = tenant}));
        const auto made = world.create([&tenant](model::Schedule& schedule) {
            schedule.tenant = tenant;
            schedule.target.queue = "@one";
        });
        ASSERT_TRUE(world.schedules.trigger({tenant, made.definition.id}, {}, {}));
    }
    void sweep() {
        watcher.take_news();
        ASSERT_TRUE(watcher.sweep());
    }

    const QueueWatcher::Options options;
    test::EngineWorld world{"2026-06-01T10:00:00Z"};
    QueueWatcher watcher{*world.store, world.steady, {"@one", "@two"}, options};
};

TEST_F(QueueWatcherTest, TenantsAreDueWhenTheNotificationSays) {
    sweep();
    hear("b");
    hear("a");
    hear("c", world.clock.now() + Seconds{3});
    watcher.on_notification({.tenant = "d", .queue = "another"});
    watcher.on_notification({.tenant = "e", .queue = "@two"});
    watcher.take_news();
    EXPECT_EQ(due(), (Tenants{"a", "b"}));
    EXPECT_EQ(due("a"), (Tenants{"b", "a"})) << "once around";
    EXPECT_EQ(wait(), Seconds{3});
    world.clock.pass(Seconds{3});
    EXPECT_EQ(due(), (Tenants{"a", "b", "c"}));
    EXPECT_EQ(watcher.due("@two", {}, world.clock.now()), (Tenants{"e"}));
}

TEST_F(QueueWatcherTest, AClaimThatFoundAllLeavesTheTenantUntilTheNextLook) {
    sweep();
    hear("a");
    watcher.claimed("@one", "a", {.any = true, .more = true}, world.clock.now());
    EXPECT_EQ(due(), (Tenants{"a"}));
    watcher.claimed("@one", "a", {.any = true, .more = false}, world.clock.now());
    EXPECT_EQ(due(), Tenants{});
    EXPECT_EQ(wait(), options.look_every);
    world.clock.pass(options.look_every);
    EXPECT_EQ(due(), (Tenants{"a"})) << "it had tasks recently";
}

TEST_F(QueueWatcherTest, ASweepFindsWhatNoNotificationNamed) {
    add_task("a");
    EXPECT_EQ(due(), Tenants{});
    sweep();
    EXPECT_EQ(due(), (Tenants{"a"}));
    add_task("b");
    sweep();
    EXPECT_EQ(due(), (Tenants{"a"})) << "the next sweep is later";
    EXPECT_LE(wait(), options.sweep_every);
    world.clock.pass(options.sweep_every);
    sweep();
    EXPECT_EQ(due(), (Tenants{"a", "b"}));
}

TEST_F(QueueWatcherTest, LostNotificationsCauseASweepButNotOneAfterAnother) {
    sweep();
    add_task("a");
    watcher.look_again();
    sweep();
    EXPECT_EQ(due(), Tenants{});
    world.clock.pass(Seconds{2});
    sweep();
    EXPECT_EQ(due(), (Tenants{"a"}));
}

TEST_F(QueueWatcherTest, ABlockedTenantWaitsForNewsOrTheNextLook) {
    sweep();
    const auto block = [this] {
        watcher.claimed("@one", "a", {.any = true, .more = true}, world.clock.now());
        watcher.block("@one", "a");
        EXPECT_EQ(due(), Tenants{});
    };
    block();
    hear("a");
    EXPECT_EQ(due(), (Tenants{"a"}));
    block();
    watcher.unblock("@one", "a");
    EXPECT_EQ(due(), (Tenants{"a"}));
    block();
    world.clock.pass(options.look_every);
    EXPECT_EQ(due(), (Tenants{"a"}));
}

}  // namespace
}  // namespace belfry::engine
