#include "engine/jobs/next_up.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "model/identity.hpp"
#include "support/worlds/engine_world.hpp"
#include "support/worlds/seed.hpp"

namespace belfry::test {
namespace {

using namespace std::chrono_literals;

class NextUpTest : public testing::Test {
protected:
    EngineWorld world{"2026-06-01T10:00:00Z"};
    engine::NextUp next_up{*world.store, *world.store, world.ticker};

    void create(const std::string& name, const std::string& cron, const std::string& tenant = "default") {
        world.create([&](auto& schedule) {
            schedule.name = name;
            schedule.tenant = tenant;
            schedule.spec.cron = {cron};
        });
    }
    // The names of all pages.
    Lines names(std::size_t page = 100, std::optional<Instant> until = {}, const std::string& tenant = "default") {
        Lines lines;
        std::string after;
        for (int pages = 0; pages == 0 || !after.empty(); ++pages) {
            const auto answer = next_up.page(tenant, until, {after, page});
            if (!answer) return {answer.error().message};
            EXPECT_LE(answer->items.size(), page);
            for (const auto& each : answer->items) lines.push_back(each.definition.name);
            after = answer->next;
        }
        return lines;
    }
};

TEST_F(NextUpTest, GivesTheSoonestFirstWhateverTheirNames) {
    create("a", "0 15 * * *");
    create("b", "0 12 * * *");
    create("c", "30 10 * * *");
    create("d", "0 9 * * *");
    world.settle();
    for (const std::size_t page : {1U, 2U, 3U, 4U, 5U}) EXPECT_EQ(names(page), (Lines{"c", "b", "a", "d"})) << page;
    EXPECT_EQ(names(2, instant("2026-06-01T12:00:00Z")), (Lines{"c", "b"})) << "the end is included";
    world.clock.set(instant("2026-06-01T10:30:00Z"));
    world.settle();
    EXPECT_EQ(names(), (Lines{"b", "a", "d", "c"})) << "what has fired comes last now";
}

TEST_F(NextUpTest, LeavesOutThePausedTheDeletedAndOtherTenants) {
    ASSERT_TRUE(world.store->put_tenant({.name = "acme"}));
    for (const char* const name : {"a", "b", "c"}) create(name, "0 12 * * *");
    create("theirs", "0 11 * * *", "acme");
    world.settle();
    ASSERT_TRUE(world.schedules.pause({.tenant = "default", .name = "a"}, {"", {}}, {}));
    ASSERT_TRUE(world.schedules.remove({.tenant = "default", .name = "b"}, "", {}));
    EXPECT_EQ(names(), Lines{"c"}) << "even before the ticker has heard of it";
    world.settle();
    EXPECT_EQ(names(), Lines{"c"});
    EXPECT_EQ(names(10, {}, "acme"), Lines{"theirs"});
    EXPECT_EQ(next_up.page("nobody", {}, {}).error().code, ErrorCode::not_found);
}

TEST_F(NextUpTest, KnowsNothingBeforeAllSchedulesWereSeen) {
    create("a", "0 12 * * *");
    EXPECT_EQ(next_up.page("default", {}, {}).error().code, ErrorCode::unavailable);
    world.settle();
    EXPECT_TRUE(next_up.page("default", {}, {}));
}

TEST_F(NextUpTest, ACursorBelongsToItsTenantAndItsEnd) {
    ASSERT_TRUE(world.store->put_tenant({.name = "acme"}));
    create("a", "0 12 * * *");
    create("b", "0 13 * * *");
    world.settle();
    const auto next = next_up.page("default", {}, {"", 1})->next;
    ASSERT_FALSE(next.empty());
    EXPECT_TRUE(next_up.page("default", {}, {next, 1}));
    for (const auto& refused :
         {next_up.page("acme", {}, {next, 1}), next_up.page("default", instant("2026-06-02T00:00:00Z"), {next, 1}),
          next_up.page("default", {}, {"garbage", 1}), next_up.page("default", {}, {next + "x", 1})}) {
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
        EXPECT_EQ(refused.error().field, "/cursor");
    }
}

TEST_F(NextUpTest, IsWhatASortOfAllWouldGiveWhicheverServersShareTheSchedules) {
    Random random(1);
    ASSERT_TRUE(world.store->put_tenant({.name = "acme", .schedules_max = 1'000}));
    std::vector<std::pair<Instant, std::int64_t>> expected;
    for (int i = 0; i < 500; ++i) {
        const bool ours = random.percent(70);
        const auto record = world.create([&](auto& schedule) {
            schedule.name = "s" + std::to_string(i);
            schedule.tenant = ours ? "default" : "acme";
            schedule.spec.cron = {std::to_string(random.number(0, 59)) + " " + std::to_string(random.number(0, 23)) +
                                  " * * *"};
        });
        if (ours) expected.emplace_back(*record.state.next_fire, model::key_of(record.definition.id));
    }
    std::ranges::sort(expected);
    world.settle();
    world.ticker.share({0, 2});
    world.settle();
    const auto tenant = model::tenant_key("default");
    for (const std::size_t page : {1U, 7U, 100U, 1'000U}) {
        std::vector<std::pair<Instant, std::int64_t>> listed;
        std::optional<store::Upcoming> after;
        for (;;) {
            const auto part = world.ticker.upcoming(tenant, after, {}, page);
            if (part.empty()) break;
            ASSERT_LE(part.size(), page);
            for (const auto& each : part) listed.emplace_back(*each.next_fire, each.key);
            after = part.back();
        }
        ASSERT_EQ(listed, expected) << "pages of " << page;
    }
    EXPECT_TRUE(world.ticker.upcoming(tenant, {}, {}, 0).empty());
}

// For the thread sanitizer, and for what a reader sees while schedules fire: each of them once, at every moment.
TEST_F(NextUpTest, MissesNobodyWhileSchedulesFire) {
    for (int i = 0; i < 300; ++i) create("s" + std::to_string(i), "* * * * *");
    world.settle();
    std::jthread reader([this](const std::stop_token& stopping) {
        while (!stopping.stop_requested()) {
            const auto all = world.ticker.upcoming(model::tenant_key("default"), {}, {}, 1'000);
            std::set<std::int64_t> keys;
            for (const auto& each : all) keys.insert(each.key);
            ASSERT_EQ(all.size(), 300U);
            ASSERT_EQ(keys.size(), 300U);
        }
    });
    for (int minute = 0; minute < 30; ++minute) {
        world.clock.pass(1min);
        world.settle();
    }
}

}  // namespace
}  // namespace belfry::test
