#include "app/front_door.hpp"

#include <gtest/gtest.h>

namespace belfry::app {
namespace {

TEST(FrontDoor, IsAliveButNotReadyWhileTheServerStarts) {
    FrontDoor door;
    door.wait_for("the store is away");
    const auto handler = door.handler();
    EXPECT_EQ(handler({.path = "/healthz"}).status, 200);
    const auto ready = handler({.path = "/readyz"});
    EXPECT_EQ(ready.status, 503);
    EXPECT_EQ(ready.body, R"({"ready":false,"checks":[{"name":"started","ok":false,"detail":"the store is away"}]})");
    EXPECT_EQ(handler({.path = "/health"}).status, 503);
    door.open([](const api::Request&) { return api::Response{.status = 204}; });
    EXPECT_EQ(handler({.path = "/readyz"}).status, 204);
}

}  // namespace
}  // namespace belfry::app
