#include <gtest/gtest.h>

#include "support/worlds/api_world.hpp"

namespace belfry::api {

using test::ApiWorld;
using test::at;

TEST(KeyRoutes, ATenantThatCanNeverBeIsRefused) {
    const test::ApiWorld world;
    for (const std::string tenant : {"ACME corp", "..", "a/b", ""}) {
        const auto refused =
            world.call("POST", "/api/keys", R"({"name": "k", "roles": {")" + tenant + R"(": ["viewer"]}})");
        EXPECT_EQ(refused.status, 422) << tenant;
        EXPECT_EQ(test::at(refused, "/errors/0/pointer").substr(0, 8), R"("/roles/)") << refused.body;
    }
    EXPECT_EQ(world.call("POST", "/api/keys", R"({"name": "k", "roles": {"*": ["viewer"], "acme": ["admin"]}})").status,
              201);
}

TEST(KeyRoutes, ASecretIsShownOnceAndTheKeyCanBeRevoked) {
    const ApiWorld world;
    const auto made = world.call("POST", "/api/keys",
                                 R"({"name": "ci", "roles": {"default": ["operator", "viewer"]}, "lifetime": "P1D"})");
    ASSERT_EQ(made.status, 201) << made.body;
    const auto id = std::string(parse_json(made.body)->at("id").as_string());
    EXPECT_EQ(at(made, "/secret").substr(0, 5 + id.size()), "\"bfk_" + id) << "the id is the first part of the secret";
    EXPECT_EQ(made.header("Cache-Control"), "no-store");
    EXPECT_NE(at(made, "/expiresAt"), "null");
    EXPECT_EQ(world.call("POST", "/api/keys", R"({"name": "ci", "roles": {"*": ["admin"]}})").status, 409);

    const auto list = world.get("/api/keys");
    EXPECT_EQ(at(list, "/items/0/secret"), "absent");
    EXPECT_EQ(at(list, "/items/0/hash"), "absent");
    EXPECT_EQ(at(list, "/items/0/roles/default"), R"(["viewer","operator"])");
    EXPECT_EQ(at(list, "/items/0/state"), "\"active\"");

    const auto revoked = world.call("DELETE", "/api/keys/" + id);
    EXPECT_EQ(at(revoked, "/state"), "\"revoked\"");
    EXPECT_EQ(at(world.call("DELETE", "/api/keys/" + id), "/revokedAt"), at(revoked, "/revokedAt"))
        << "the first time counts";
    EXPECT_EQ(world.call("DELETE", "/api/keys/nobody").status, 404);
    EXPECT_EQ(world.call("POST", "/api/keys", R"({"name": "ci", "roles": {"*": ["admin"]}})").status, 201)
        << "the name is free again";
}

TEST(KeyRoutes, AKeyNeedsRolesThatExist) {
    const ApiWorld world;
    const auto pointer = [&](const std::string& roles) {
        return at(world.call("POST", "/api/keys", R"({"name": "k", "roles": )" + roles + "}"), "/errors/0/pointer");
    };
    EXPECT_EQ(pointer("{}"), "\"/roles\"");
    EXPECT_EQ(pointer(R"({"default": []})"), "\"/roles/default\"");
    EXPECT_EQ(pointer(R"({"default": null})"), "\"/roles/default\"");
    EXPECT_EQ(pointer(R"({"default": ["viewer", "king"]})"), "\"/roles/default/1\"");
    EXPECT_EQ(at(world.call("POST", "/api/keys", R"({"name": "k", "roles": {"*": ["viewer"]}, "lifetime": "PT0S"})"),
                 "/errors/0/pointer"),
              "\"/lifetime\"");
}

}  // namespace belfry::api
