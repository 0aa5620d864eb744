#include <gtest/gtest.h>

#include "support/api_world.hpp"

namespace belfry::api {

using test::ApiWorld;
using test::at;

TEST(TenantRoutes, ATenantIsCreatedListedReadAndChanged) {
    const ApiWorld world;
    const auto created = world.call("POST", "/api/tenants", R"({"name": "team-billing", "schedulesMax": 1})");
    ASSERT_EQ(created.status, 201) << created.body;
    EXPECT_EQ(created.header("Location"), "/api/tenants/team-billing");
    EXPECT_EQ(created.header("ETag"), "\"1\"");
    EXPECT_EQ(at(created, "/dispatchEnabled"), "true");
    EXPECT_EQ(world.call("POST", "/api/tenants", R"({"name": "team-billing"})").status, 409);
    const auto list = world.get("/api/tenants");
    EXPECT_EQ(at(list, "/items/0/name"), "\"default\"");
    EXPECT_EQ(at(list, "/items/1/name"), "\"team-billing\"");

    auto read = world.get("/api/tenants/team-billing");
    read.get_object()["dispatchEnabled"] = false;
    const auto changed = world.call("PUT", "/api/tenants/team-billing", to_text(read), {{"If-Match", "\"1\""}});
    ASSERT_EQ(changed.status, 200) << changed.body;
    EXPECT_EQ(at(changed, "/dispatchEnabled"), "false");
    EXPECT_EQ(at(changed, "/schedulesMax"), "1");
    EXPECT_EQ(at(changed, "/createdAt"), at(created, "/createdAt"));
    EXPECT_EQ(changed.header("ETag"), "\"2\"");
    EXPECT_EQ(world.call("PUT", "/api/tenants/team-billing", "{}", {{"If-Match", "\"1\""}}).status, 409);
    EXPECT_EQ(at(world.call("PUT", "/api/tenants/team-billing", "{}"), "/schedulesMax"), "null") << "what is left out has its default";
    EXPECT_EQ(world.call("PUT", "/api/tenants/nobody", "{}").status, 404);
    EXPECT_EQ(world.call("GET", "/api/tenants/nobody").status, 404);
    EXPECT_EQ(world.call("DELETE", "/api/tenants/team-billing").status, 405) << "nobody deletes one";
}

TEST(TenantRoutes, TheLimitOfSchedulesHolds) {
    const ApiWorld world;
    (void)world.post("/api/tenants", R"({"name": "small", "schedulesMax": 1})", 201);
    const auto schedule = [](const std::string& name) {
        return R"({"name": ")" + name + R"(", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "w"}})";
    };
    (void)world.post("/api/tenants/small/schedules", schedule("a"), 201);
    (void)world.post("/api/tenants/small/schedules", schedule("b"), 429);
}

TEST(TenantRoutes, NamesAreShortAndPlain) {
    const ApiWorld world;
    for (const std::string& name : std::vector<std::string>{"", "A", "a b", "a/b", "ü", ".", "..", std::string(64, 'a')}) {
        const auto refused = world.call("POST", "/api/tenants", R"({"name": ")" + name + "\"}");
        EXPECT_EQ(refused.status, 422) << name;
        EXPECT_EQ(at(refused, "/errors/0/pointer"), "\"/name\"") << name;
    }
    for (const std::string& name : std::vector<std::string>{"a", "0", "a-b_c.d", std::string(63, 'a')}) {
        EXPECT_EQ(world.call("POST", "/api/tenants", R"({"name": ")" + name + "\"}").status, 201) << name;
    }
    EXPECT_EQ(at(world.call("PUT", "/api/tenants/a", R"({"name": "b"})"), "/errors/0/pointer"), "\"/name\"");
}

}  // namespace belfry::api
