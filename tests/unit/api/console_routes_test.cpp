#include <gtest/gtest.h>

#include "support/worlds/api_world.hpp"

namespace belfry::api {

TEST(Console, EveryViewIsThePageWithAStrictPolicy) {
    const test::ApiWorld world;
    for (const auto* const path :
         {"/", "/schedule", "/schedule/", "/schedule?q=a&label=team%3Abilling&sort=-name", "/schedule/a%2Fb",
          "/schedule/nightly/edit", "/new", "/runs", "/run/1", "/approvals", "/settings"}) {
        const auto page = world.call("GET", path);
        EXPECT_EQ(page.status, 200) << path;
        EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8") << path;
        EXPECT_EQ(page.header("Cache-Control"), "no-cache") << path;
        const auto policy = page.header("Content-Security-Policy");
        EXPECT_NE(policy.find("default-src 'none'; script-src 'self'"), std::string_view::npos) << path;
        EXPECT_EQ(policy.find("unsafe"), std::string_view::npos) << path;
        EXPECT_NE(page.body.find("<title>Belfry</title>"), std::string::npos) << path;
    }
}

TEST(Console, OtherPathsStayErrorsInJson) {
    const test::ApiWorld world;
    for (const auto* const path : {"/nothing", "/run", "/run/1/2", "/assets/nothing.js", "/api/nothing"}) {
        const auto refused = world.call("GET", path);
        EXPECT_EQ(refused.status, 404) << path;
        EXPECT_EQ(refused.header("Content-Type"), "application/problem+json") << path;
    }
    EXPECT_EQ(world.call("POST", "/").status, 405);
}

TEST(Console, TheApiDescriptionOmitsIt) {
    const test::ApiWorld world;
    EXPECT_EQ(world.call("GET", "/api/openapi.json").body.find("getConsole"), std::string::npos);
}

}  // namespace belfry::api
