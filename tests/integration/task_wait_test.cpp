// Workers that wait for tasks: a server on a socket, the engine with its threads, and a database.
#include <gtest/gtest.h>

#include <set>

#include "api/http/http_server.hpp"
#include "support/servers/http_client.hpp"
#include "support/worlds/api_world.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry::api::task_wait_test {

namespace {

using namespace std::chrono_literals;
using test::at;
using test::HttpClient;
using test::json;
using test::within_a_minute;

constexpr const char* kSchedules = "/api/tenants/default/schedules";

engine::EngineOptions quick() {
    engine::EngineOptions options;
    options.reaper.tick = 20ms;
    return options;
}

class TaskWait : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        world.engine.start();
        const auto started = server.start();
        ASSERT_TRUE(started) << started.error().message;
        client.emplace(server.port());
    }
    void TearDown() override {
        server.stop(10s);
        world.engine.stop();
    }

    // Fires only when it is asked to.
    void create(const std::string& name, const std::string& queue = "default", const std::string& more = {}) {
        const auto response = client->request("POST", kSchedules,
                                              R"({"name": ")" + name +
                                                  R"(", "spec": {"cron": ["0 0 29 2 *"]}, "overlapPolicy": "allow_all",
                                                 "target": {"type": "task", "taskKind": "mail", "queue": ")" +
                                                  queue + R"("})" + more + "}");
        ASSERT_EQ(response.status, 201) << response.body;
    }
    std::string trigger(const std::string& name) {
        const auto response = client->request("POST", std::string(kSchedules) + "/" + name + "/trigger");
        EXPECT_EQ(response.status, 200) << response.body;
        return at(response, "/id");
    }
    static std::string claim(const std::string& worker, int wait_ms, const std::string& queue = "default") {
        return R"({"worker": ")" + worker + R"(", "queue": ")" + queue + R"(", "leaseMs": 60000, "waitMs": )" +
               std::to_string(wait_ms) + "}";
    }
    // Sends it without waiting for the answer.
    std::unique_ptr<HttpClient> begin_claim(const std::string& worker, const std::string& queue = "default") const {
        auto other = std::make_unique<HttpClient>(server.port());
        const auto body = claim(worker, 60'000, queue);
        other->send(
            "POST /api/tenants/default/tasks/claim HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            "application/json\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body);
        return other;
    }
    [[nodiscard]] bool lines_become(std::size_t count) {
        return within_a_minute([&] { return world.engine.long_polls().lines() == count; });
    }

    test::ApiWorld world{GetParam(), quick()};
    HttpServer server{world.api.handler(), {.listen = "127.0.0.1:0", .threads = 4}};
    std::optional<HttpClient> client;
};

Response answer_of(HttpClient& client) { return client.read_answer().value_or(Response{.status = 0}); }

}  // namespace

TEST_P(TaskWait, AClaimThatWaitsGetsTheTaskThatATriggerMakesReady) {
    create("t");
    for (int i = 0; i < 3; ++i) {
        const auto waiting = begin_claim("w");
        ASSERT_TRUE(lines_become(1));
        const auto run = trigger("t");
        const auto answer = answer_of(*waiting);
        EXPECT_EQ(answer.status, 200) << answer.body;
        EXPECT_EQ(at(answer, "/items/0/runId"), run);
        EXPECT_TRUE(lines_become(0));
    }
}

