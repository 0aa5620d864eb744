// Requests with many items: each has its own result, and nothing happens twice.
#include <gtest/gtest.h>

#include "api/http/http_server.hpp"
#include "support/servers/http_client.hpp"
#include "support/worlds/api_world.hpp"

namespace belfry::api::batch_test {

namespace {

using namespace std::chrono_literals;
using test::at;
using test::json;

const std::string kTenant = "/api/tenants/default";

class BatchRequest : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        world.engine.start();
        ASSERT_TRUE(server.start());
        client.emplace(server.port());
    }
    void TearDown() override {
        server.stop(10s);
        world.engine.stop();
    }

    Json post(const std::string& target, const std::string& body, int status = 200) {
        const auto response = client->request("POST", target, body);
        EXPECT_EQ(response.status, status) << target << "\n" << response.body;
        const auto answer = parse_json(response.body, {.bytes_max = std::size_t{64} << 20U});
        return answer ? *answer : Json(nullptr);
    }
    Json start(const std::string& items) {
        return post(kTenant + "/task-executions/batch", R"({"items":)" + items + "}");
    }
    Json change(const std::string& body) { return post(kTenant + "/schedules/batch", body); }
    Json get(const std::string& target) { return json(client->request("GET", target).body); }

    static std::string statuses(const Json& answer) {
        std::string all;
        for (const auto& item : answer.at("items").as_array())
            all += (all.empty() ? "" : " ") + to_text(item.at("status"));
        return all;
    }
    std::size_t count(const std::string& query) { return get(kTenant + "/" + query).at("items").as_array().size(); }
    static std::string schedule(const std::string& name, const std::string& more = {}) {
        return R"({"name":")" + name +
               R"(","spec":{"cron":["0 0 29 2 *"]},"target":{"type":"task","taskKind":"mail"})" + more + "}";
    }
    static std::string creation(const std::string& name, const std::string& more = {}) {
        return R"({"operation":"create","definition":)" + schedule(name, more) + "}";
    }

    test::ApiWorld world{GetParam(), {}};
    HttpServer server{world.api.handler(), {.listen = "127.0.0.1:0"}};
    std::optional<test::HttpClient> client;
};
INSTANTIATE_TEST_SUITE_P(Both, BatchRequest, ::testing::Values("sqlite", "postgres"),
                         [](const auto& param) { return param.param; });

TEST_P(BatchRequest, EachStartHasItsOwnResult) {
    const auto answer = start(R"([{"taskKind":"a","input":{"n":1}}, {"taskKind":7}, {"input":{}}, "text",
                                  {"taskKind":"b","scheduledAt":"2030-01-01T00:00:00Z"}, {"taskKind":"c"}])");
    EXPECT_EQ(statuses(answer), "201 422 422 422 422 201");
    EXPECT_EQ(at(answer, "/items/0/run/status"), R"("queued")");
    EXPECT_EQ(at(answer, "/items/0/run/input/n"), "1");
    EXPECT_EQ(at(answer, "/items/1/problem/errors/0/pointer"), R"("/items/1/taskKind")");
    EXPECT_EQ(at(answer, "/items/2/problem/errors/0/pointer"), R"("/items/2/taskKind")");
    EXPECT_EQ(at(answer, "/items/4/problem/errors/0/pointer"), R"("/items/4/scheduledAt")");
    EXPECT_EQ(count("runs"), 2U);
    const auto& run = answer.at("items").as_array()[5].at("run").at("id").as_string();
    EXPECT_EQ(at(get(kTenant + "/task-executions/" + std::string(run)), "/id"), to_text(Json(run)));
}

