// Requests that are sent again, through the API.
#include <gtest/gtest.h>

#include "support/worlds/api_world.hpp"

namespace belfry::api::idempotency_test {

namespace {

using test::ApiWorld;
using test::at;

constexpr const char* kSchedules = "/api/tenants/default/schedules";
constexpr const char* kHourly =
    R"({"name": "n", "spec": {"cron": ["0 * * * *"]}, "target": {"workflowKind": "w"}, "overlapPolicy": "allow_all"})";

std::vector<Header> key(const std::string& text) { return {{"Idempotency-Key", text}}; }

}  // namespace

TEST(IdempotencyKey, ASecondRequestUnderItIsAnsweredLikeTheFirst) {
    const ApiWorld world;
    const auto first = world.call("POST", kSchedules, kHourly, key("a"));
    const auto again = world.call("POST", kSchedules, kHourly, key("a"));
    EXPECT_EQ(first.status, 201);
    EXPECT_EQ(first.header("Idempotency-Replayed"), "");
    EXPECT_EQ(again.status, 201) << again.body;
    EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
    EXPECT_EQ(at(again, "/id"), at(first, "/id"));
    EXPECT_EQ(again.header("Location"), first.header("Location"));
    EXPECT_EQ(world.call("POST", kSchedules, kHourly).status, 409) << "without the key it is another request";
}

TEST(IdempotencyKey, ATriggerAndABackfillHappenOnce) {
    const ApiWorld world;
    EXPECT_EQ(world.call("POST", kSchedules, kHourly).status, 201);
    const std::string one = std::string(kSchedules) + "/n";
    const auto first = world.call("POST", one + "/trigger", R"({"input": 1})", key("t"));
    const auto again = world.call("POST", one + "/trigger", R"({"input": 1})", key("t"));
    EXPECT_EQ(at(again, "/id"), at(first, "/id"));
    EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
    EXPECT_EQ(world.get(one + "/runs").at("items").as_array().size(), 1U);
    const auto range = R"({"from": "2026-01-01T00:00:00Z", "to": "2026-01-01T03:00:00Z"})";
    const auto backfill = world.call("POST", one + "/backfill", range, key("b"));
    EXPECT_EQ(backfill.status, 202) << backfill.body;
    const auto same = world.call("POST", one + "/backfill", range, key("b"));
    EXPECT_EQ(same.status, 202) << same.body;
    EXPECT_EQ(at(same, "/id"), at(backfill, "/id"));
}

TEST(IdempotencyKey, AnotherRequestUnderItIsRefused) {
    const ApiWorld world;
    EXPECT_EQ(world.call("POST", kSchedules, kHourly, key("a")).status, 201);
    const auto other =
        world.call("POST", "/api/tenants/default/workflow-executions", R"({"workflowKind": "w"})", key("a"));
    EXPECT_EQ(other.status, 422);
    EXPECT_EQ(at(other, "/errors/0/header"), "\"Idempotency-Key\"");
    for (const auto& bad : {std::string("with blank"), std::string(256, 'x'), std::string("caf\xc3\xa9")}) {
        EXPECT_EQ(at(world.call("POST", kSchedules, kHourly, key(bad)), "/errors/0/header"), "\"Idempotency-Key\"")
            << bad;
    }
}

}  // namespace belfry::api::idempotency_test
