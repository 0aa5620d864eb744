#include "app/front_door.hpp"

#include <gtest/gtest.h>

namespace belfry::app {
namespace {

TEST(FrontDoor, IsAliveButNotReadyWhileTheServerStarts) {
    FrontDoor door({.listen = "127.0.0.1:8642"});
    door.wait_for("the store is away");
    const auto handler = door.handler();
    const auto ask = [&](const std::string& path) { return handler({.path = path, .headers = {{"Host", "127.0.0.1:8642"}}}); };
    EXPECT_EQ(ask("/healthz").status, 200);
    const auto ready = ask("/readyz");
    EXPECT_EQ(ready.status, 503);
    EXPECT_EQ(ready.body, R"({"ready":false,"checks":[{"name":"started","ok":false,"detail":"the store is away"}]})");
    EXPECT_EQ(ask("/health").status, 503);
    door.open([](const api::Request&) { return api::Response{.status = 204}; });
    EXPECT_EQ(ask("/readyz").status, 204);
}

}  // namespace
}  // namespace belfry::app
