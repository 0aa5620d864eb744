#include <gtest/gtest.h>

#include <set>

#include "support/worlds/api_world.hpp"

namespace belfry::api {

namespace {

using test::ApiWorld;
using test::at;

constexpr const char* kRuns = "/api/tenants/default/runs";

std::string create(const ApiWorld& world, const std::string& name) {
    const auto made =
        world.post("/api/tenants/default/schedules",
                   R"({"name": ")" + name +
                       R"(", "spec": {"cron": ["0 0 29 2 *"]}, "target": {"type": "task", "taskKind": "mail"}, )"
                       R"("overlapPolicy": "allow_all"})",
                   201);
    return std::string(made.at("id").as_string());
}

std::string trigger(const ApiWorld& world, const std::string& name) {
    return std::string(world.post("/api/tenants/default/schedules/" + name + "/trigger", "").at("id").as_string());
}

}  // namespace

TEST(RunList, ShowsTheRunsOfAllSchedulesWithTheirNames) {
    const ApiWorld world;
    const auto id = create(world, "a");
    (void)create(world, "b");
    (void)trigger(world, "a");
    (void)trigger(world, "b");
    (void)trigger(world, "a");
    const auto all = world.get(kRuns);
    ASSERT_EQ(all.at("items").as_array().size(), 3U);
    std::multiset<std::string> names;
    std::string before = "\"9999\"";
    for (const auto& item : all.at("items").as_array()) {
        names.insert(at(item, "/scheduleName"));
        EXPECT_LE(at(item, "/scheduledAt"), before) << "newest first";
        before = at(item, "/scheduledAt");
    }
    EXPECT_EQ(names, (std::multiset<std::string>{"\"a\"", "\"a\"", "\"b\""}));

    const auto runs = [&](const std::string& query) { return world.get(kRuns + query).at("items").as_array().size(); };
    EXPECT_EQ(runs("?schedule=a"), 2U);
    EXPECT_EQ(runs("?schedule=" + id), 2U);
    EXPECT_EQ(runs("?state=queued"), 3U);
    EXPECT_EQ(runs("?state=running"), 0U);
    EXPECT_EQ(runs("?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z"), 0U);
    EXPECT_EQ(world.call("GET", std::string(kRuns) + "?schedule=nothing").status, 404);
    EXPECT_EQ(world.call("GET", std::string(kRuns) + "?state=odd").status, 422);
    EXPECT_EQ(world.call("GET", "/api/tenants/nobody/runs?schedule=a").status, 404);
}

TEST(RunList, IsReadPageByPage) {
    const ApiWorld world;
    (void)create(world, "a");
    for (int i = 0; i < 5; ++i) (void)trigger(world, "a");
    std::set<std::string> seen;
    std::string cursor;
    int pages = 0;
    do {
        const auto page = world.get(std::string(kRuns) + "?limit=2" + (cursor.empty() ? "" : "&cursor=" + cursor));
        for (const auto& item : page.at("items").as_array()) EXPECT_TRUE(seen.insert(at(item, "/id")).second);
        cursor = page.at("nextCursor").is_null() ? "" : page.at("nextCursor").as_string().c_str();
        pages += 1;
    } while (!cursor.empty() && pages < 10);
    EXPECT_EQ(seen.size(), 5U);
    EXPECT_EQ(pages, 3);
}

TEST(RunList, KeepsTheRunsOfDeletedSchedules) {
    const ApiWorld world;
    (void)create(world, "a");
    (void)trigger(world, "a");
    EXPECT_EQ(world.call("DELETE", "/api/tenants/default/schedules/a").status, 200);
    EXPECT_EQ(at(world.get(kRuns), "/items/0/scheduleName"), "\"a\"");
}

}  // namespace belfry::api