TEST_P(BatchRequest, AKeyStartsOnceInOneRequestAndAcrossRequests) {
    const auto items = R"([{"taskKind":"a","idempotencyKey":"k1"}, {"taskKind":"a","idempotencyKey":"k1"},
                           {"taskKind":"b","idempotencyKey":"k1"}, {"taskKind":"a","idempotencyKey":"k2"}])";
    const auto first = start(items);
    EXPECT_EQ(statuses(first), "201 201 422 201");
    EXPECT_EQ(at(first, "/items/0/replayed"), "false");
    EXPECT_EQ(at(first, "/items/1/replayed"), "true");
    EXPECT_EQ(at(first, "/items/1/run/id"), at(first, "/items/0/run/id"));
    EXPECT_EQ(at(first, "/items/2/problem/errors/0/pointer"), R"("/items/2/idempotencyKey")");
    const auto again = start(items);
    EXPECT_EQ(statuses(again), "201 201 422 201");
    EXPECT_EQ(at(again, "/items/0/replayed"), "true");
    EXPECT_EQ(at(again, "/items/3/run/id"), at(first, "/items/3/run/id"));
    EXPECT_EQ(count("runs"), 2U);
}

TEST_P(BatchRequest, StartsBelongToTheirTenant) {
    ASSERT_TRUE(world.engine.tenants().create({.name = "acme"}));
    const auto ours = post(kTenant + "/workflow-executions/batch", R"({"items":[{"workflowKind":"w"}]})");
    EXPECT_EQ(statuses(ours), "201");
    const auto theirs = post("/api/tenants/acme/task-executions/batch", R"({"items":[{"taskKind":"a"}]})");
    EXPECT_EQ(statuses(theirs), "201");
    EXPECT_EQ(count("runs"), 1U);
    const auto nobodys = post("/api/tenants/nowhere/task-executions/batch", R"({"items":[{"taskKind":"a"}]})");
    EXPECT_EQ(statuses(nobodys), "404");
}

TEST_P(BatchRequest, TheLimitOfTheTenantIsReachedInTheMiddle) {
    ASSERT_TRUE(world.engine.tenants().create({.name = "small", .schedules_max = 2}));
    const auto target = "/api/tenants/small/schedules/batch";
    const auto answer = post(target, R"({"items":[)" + creation("a") + "," + creation("b") + "," + creation("c") +
                                         R"(,{"operation":"delete","schedule":"a"},)" + creation("d") + "]}");
    EXPECT_EQ(statuses(answer), "201 201 429 200 201");
    EXPECT_EQ(at(answer, "/items/2/problem/code"), R"("exhausted")");
}

TEST_P(BatchRequest, RejectsWhatIsNoList) {
    for (const auto* const body :
         {R"({})", R"({"items":[]})", R"({"items":{}})", R"({"items":[{"taskKind":"a"}],"x":1})"})
        post(kTenant + "/task-executions/batch", body, 422);
    std::string many;
    for (int i = 0; i < 1'001; ++i) many += std::string(i == 0 ? "" : ",") + R"({"taskKind":"a"})";
    post(kTenant + "/task-executions/batch", R"({"items":[)" + many + "]}", 422);
    const auto keyed = client->request("POST", kTenant + "/task-executions/batch", R"({"items":[{"taskKind":"a"}]})",
                                       {{"Idempotency-Key", "k"}});
    EXPECT_EQ(keyed.status, 422) << keyed.body;
    EXPECT_EQ(count("runs"), 0U);
}

TEST_P(BatchRequest, OperationsOnSchedulesHappenInOrder) {
    const auto answer = change(R"({"reason":"tidy up","items":[)" + creation("a") + "," + creation("a") + "," +
                               creation("b", R"(,"status":"paused")") + "," + creation("c", R"(,"colour":"red")") +
                               R"(,{"operation":"pause","schedule":"a"},
                                  {"operation":"update","schedule":"a","definition":{"description":"changed"}},
                                  {"operation":"update","schedule":"a","definition":{"spec":{"cron":["never"]}}},
                                  {"operation":"update","schedule":"a","version":7,"definition":{"description":"x"}},
                                  {"operation":"resume","schedule":"b"},
                                  {"operation":"delete","schedule":"nothing"},
                                  {"operation":"pause"},
                                  {"operation":"delete","schedule":"b"}]})");
    EXPECT_EQ(statuses(answer), "201 409 201 422 200 200 422 409 200 404 422 200");
    EXPECT_EQ(at(answer, "/items/3/problem/errors/0/pointer"), R"("/items/3/definition/colour")");
    EXPECT_EQ(at(answer, "/items/6/problem/errors/0/pointer"), R"("/items/6/definition/spec/cron/0")");
    EXPECT_EQ(at(answer, "/items/10/problem/errors/0/pointer"), R"("/items/10/schedule")");
    const auto a = get(kTenant + "/schedules/a");
    EXPECT_EQ(at(a, "/status"), R"("paused")");
    EXPECT_EQ(at(a, "/description"), R"("changed")");
    EXPECT_EQ(count("schedules"), 1U) << "b is deleted again";
    const auto history = to_text(get(kTenant + "/schedules/a/history"));
    EXPECT_NE(history.find("tidy up"), std::string::npos) << history;
}