TEST_P(TaskWait, AClaimDoesNotWaitWhenThereIsATaskOrWhenItsTimeIsOver) {
    create("t");
    const auto run = trigger("t");
    EXPECT_EQ(at(client->request("POST", "/api/tenants/default/tasks/claim", claim("w", 60'000)), "/items/0/runId"),
              run);
    const auto nothing = client->request("POST", "/api/tenants/default/tasks/claim", claim("w", 50));
    EXPECT_EQ(nothing.status, 200);
    EXPECT_EQ(nothing.body, R"({"items":[]})");
    EXPECT_EQ(client->request("POST", "/api/tenants/default/tasks/claim", claim("w", 0)).body, R"({"items":[]})");
    for (const int wrong : {-1, 60'001}) {
        const auto refused = client->request("POST", "/api/tenants/default/tasks/claim", claim("w", wrong));
        EXPECT_EQ(refused.status, 422);
        EXPECT_NE(refused.body.find("/waitMs"), std::string::npos) << refused.body;
    }
    EXPECT_EQ(world.engine.long_polls().lines(), 0U);
}

TEST_P(TaskWait, AnExchangeCompletesAndClaimsTheNextTask) {
    constexpr const char* kExchange = "/api/tenants/default/tasks/exchange";
    create("t");
    const auto exchange = [](const std::string& completed, int wait_ms) {
        const auto item = R"({"runId": )" + completed + R"(, "attempt": 1, "status": "succeeded", "result": 7})";
        return R"({"completions": [)" + item + R"(], "claim": )" + claim("w", wait_ms) + "}";
    };
    const auto first = trigger("t");
    const auto begun = client->request("POST", kExchange, R"({"claim": )" + claim("w", 0) + "}");
    EXPECT_EQ(begun.status, 200) << begun.body;
    EXPECT_EQ(at(begun, "/outcomes"), "[]");
    EXPECT_EQ(at(begun, "/tasks/0/runId"), first);

    const auto second = trigger("t");
    const auto next = client->request("POST", kExchange, exchange(first, 0));
    EXPECT_EQ(at(next, "/outcomes/0/ok"), "true") << next.body;
    EXPECT_EQ(at(next, "/tasks/0/runId"), second);
    const auto read = [&](const std::string& quoted_id, const char* member) {
        return at(client->request("GET", "/api/tenants/default/runs/" + quoted_id.substr(1, quoted_id.size() - 2)),
                  member);
    };
    EXPECT_EQ(read(first, "/result"), "7");

    const auto again = client->request("POST", kExchange, exchange(first, 0));
    EXPECT_EQ(at(again, "/outcomes/0/problem/status"), "409") << "it was completed before: " << again.body;
    EXPECT_EQ(at(again, "/tasks"), "[]");

    const auto reserved = client->request(
        "POST", kExchange, R"({"completions": [{"runId": )" + second + R"(, "attempt": 1, "status": "succeeded"}],
                               "claim": {"worker": "@w"}})");
    EXPECT_EQ(reserved.status, 422) << reserved.body;
    EXPECT_NE(reserved.body.find("/claim/worker"), std::string::npos) << reserved.body;
    EXPECT_EQ(read(second, "/status"), R"("running")") << "a rejected request completes nothing";

    HttpClient waiting(server.port());
    const auto body = exchange(second, 60'000);
    waiting.send("POST " + std::string(kExchange) +
                 " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
                 std::to_string(body.size()) + "\r\n\r\n" + body);
    ASSERT_TRUE(lines_become(1));
    EXPECT_EQ(read(second, "/status"), R"("succeeded")") << "the completion does not wait";
    const auto third = trigger("t");
    const auto answer = answer_of(waiting);
    EXPECT_EQ(at(answer, "/outcomes/0/ok"), "true") << answer.body;
    EXPECT_EQ(at(answer, "/tasks/0/runId"), third);
}

TEST_P(TaskWait, TasksGoToThoseWhoWaitForTheirQueueInTheOrderInWhichTheyCame) {
    create("t");
    create("other", "other");
    std::vector<std::unique_ptr<HttpClient>> waiting;
    for (int i = 0; i < 5; ++i) {
        waiting.push_back(begin_claim("w" + std::to_string(i)));
        // Only when one waits does the next come: what came first is then known.
        ASSERT_TRUE(
            within_a_minute([&] { return world.engine.long_polls().waiting() == static_cast<std::size_t>(i) + 1; }));
    }
    const auto elsewhere = begin_claim("elsewhere", "other");
    ASSERT_TRUE(lines_become(2));
    for (auto& each : waiting) {
        const auto run = trigger("t");
        EXPECT_EQ(at(answer_of(*each), "/items/0/runId"), run);
    }
    const auto run = trigger("other");
    EXPECT_EQ(at(answer_of(*elsewhere), "/items/0/runId"), run);
}

TEST_P(TaskWait, AHerdOfWorkersSharesTheTasksAndOthersAreAnswered) {
    constexpr int kWorkers = 500;
    create("t");
    std::vector<std::unique_ptr<HttpClient>> waiting;
    for (int i = 0; i < kWorkers; ++i) waiting.push_back(begin_claim("w" + std::to_string(i)));
    ASSERT_TRUE(within_a_minute([&] { return world.engine.long_polls().waiting() == kWorkers; }));
    EXPECT_EQ(client->request("GET", kSchedules).status, 200);
    std::set<std::string> made;
    for (int i = 0; i < kWorkers; ++i) made.insert(trigger("t"));
    std::set<std::string> claimed;
    for (auto& each : waiting) claimed.insert(at(answer_of(*each), "/items/0/runId"));
    EXPECT_EQ(claimed, made);
}

TEST_P(TaskWait, NothingIsClaimedForAWorkerThatHasLeft) {
    create("t");
    auto gone = begin_claim("gone");
    ASSERT_TRUE(lines_become(1));
    const auto waiting = begin_claim("there");
    ASSERT_TRUE(within_a_minute([&] { return world.engine.long_polls().waiting() == 2; }));
    gone.reset();
    ASSERT_TRUE(within_a_minute([&] { return world.engine.long_polls().waiting() == 1; }));
    const auto run = trigger("t");
    const auto answer = answer_of(*waiting);
    EXPECT_EQ(at(answer, "/items/0/runId"), run);
    EXPECT_EQ(at(answer, "/items/0/attempt"), "1");
}

TEST_P(TaskWait, AServerThatEndsAnswersThatThereIsNothing) {
    const auto waiting = begin_claim("w");
    ASSERT_TRUE(lines_become(1));
    server.stop(1h);
    const auto answer = answer_of(*waiting);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, R"({"items":[]})");
    EXPECT_EQ(world.engine.long_polls().lines(), 0U);
}

TEST_P(TaskWait, ARetryIsClaimedWhenItIsDueThoughItWasAnnouncedBefore) {
    create("t", "default", R"(, "retryPolicy": {"maxRetries": 1, "backoffMs": 300})");
    const auto run = trigger("t");
    ASSERT_EQ(at(client->request("POST", "/api/tenants/default/tasks/claim", claim("w", 0)), "/items/0/runId"), run);
    const auto waiting = begin_claim("w");
    ASSERT_TRUE(lines_become(1));
    const auto told =
        client->request("POST", "/api/tenants/default/tasks/complete",
                        R"({"items": [{"runId": )" + run + R"(, "attempt": 1, "status": "failed", "error": "e"}]})");
    EXPECT_NE(at(told, "/items/0/retryAt"), "null") << told.body;
    EXPECT_EQ(at(answer_of(*waiting), "/items/0/attempt"), "2");
}

INSTANTIATE_TEST_SUITE_P(Stores, TaskWait, ::testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& each) { return each.param; });

}  // namespace belfry::api::task_wait_test
