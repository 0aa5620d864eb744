#include <gtest/gtest.h>

#include <set>

#include "support/worlds/api_world.hpp"

namespace belfry::api {

namespace {

using test::at;

// The answer once it has that status; the last one after a minute.
Response health_once(const Api& api, int status) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    Response response;
    do {
        response = api.handler()({.path = "/health"});
    } while (response.status != status && std::chrono::steady_clock::now() < deadline);
    return response;
}

}  // namespace

TEST(Health, AnEngineThatDoesNotTickIsDown) {
    const test::ApiWorld world;
    const auto health = world.call("GET", "/health");
    EXPECT_EQ(health.status, 503);
    EXPECT_EQ(at(health, "/status"), "\"down\"");
    EXPECT_EQ(at(health, "/store/ok"), "true");
    EXPECT_EQ(at(health, "/ticker/ok"), "false");
    EXPECT_EQ(health.header("Retry-After"), "1");
}

TEST(Health, ATroubledWorkerDegradesIt) {
    test::ApiWorld world;
    engine::HealthReading reading;
    reading.workers.push_back({.name = "reaper",
                               .error = {ErrorCode::unavailable, "busy"},
                               .since = test::instant("2026-01-01T00:00:00Z"),
                               .tries = 3});
    const Api watched(world.engine, ApiOptions{.health = [&] { return reading; }});
    world.engine.start();
    const auto health = health_once(watched, 200);
    EXPECT_EQ(at(health, "/status"), "\"degraded\"");
    EXPECT_EQ(at(health, "/workers"), R"([{"name":"reaper","error":"busy","since":"2026-01-01T00:00:00Z","tries":3}])");
    EXPECT_EQ(at(health, "/ticker/ok"), "true");
    EXPECT_EQ(at(health, "/servers"), "1");
}

TEST(Health, StrangersSeeWhetherItWorksAndNothingElse) {
    test::ApiWorld world;
    engine::HealthReading reading;
    reading.workers.push_back(
        {.name = "reaper", .error = {ErrorCode::unavailable, "db.internal is away"}, .since = {}, .tries = 3});
    reading.store_away_since = test::instant("2026-01-01T00:00:00Z");
    auto detail = HealthDetail::none;
    const Api api(world.engine, ApiOptions{.health = [&] { return reading; },
                                           .health_detail = [&](const Request&) { return detail; }});
    const auto ask = [&](const std::string& path) { return api.handler()({.path = path}); };
    EXPECT_EQ(ask("/health").status, 503);
    EXPECT_EQ(ask("/health").body,
              R"({"status":"down","store":{"ok":false},"ticker":{"ok":false},"clock":{"ok":true}})");
    const auto ready = ask("/readyz");
    EXPECT_EQ(ready.status, 503);
    EXPECT_EQ(at(ready, "/checks/1"), R"({"name":"store","ok":false,"detail":null})");
    detail = HealthDetail::server;
    EXPECT_EQ(at(ask("/health"), "/workers/0/error"), "\"db.internal is away\"");
    EXPECT_EQ(at(ask("/readyz"), "/checks/1/detail"), "\"away since 2026-01-01T00:00:00Z\"");
    EXPECT_EQ(at(ask("/health"), "/quarantined"), "[]");
}

TEST(Api, EveryRouteHasANameOfItsOwnAndASentence) {
    const test::ApiWorld world;
    std::set<std::string> operations;
    for (const auto& route : world.api.routes()) {
        EXPECT_TRUE(operations.insert(route.operation).second) << route.operation;
        EXPECT_TRUE(route.summary.ends_with('.')) << route.operation;
        EXPECT_TRUE(route.handler) << route.operation;
    }
}

TEST(Api, TheDigitsOfAnInputSurviveTheWholeWay) {
    const test::ApiWorld world;
    const auto made = world.call("POST", "/api/tenants/default/schedules",
                                 R"({"name": "n", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "w",
                "input": {"x": 2.9999999999999999999}},
                                     "preDispatchCondition": {"/prior_run_result/n": {"gt": 9007199254740993}}})");
    EXPECT_EQ(made.status, 201) << made.body;
    EXPECT_NE(made.body.find("2.9999999999999999999"), std::string::npos);
    const auto refused =
        world.call("POST", "/api/tenants/default/schedules",
                   R"({"name": "m", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "w"}, )"
                   R"("maxRuns": 1.0000000000000000000001})");
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(at(refused, "/errors/0/pointer"), "\"/maxRuns\"");
}

TEST(Api, AScheduleIsFoundByANameThatNeedsEscaping) {
    const test::ApiWorld world;
    static_cast<void>(
        world.post("/api/tenants/default/schedules",
                   R"({"name": "a/b ü?", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "w"}})", 201));
    EXPECT_EQ(at(world.get("/api/tenants/default/schedules/a%2Fb%20%C3%BC%3F"), "/name"), "\"a/b ü?\"");
}

}  // namespace belfry::api