TEST_P(BatchRequest, AKeyCreatesOneSchedule) {
    const auto body = R"({"items":[{"operation":"create","idempotencyKey":"k","definition":)" + schedule("a") + "}]}";
    const auto first = change(body);
    const auto again = change(body);
    EXPECT_EQ(statuses(again), "201");
    EXPECT_EQ(at(again, "/items/0/replayed"), "true");
    EXPECT_EQ(at(again, "/items/0/schedule/id"), at(first, "/items/0/schedule/id"));
}

TEST_P(BatchRequest, AFilterSelectsSchedules) {
    const auto labelled = R"(,"labels":{"team":"x"})";
    change(R"({"items":[)" + creation("a", labelled) + "," + creation("b") + "," + creation("c", labelled) + "]}");
    const auto paused = change(R"({"operation":"pause","filter":{"label":"team:x"},"reason":"release"})");
    EXPECT_EQ(statuses(paused), "200 200");
    EXPECT_EQ(at(paused, "/items/1/schedule/name"), R"("c")");
    EXPECT_EQ(at(paused, "/nextCursor"), "null");
    EXPECT_EQ(count("schedules?status=paused"), 2U);
    EXPECT_EQ(statuses(change(R"({"operation":"resume","filter":{"status":"paused"}})")), "200 200");
    EXPECT_EQ(statuses(change(R"({"operation":"delete","filter":{"namePrefix":"b"}})")), "200");
    EXPECT_EQ(count("schedules"), 2U);
    for (const auto* const body :
         {R"({"operation":"pause","filter":{}})", R"({"operation":"create","filter":{"q":"a"}})",
          R"({"filter":{"q":"a"}})", R"({"operation":"pause","filter":{"colour":"red"}})"})
        post(kTenant + "/schedules/batch", body, 422);
    EXPECT_EQ(count("schedules?status=paused"), 0U);
}

TEST_P(BatchRequest, AFilterThatMatchesMoreContinuesAtTheCursor) {
    constexpr int kAll = 1'003;
    for (const auto& [first, beyond] : {std::pair{0, 1'000}, std::pair{1'000, kAll}}) {
        std::string items;
        for (int i = first; i < beyond; ++i)
            items += (i == first ? "" : ",") + creation("s" + std::to_string(10'000 + i));
        change(R"({"items":[)" + items + "]}");
    }
    const auto some = change(R"({"operation":"pause","filter":{"namePrefix":"s"}})");
    EXPECT_EQ(some.at("items").as_array().size(), 1'000U);
    ASSERT_TRUE(some.at("nextCursor").is_string());
    const auto rest =
        change(R"({"operation":"pause","filter":{"namePrefix":"s"},"cursor":)" + to_text(some.at("nextCursor")) + "}");
    EXPECT_EQ(statuses(rest), "200 200 200");
    EXPECT_EQ(at(rest, "/nextCursor"), "null");
}

}  // namespace

}  // namespace belfry::api::batch_test
