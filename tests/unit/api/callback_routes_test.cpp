#include <gtest/gtest.h>

#include "support/worlds/api_world.hpp"

namespace belfry::api {
namespace {

constexpr const char* kPath = "/api/tenants/default/runs/r-1/callback";

Request callback(const std::string& token = {}) {
    Request request{.method = "POST", .path = kPath, .body = R"({"status":"SUCCESS"})"};
    request.headers.emplace_back("content-type", "application/json");
    if (!token.empty()) request.headers.emplace_back("belfry-callback-token", token);
    return request;
}

TEST(CallbackRoutes, WhoeverHasNoTokenNeedsThePermissionToWork) {
    test::ApiWorld world;
    std::vector<model::Permission> asked;
    bool works = false;
    const Api api(world.engine, {.gate = [&](const Request&, const Route& route, const std::string&) -> AccessDecision {
                      asked.push_back(*route.permission);
                      if (*route.permission == model::Permission::open || works) return {};
                      return {.refused = Error{ErrorCode::unauthenticated, "say who you are"}};
                  }});
    EXPECT_EQ(api.handler()(callback()).status, 401);
    EXPECT_EQ(asked, (std::vector{model::Permission::open, model::Permission::work}));
    works = true;
    EXPECT_EQ(api.handler()(callback()).status, 404) << "there is no such run";
}

TEST(CallbackRoutes, AWrongTokenIsRefusedWhetherOrNotThereIsSuchARun) {
    test::ApiWorld world;
    const Api api(world.engine);
    EXPECT_EQ(api.handler()(callback("a guess")).status, 403);
}

}  // namespace
}  // namespace belfry::api
