// The parts of a schedule that have an address of their own, and starts without a schedule.
#include <gtest/gtest.h>

#include "support/worlds/api_world.hpp"

namespace belfry::api::schedule_part_routes_test {

namespace {

using test::ApiWorld;
using test::at;

constexpr const char* kSchedules = "/api/tenants/default/schedules";
const std::string kOne = std::string(kSchedules) + "/n";

void create_schedule(const ApiWorld& world, const std::string& more = {}) {
    const auto body = R"({"name": "n", "spec": {"cron": ["0 * * * *"]}, "target": {"workflowKind": "w"}, )"
                      R"("overlapPolicy": "allow_all")" +
                      more + "}";
    EXPECT_NE(at(world.post(kSchedules, body, 201), "/id"), "absent");
}

}  // namespace

TEST(RotationRoutes, ShowWhoseTurnItIs) {
    const ApiWorld world;
    create_schedule(world, R"(, "inputsRotation": ["a", "b", "c"])");
    EXPECT_EQ(at(world.get(kOne + "/rotation"), "/nextIndex"), "0");
    EXPECT_EQ(at(world.get(kOne + "/rotation"), "/lastIndex"), "null");
    EXPECT_EQ(at(world.post(kOne + "/trigger", "{}"), "/input"), "\"a\"");
    const auto answer = world.get(kOne + "/rotation");
    EXPECT_EQ(at(answer, "/nextIndex"), "1");
    EXPECT_EQ(at(answer, "/lastIndex"), "0");
    EXPECT_EQ(at(answer, "/entries"), R"(["a","b","c"])");
}

TEST(RotationRoutes, NewEntriesBeginWithTheFirst) {
    const ApiWorld world;
    create_schedule(world, R"(, "inputsRotation": ["a", "b"])");
    EXPECT_EQ(at(world.post(kOne + "/trigger", "{}"), "/input"), "\"a\"");
    const auto changed =
        world.call("PUT", kOne + "/rotation", R"({"entries": [{"x": 1}, 2]})", {{"If-Match", "\"1\""}});
    ASSERT_EQ(changed.status, 200) << changed.body;
    EXPECT_EQ(at(changed, "/nextIndex"), "0");
    EXPECT_EQ(changed.header("ETag"), "\"2.3\"");
    EXPECT_EQ(at(world.post(kOne + "/trigger", "{}"), "/input"), R"({"x":1})");
    EXPECT_EQ(world.call("PUT", kOne + "/rotation", R"({"entries": []})", {{"If-Match", "\"1\""}}).status, 409);
    EXPECT_EQ(at(world.call("PUT", kOne + "/rotation", "{}"), "/errors/0/pointer"), "\"/entries\"");
    const auto large = R"({"entries": [1, ")" + std::string(kInputMax, 'x') + R"("]})";
    EXPECT_EQ(at(world.call("PUT", kOne + "/rotation", large), "/errors/0/pointer"), "\"/entries/1\"");
}

TEST(RotationRoutes, ClearingForgetsTheEntriesAndTheIndexTogether) {
    const ApiWorld world;
    create_schedule(world, R"(, "inputsRotation": ["a", "b"], "inputsTemplate": "t")");
    EXPECT_EQ(at(world.post(kOne + "/trigger", "{}"), "/input"), "\"a\"");
    const auto cleared = world.call("DELETE", kOne + "/rotation");
    ASSERT_EQ(cleared.status, 200) << cleared.body;
    EXPECT_EQ(at(cleared, "/entries"), "[]");
    EXPECT_EQ(at(cleared, "/taken"), "0");
    EXPECT_EQ(at(world.post(kOne + "/trigger", "{}"), "/input"), "\"t\"");
}

TEST(ConditionRoutes, ACheckTellsClauseByClause) {
    const ApiWorld world;
    const std::string path = "/api/tenants/default/condition/check";
    const auto answer = world.post(
        path,
        R"({"condition": {"/a": {"gt": 3}, "/b": {"eq": "x"}, "/c": {"neq": 1}}, "context": {"a": 2, "b": "x"}})");
    EXPECT_EQ(at(answer, "/holds"), "false");
    EXPECT_EQ(at(answer, "/clauses/0/holds"), "false");
    EXPECT_EQ(at(answer, "/clauses/0/found"), "2");
    EXPECT_EQ(at(answer, "/clauses/0/detail"), "\"/a is 2, must be greater than 3\"");
    EXPECT_EQ(at(answer, "/clauses/1/holds"), "true");
    EXPECT_EQ(at(answer, "/clauses/2/present"), "false");
    const auto refused = world.post(path, R"({"condition": {"/a": {"is": 3}, "b": {"eq": 1}}})", 422);
    EXPECT_EQ(at(refused, "/errors/0/pointer"), "\"/condition/~1a\"");
    EXPECT_EQ(at(refused, "/errors/1/pointer"), "\"/condition/b\"");
    EXPECT_EQ(at(world.post(path, R"({"condition": {}})"), "/holds"), "true");
    EXPECT_EQ(at(world.post(path, R"({"condition": 3})", 422), "/errors/0/pointer"), "\"/condition\"");
}

TEST(ConditionRoutes, AConditionIsReadAsItWouldBeJudgedNow) {
    const ApiWorld world;
    create_schedule(world);
    EXPECT_EQ(at(world.get(kOne + "/condition"), "/condition"), "null");
    const auto changed =
        world.call("PUT", kOne + "/condition", R"({"condition": {"/last_24h_stats/total": {"lt": 1}}})");
    ASSERT_EQ(changed.status, 200) << changed.body;
    EXPECT_EQ(at(changed, "/holds"), "true");
    EXPECT_EQ(at(changed, "/version"), "2");
    EXPECT_EQ(at(world.post(kOne + "/trigger", "{}"), "/status"), "\"queued\"");
    const auto now = world.get(kOne + "/condition");
    EXPECT_EQ(at(now, "/context/last_24h_stats/total"), "1");
    EXPECT_EQ(at(now, "/holds"), "false");
    EXPECT_EQ(at(now, "/clauses/0/detail"), "\"/last_24h_stats/total is 1, must be less than 1\"");
    EXPECT_EQ(at(world.call("PUT", kOne + "/condition", R"({"condition": {"/x": 1}})"), "/errors/0/pointer"),
              "\"/condition/~1x\"");
    EXPECT_EQ(at(world.call("DELETE", kOne + "/condition"), "/condition"), "null");
    EXPECT_EQ(at(world.get(kOne), "/preDispatchCondition"), "null");
}

TEST(ImmediateStart, AnswersWithTheRunThatAWorkerGets) {
    const ApiWorld world;
    const auto started = world.call(
        "POST", "/api/tenants/default/task-executions",
        R"({"taskKind": "mail", "input": {"to": "a"}, "queue": "high", "priority": 3, "metadata": {"k": "v"}})");
    ASSERT_EQ(started.status, 201) << started.body;
    EXPECT_EQ(at(started, "/status"), "\"queued\"");
    EXPECT_EQ(at(started, "/targetType"), "\"task\"");
    const std::string location(started.header("Location"));
    EXPECT_EQ(at(world.get(location), "/id"), at(started, "/id"));
    const auto claimed =
        world.post("/api/tenants/default/tasks/claim", R"({"worker": "w", "queue": "high", "limit": 10})");
    ASSERT_EQ(claimed.at("items").as_array().size(), 1U);
    EXPECT_EQ(at(claimed, "/items/0/runId"), at(started, "/id"));
    EXPECT_EQ(at(claimed, "/items/0/input"), R"({"to":"a"})");
    EXPECT_EQ(at(claimed, "/items/0/target/metadata"), R"({"k":"v"})");
    const auto done = world.post(
        "/api/tenants/default/tasks/complete",
        R"({"items": [{"runId": )" + at(started, "/id") + R"(, "attempt": 1, "status": "succeeded", "result": 7}]})");
    EXPECT_EQ(at(done, "/items/0/ok"), "true") << to_text(done);
    EXPECT_EQ(at(world.get(location), "/status"), "\"succeeded\"");
    EXPECT_EQ(at(world.get(location), "/result"), "7");
}

TEST(ImmediateStart, LeavesNothingInTheListOfSchedules) {
    const ApiWorld world;
    const std::string path = "/api/tenants/default/workflow-executions";
    const auto first = world.post(path, R"({"workflowKind": "w", "version": 2, "labels": {"team": "a"}})", 201);
    const auto second = world.post(path, R"({"workflowKind": "w"})", 201);
    EXPECT_NE(at(first, "/id"), at(second, "/id")) << "two in one second are two";
    EXPECT_EQ(at(world.get(kSchedules), "/items"), "[]");
    const auto id = at(first, "/scheduleId");
    const auto schedule = world.get(std::string(kSchedules) + "/" + id.substr(1, id.size() - 2));
    EXPECT_EQ(at(schedule, "/status"), "\"deleted\"");
    EXPECT_EQ(at(schedule, "/labels"), R"({"belfry.immediate":"workflow","team":"a"})");
    const auto run = at(first, "/id");
    EXPECT_EQ(world.call("GET", path + "/" + run.substr(1, run.size() - 2)).status, 200);
    EXPECT_EQ(world.call("GET", "/api/tenants/default/task-executions/" + run.substr(1, run.size() - 2)).status, 404);
}

TEST(ImmediateStart, ASkippedOneTakesNoPlaceOfItsTenant) {
    for (const std::string store : {"memory", "sqlite"}) {
        const ApiWorld world(store);
        (void)world.post("/api/tenants", R"({"name": "small", "schedulesMax": 1, "runsPerDay": 0})", 201);
        const std::string path = "/api/tenants/small/task-executions";
        for (int i = 0; i < 3; ++i) {
            const auto started = world.post(path, R"({"taskKind": "t"})", 201);
            EXPECT_EQ(at(started, "/status"), "\"skipped\"") << store;
            EXPECT_EQ(at(started, "/reason"), "\"budget_exceeded\"") << store;
            const auto run = at(started, "/id");
            EXPECT_EQ(at(world.get(path + "/" + run.substr(1, run.size() - 2)), "/status"), "\"skipped\"")
                << "its run stays readable";
        }
        EXPECT_EQ(at(world.get("/api/tenants/small"), "/usage/schedules"), "0") << store;
        EXPECT_EQ(at(world.get("/api/tenants/small/schedules"), "/items"), "[]") << store;
    }
}

TEST(ImmediateStart, LaterIsRefusedWithTheScheduleToCreateInstead) {
    const ApiWorld world;
    const std::string path = "/api/tenants/default/workflow-executions";
    const auto refused =
        world.post(path, R"({"workflowKind": "w", "input": 1, "scheduledAt": "2199-01-01T00:00:00Z"})", 422);
    EXPECT_EQ(at(refused, "/errors/0/pointer"), "\"/scheduledAt\"");
    const auto detail = std::string(std::string_view(refused.at("detail").as_string()));
    const auto example = detail.find('{');
    ASSERT_NE(example, std::string::npos) << detail;
    EXPECT_EQ(at(world.post(kSchedules, detail.substr(example), 201), "/spec/at"), R"(["2199-01-01T00:00:00Z"])")
        << "the example works";
    EXPECT_EQ(at(world.post(path, R"({"input": 1})", 422), "/errors/0/pointer"), "\"/workflowKind\"");
    EXPECT_EQ(at(world.post(path, R"({"taskKind": "t"})", 422), "/errors/0/pointer"), "\"/taskKind\"");
    const auto large = R"({"workflowKind": "w", "input": ")" + std::string(kInputMax, 'x') + R"("})";
    EXPECT_EQ(at(world.post(path, large, 422), "/errors/0/pointer"), "\"/input\"");
}

}  // namespace belfry::api::schedule_part_routes_test
