// What a schedule gets that says nothing, natively and in the dialects.
#include <gtest/gtest.h>

#include <set>

#include "support/worlds/api_world.hpp"

namespace belfry::api {
namespace {

using test::ApiWorld;
using test::at;

const std::string kNative =
    R"({"name": "native", "spec": {"cron": ["0 0 0 1 1 * 2199"]}, "target": {"workflowKind": "digest"}})";
constexpr const char* kNativePath = "/api/tenants/default/schedules/native";

TEST(ScheduleDefaults, NativelyTheGraceIsAutoAndAGivenOneIsKept) {
    const ApiWorld world;
    EXPECT_EQ(at(world.post("/api/tenants/default/schedules", kNative, 201), "/missedGrace"), "\"auto\"");
    EXPECT_EQ(at(world.call("PATCH", kNativePath, R"({"notes": "seen"})"), "/missedGrace"), "\"auto\"");
    EXPECT_EQ(at(world.call("PATCH", kNativePath, R"({"missedGrace": "PT90S"})"), "/missedGrace"), "\"PT1M30S\"");
    EXPECT_EQ(at(world.call("PATCH", kNativePath, R"({"notes": "seen again"})"), "/missedGrace"), "\"PT1M30S\"");
    EXPECT_EQ(at(world.call("PATCH", kNativePath, R"({"missedGrace": "auto"})"), "/missedGrace"), "\"auto\"");
    const auto refused = world.call("PATCH", kNativePath, R"({"missedGrace": "soon"})");
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(at(refused, "/errors/0/pointer"), "\"/missedGrace\"");
}

TEST(ScheduleDefaults, TheDialectsKeepAMinute) {
    const ApiWorld world;
    (void)world.post(
        "/schedules/upsert",
        R"({"schedule_id": "cron", "workflow_id": "w", "version": 1, "user_id": "u", "cron_expr": "0 9 * * *", )"
        R"("timezone": "UTC"})");
    (void)world.post("/api/schedules", R"({"schedule_id": "durable", "spec": {"cron_expressions": ["0 9 * * *"]},
                                          "action": {"workflow_type": "w"}})",
                     201);
    for (const std::string name : {"cron", "durable"}) {
        EXPECT_EQ(at(world.get("/api/tenants/default/schedules/" + name), "/missedGrace"), "\"PT1M\"") << name;
    }
}

TEST(ScheduleDefaults, ABreakerMayTryAgainByItself) {
    const ApiWorld world;
    (void)world.post("/api/tenants/default/schedules", kNative, 201);
    const auto set =
        world.call("PATCH", kNativePath, R"({"breaker": {"maxConsecutiveFailures": 3, "retryAfter": "PT5M"}})");
    EXPECT_EQ(at(set, "/breaker"), R"({"maxConsecutiveFailures":3,"retryAfter":"PT5M"})");
    EXPECT_EQ(at(set, "/breakerState"), "\"closed\"");
    EXPECT_EQ(at(world.call("PATCH", kNativePath, R"({"breaker": {"retryAfter": "later"}})"), "/errors/0/pointer"),
              "\"/breaker/retryAfter\"");
}

class RpcSchedules : public testing::Test {
protected:
    void SetUp() override {
        (void)world.call("PUT", "/api/tenants/default/workflows/digest", R"({"nodes": [{"id": "collect"}]})");
    }
    [[nodiscard]] Json upsert(const std::string& more) const {
        return world.post("/rpc/fn_upsert_workflow_schedule",
                          R"({"p_workflow_id": "digest", "p_cron_expr": "0 0 1 1 *")" + more + "}");
    }
    const ApiWorld world;
};

TEST_F(RpcSchedules, APauseCountsAsMissed) {
    const auto made = upsert(R"(, "p_queue_policy": {"onMissed": "run_once"})");
    const auto id = at(made, "/0/id");
    const auto native = world.get("/api/tenants/default/schedules/" + id.substr(1, id.size() - 2));
    EXPECT_EQ(at(native, "/missedRunPolicy"), "\"fire_once\"");
    EXPECT_EQ(at(native, "/missedWhilePaused"), "true");
    EXPECT_EQ(at(native, "/missedGrace"), "\"PT1M\"");
}

// S1-30. More of them than a page of the store has.
TEST_F(RpcSchedules, EveryScheduleOfTheWorkspaceIsListedAndNoOther) {
    std::set<std::string> made;
    for (std::size_t i = 0; i < store::kPageMax + 1; ++i) made.insert(at(upsert(""), "/0/id"));
    (void)world.post("/api/tenants", R"({"name": "other"})", 201);
    (void)world.post("/api/tenants/other/schedules", kNative, 201);
    EXPECT_EQ(world.call("DELETE", "/api/tenants/default/schedules/" + made.begin()->substr(1, 36)).status, 200);
    made.erase(made.begin());
    std::set<std::string> listed;
    const auto rows = world.post("/rpc/fn_workflow_get_schedules", "{}");
    for (const auto& row : rows.as_array()) listed.insert(at(row, "/id"));
    EXPECT_EQ(listed, made);
    EXPECT_EQ(rows.as_array().size(), made.size());
}

}  // namespace
}  // namespace belfry::api
