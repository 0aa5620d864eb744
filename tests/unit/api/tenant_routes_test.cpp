#include <gtest/gtest.h>

#include "support/worlds/api_world.hpp"

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
    EXPECT_EQ(at(world.call("PUT", "/api/tenants/team-billing", "{}"), "/schedulesMax"), "null")
        << "what is left out has its default";
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
    EXPECT_EQ(world.call("POST", "/api/tenants/small/schedules", schedule("b")).header("Retry-After"), "")
        << "waiting does not help";
}

TEST(TenantRoutes, NamesAreShortAndPlain) {
    const ApiWorld world;
    for (const std::string& name :
         std::vector<std::string>{"", "A", "a b", "a/b", "ü", ".", "..", std::string(64, 'a')}) {
        const auto refused = world.call("POST", "/api/tenants", R"({"name": ")" + name + "\"}");
        EXPECT_EQ(refused.status, 422) << name;
        EXPECT_EQ(at(refused, "/errors/0/pointer"), "\"/name\"") << name;
    }
    for (const std::string& name : std::vector<std::string>{"a", "0", "a-b_c.d", std::string(63, 'a')}) {
        EXPECT_EQ(world.call("POST", "/api/tenants", R"({"name": ")" + name + "\"}").status, 201) << name;
    }
    EXPECT_EQ(at(world.call("PUT", "/api/tenants/a", R"({"name": "b"})"), "/errors/0/pointer"), "\"/name\"");
}

TEST(TenantRoutes, AReadShowsTheLimitsInForceAndWhatIsUsed) {
    const ApiWorld world;
    auto tenant = world.get("/api/tenants/default");
    EXPECT_EQ(at(tenant, "/limits"), R"({"schedules":10000,"runsPerDay":10000000,"storedBytes":21474836480})");
    EXPECT_EQ(at(tenant, "/usage"), R"({"schedules":0,"runsToday":0,"storedBytes":null,"storedBytesMeasuredAt":null})");
    tenant.get_object()["storedBytesMax"] = 1'000;
    tenant.get_object()["runsPerDay"] = 7;
    ASSERT_EQ(world.call("PUT", "/api/tenants/default", to_text(tenant)).status, 200)
        << "what was read can be sent back";
    EXPECT_EQ(at(world.get("/api/tenants/default"), "/limits"),
              R"({"schedules":10000,"runsPerDay":7,"storedBytes":1000})");
}

TEST(TenantRoutes, WhoStoresAsMuchAsItMayCanDeleteAndPauseButNotAdd) {
    ApiWorld world;
    const std::string all = "/api/tenants/default/schedules";
    const std::string schedule = R"({"name": "n", "spec": {"cron": ["0 9 * * *"]}, "target": {"taskKind": "t"}})";
    (void)world.post(all, schedule, 201);
    const auto now = world.store->now().value();
    ASSERT_TRUE(world.store->put_measured({{model::tenant_key("default"), std::int64_t{20} << 30U}}, now));
    EXPECT_EQ(at(world.get("/api/tenants/default"), "/usage/storedBytes"), "21474836480");
    EXPECT_EQ(world.call("PUT", all + "/n", schedule).status, 200) << "nobody has looked yet";
    (void)world.engine.usage().step();
    const auto refused =
        world.call("POST", all, R"({"name": "m", "spec": {"cron": ["0 9 * * *"]}, "target": {"taskKind": "t"}})");
    EXPECT_EQ(refused.status, 429) << refused.body;
    EXPECT_NE(refused.body.find("stored_bytes_per_tenant"), std::string::npos) << refused.body;
    EXPECT_EQ(refused.header("Retry-After"), "") << "waiting does not help";
    EXPECT_EQ(world.call("POST", all + "/n/trigger").status, 429);
    EXPECT_EQ(world.call("POST", "/api/tenants/default/events/e", "{}").status, 429);
    EXPECT_EQ(world.call("POST", all + "/n/pause").status, 200);
    EXPECT_EQ(world.call("GET", all + "/n").status, 200);
    EXPECT_EQ(world.call("DELETE", all + "/n").status, 200);
}

TEST(TenantRoutes, TheAdviceOfAFullTenantLowersWhatItStores) {
    ApiWorld world;
    const std::string all = "/api/tenants/default/schedules";
    (void)world.post(all, R"({"name": "n", "spec": {"cron": ["0 9 * * *"]}, "target": {"taskKind": "t"}})", 201);
    const auto run = at(world.post(all + "/n/trigger", "{}"), "/id");
    (void)world.post("/api/tenants/default/tasks/claim", R"({"worker": "w"})");
    (void)world.post("/api/tenants/default/tasks/complete",
                     R"({"items": [{"runId": )" + run + R"(, "attempt": 1, "status": "succeeded", "result": ")" +
                         std::string(900'000, 'y') + "\"}]}");
    const auto measured = [&] {
        return world.store->measure({}, 10'000).value().bytes.at(model::tenant_key("default"));
    };
    EXPECT_GT(measured(), 900'000);
    ASSERT_TRUE(world.store->put_measured({{model::tenant_key("default"), std::int64_t{20} << 30U}},
                                          world.store->now().value()));
    (void)world.engine.usage().step();
    const auto refused = world.call("POST", all + "/n/trigger");
    ASSERT_EQ(refused.status, 429) << refused.body;
    EXPECT_NE(refused.body.find("DELETE"), std::string::npos) << refused.body;
    EXPECT_NE(refused.body.find("purge=true"), std::string::npos) << refused.body;
    EXPECT_EQ(refused.body.find("retention"), std::string::npos) << "only the operator sets it: " << refused.body;
    EXPECT_EQ(world.call("DELETE", all + "/n").status, 200);
    EXPECT_GT(measured(), 900'000) << "what is deleted stays readable, and stored";
    const auto id = at(world.get(all + "?status=deleted"), "/items/0/id");
    EXPECT_EQ(world.call("DELETE", all + "/" + id.substr(1, id.size() - 2) + "?purge=true").status, 200);
    EXPECT_LT(measured(), 20'000) << "its runs are gone; its definition and its events stay";
}

TEST(TenantRoutes, ARunBeyondRunsPerDayTellsTheLimitTheUsageAndTheReset) {
    for (const std::string store : {"memory", "sqlite"}) {
        const ApiWorld world(store);
        (void)world.post("/api/tenants", R"({"name": "small", "runsPerDay": 1})", 201);
        const std::string path = "/api/tenants/small/task-executions";
        EXPECT_EQ(at(world.post(path, R"({"taskKind": "t"})", 201), "/status"), "\"queued\"") << store;
        const auto skipped = world.post(path, R"({"taskKind": "t"})", 201);
        const auto reset = std::chrono::ceil<std::chrono::days>(world.store->now().value());
        EXPECT_EQ(at(skipped, "/detail"),
                  "\"runsPerDay of the tenant: 1 of 1; it starts again at " + format_instant(reset) + "\"")
            << to_text(skipped);
    }
}

}  // namespace belfry::api
