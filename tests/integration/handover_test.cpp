// Tasks that are handed over to an HTTP launcher and told about by callbacks, with all threads and on every store.
// Every wait has a deadline that only a fault reaches.
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "api/api.hpp"
#include "base/net/curl_http_client.hpp"
#include "engine/engine.hpp"
#include "engine/outgoing/webhook_signature.hpp"
#include "support/fakes/fake_broker.hpp"
#include "support/oracles/stores.hpp"
#include "support/servers/http_receiver.hpp"
#include "support/worlds/schedules.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry::test {
namespace {

using model::ExecutionStatus;

class HandOverTest : public testing::TestWithParam<StoreUnderTest> {
protected:
    HandOverTest() : world(GetParam().make()), store(world->open()) {}

    engine::Connection& launch_at(const HttpReceiver& receiver) {
        auto& connection = connections["launcher"];
        connection.name = "launcher";
        connection.kind = "http";
        connection.retry_for = Seconds{60};
        connection.launcher = engine::LauncherPlace{.url = parse_url(receiver.url("/start")).value(), .http = &http};
        return connection;
    }
    std::unique_ptr<engine::Engine> start(const StorePtr& on) {
        engine::EngineOptions options;
        options.member.every = std::chrono::milliseconds{100};
        options.member.lease = Seconds{2};
        options.reaper.tick = std::chrono::milliseconds{20};
        options.executor.lease = Seconds{3};
        options.executor.drain = Micros{1};
        options.http = &http;
        options.sealer = &sealer;
        options.connections = connections;
        auto made = std::make_unique<engine::Engine>(*on, zones(), quiet, std::move(options));
        made->start();
        return made;
    }
    std::string trigger(engine::Engine& server, const std::string& connection = "launcher", int times = 1) {
        const auto made = server.schedules().create(
            definition([&](auto& schedule) {
                schedule.name = "task-" + std::to_string(++made_);
                schedule.target = {.type = model::TargetType::workflow, .kind = "etl", .version = 3};
                schedule.target.connection = connection;
                schedule.spec.cron = {"0 0 29 2 *"};
                schedule.overlap.policy = model::OverlapPolicy::allow_all;
                schedule.retry.max_retries = 5;
            }),
            {.principal = "ann"});
        EXPECT_TRUE(made) << made.error().message;
        std::string run_id;
        for (int i = 0; i < times; ++i) {
            const auto run = server.schedules().trigger({"default", made->definition.id}, {}, {});
            EXPECT_TRUE(run) << run.error().message;
            run_id = run->id;
        }
        return run_id;
    }
    model::Run ended(const std::string& run_id) {
        EXPECT_TRUE(within_a_minute([&] { return is_terminal(read(run_id).execution); }));
        return read(run_id);
    }
    model::Run read(const std::string& run_id) {
        const auto run = store->run("default", run_id);
        EXPECT_TRUE(run) << run.error().message;
        return run ? *run : model::Run{};
    }
    static int tell(engine::Engine& server, const Json& message, const std::string& status, const std::string& token,
                    const std::string& path = {}) {
        api::Api api(server);
        api::Request request;
        request.method = "POST";
        request.path = path.empty() ? std::string(message.at("callback").at("path").as_string()) : path;
        request.body = R"({"status":")" + status + R"("})";
        request.headers.emplace_back("content-type", "application/json");
        if (!token.empty()) request.headers.emplace_back("belfry-callback-token", token);
        return api.handler()(request).status;
    }
    static std::string token_of(const Json& message) {
        return std::string(message.at("callback").at("token").as_string());
    }

    engine::Observer quiet;
    std::unique_ptr<StoreWorld> world;
    StorePtr store;
    CurlHttpClient http{{.permitted = parse_networks("127.0.0.0/8").value()}};
    Sealer sealer{[]() -> Result<std::vector<SealingKey>> { return std::vector{SealingKey(kSealingKeyBytes, 'k')}; }};
    engine::Connections connections;

private:
    int made_ = 0;
};

TEST_P(HandOverTest, ALauncherGetsWhatItStartsAWorkflowWith) {
    HttpReceiver receiver([](const Received&) { return http_answer(200, R"({"started":true})"); });
    launch_at(receiver).launcher->signing_key = std::string(32, 's');
    const auto server = start(store);
    const auto run = ended(trigger(*server));
    EXPECT_EQ(run.execution, ExecutionStatus::succeeded) << run.error;
    const auto key = model::idempotency_key(run.schedule_id, run.slot);
    EXPECT_EQ(to_text(run.result), R"({"connection":"launcher","messageId":")" + key + R"("})");
    ASSERT_EQ(receiver.received().size(), 1U);
    const auto received = receiver.received()[0];
    EXPECT_EQ(received.header("idempotency-key"), key);
    EXPECT_EQ(received.header("webhook-id"), key);
    EXPECT_EQ(received.header("webhook-signature"),
              engine::sign({key, std::stoll(received.header("webhook-timestamp")), received.body},
                           std::vector{std::string(32, 's')}));
    const auto body = parse_json(received.body).value();
    const auto at = format_instant(run.slot.occurrence);
    EXPECT_EQ(body.at("workflow_id"), Json("etl"));
    EXPECT_EQ(body.at("version"), Json(3));
    EXPECT_EQ(body.at("user_id"), Json("ann"));
    EXPECT_EQ(body.at("scheduled_for"), Json(at));
    EXPECT_EQ(body.at("idempotency_key"), Json(key));
    EXPECT_EQ(to_text(body.at("meta")), R"({"source":"schedule","user_id":"ann","scheduled_for":")" + at +
                                            R"(","idempotency_key":")" + key + R"("})");
}

TEST_P(HandOverTest, TheLaunchersOwnRunIdIsKept) {
    HttpReceiver receiver([](const Received&) { return http_answer(200, R"({"started":true,"run_id":"exec-7"})"); });
    launch_at(receiver);
    const auto server = start(store);
    const auto run = ended(trigger(*server));
    EXPECT_EQ(run.result.at("launchedRunId"), Json("exec-7"));
    EXPECT_TRUE(parse_json(receiver.received()[0].body).value().at("dag").is_null()) << "no workflow is stored";
}

TEST_P(HandOverTest, AMessageAboutANodeCarriesTheGraph) {
    HttpReceiver receiver([](const Received&) { return http_answer(200, R"({"started":true})"); });
    launch_at(receiver).graph = true;
    const auto server = start(store);
    model::Workflow workflow{.tenant = "default", .name = "etl"};
    workflow.nodes = {{.id = "load"}, {.id = "send", .depends_on = {"load"}}};
    for (int version = 1; version <= 3; ++version) {
        workflow.description = std::to_string(version);
        ASSERT_TRUE(server->workflows().deploy(workflow, {}, {}, {.principal = "ann"}));
    }
    EXPECT_EQ(ended(trigger(*server)).execution, ExecutionStatus::succeeded);
    for (const auto& received : receiver.received()) {
        const auto dag = parse_json(received.body).value().at("dag");
        EXPECT_EQ(to_text(dag), R"({"workflow_id":"etl","version":3,"nodes":[{"id":"load"},)"
                                R"({"id":"send","dependsOn":["load"]}]})");
    }
    EXPECT_EQ(receiver.received().size(), 2U);
}

TEST_P(HandOverTest, ALauncherThatFailsIsCalledAgainUnderTheSameKey) {
    std::atomic<int> calls = 0;
    HttpReceiver receiver([&](const Received&) { return http_answer(++calls < 3 ? 503 : 202); });
    launch_at(receiver);
    const auto server = start(store);
    const auto run = ended(trigger(*server));
    EXPECT_EQ(run.execution, ExecutionStatus::succeeded) << run.error;
    EXPECT_EQ(run.attempts, 1);
    std::set<std::string> keys;
    for (const auto& each : receiver.received()) keys.insert(each.header("idempotency-key"));
    EXPECT_EQ(receiver.received().size(), 3U);
    EXPECT_EQ(keys.size(), 1U);
}

TEST_P(HandOverTest, ALauncherThatSaysNoOrWillNeverSayYesIsNotAskedAgain) {
    std::atomic<int> which = 0;
    HttpReceiver receiver([&](const Received&) {
        switch (++which) {
            case 1: return http_answer(200, "false");
            case 2: return http_answer(200, R"({"started":false})");
            default: return http_answer(404);
        }
    });
    launch_at(receiver);
    const auto server = start(store);
    const std::string no = "connection launcher: the launcher responded that it did not start the task";
    for (const auto& error : {no, no, std::string("connection launcher: the call was answered with 404")}) {
        const auto run = ended(trigger(*server));
        EXPECT_EQ(run.execution, ExecutionStatus::failed);
        EXPECT_EQ(run.error, error);
    }
    EXPECT_EQ(receiver.received().size(), 3U);
}

TEST_P(HandOverTest, ALauncherThatStaysAwayFailsTheOccurrence) {
    HttpReceiver receiver([](const Received&) { return http_answer(500); });
    launch_at(receiver);
    const auto server = start(store);
    const auto run = ended(trigger(*server));
    EXPECT_EQ(run.execution, ExecutionStatus::failed);
    EXPECT_EQ(run.error, "connection launcher did not take it in 4 calls: the call was answered with 500");
    EXPECT_EQ(receiver.received().size(), 4U);
    EXPECT_EQ(store->dead_letters("default", {})->items.size(), 1U);
}

TEST_P(HandOverTest, ALauncherIsNotCalledAgainWhenTheTaskHasWaitedLongEnough) {
    HttpReceiver receiver([](const Received&) { return http_answer(500); });
    launch_at(receiver).retry_for = std::chrono::milliseconds{600};
    const auto server = start(store);
    EXPECT_EQ(ended(trigger(*server)).error,
              "connection launcher did not take it within PT0.6S: the call was answered with 500");
}

TEST_P(HandOverTest, ADurableServerStartsTheWorkflowOnceHoweverOftenItIsAsked) {
    std::atomic<int> calls = 0;
    HttpReceiver receiver([&](const Received&) {
        return ++calls == 1 ? http_answer(503) : http_answer(409, R"({"run_id":"01J","outcome":"rejected_duplicate"})");
    });
    auto& connection = launch_at(receiver);
    connection.kind = "durable";
    connection.launcher->url = parse_url(receiver.url("/")).value();
    connection.launcher->token = "secret";
    const auto server = start(store);
    const auto run = ended(trigger(*server));
    EXPECT_EQ(run.execution, ExecutionStatus::succeeded) << run.error;
    EXPECT_EQ(run.result.at("runId"), Json("01J"));
    ASSERT_EQ(receiver.received().size(), 2U);
    for (const auto& each : receiver.received()) {
        EXPECT_EQ(each.target, "/api/workflows");
        EXPECT_EQ(each.header("authorization"), "Bearer secret");
        EXPECT_EQ(each.header("x-namespace"), "default");
        const auto body = parse_json(each.body).value();
        EXPECT_EQ(body.at("workflow_type"), Json("etl"));
        EXPECT_EQ(body.at("workflow_id"), run.result.at("workflowId"));
    }
}

TEST_P(HandOverTest, TemporalCountsAWorkflowThatAlreadyRunsAsStartedAndARefusalAsFailed) {
    std::atomic<int> calls = 0;
    HttpReceiver receiver([&](const Received&) {
        return ++calls == 1
                   ? http_answer(409, R"({"code":6,"details":[{"@type":"type.googleapis.com/temporal.api.)"
                                      R"(errordetails.v1.WorkflowExecutionAlreadyStartedFailure","runId":"r"}]})")
                   : http_answer(400, R"({"code":3,"message":"TaskQueue is not set"})");
    });
    auto& connection = launch_at(receiver);
    connection.kind = "temporal";
    connection.launcher->url = parse_url(receiver.url("/")).value();
    const auto server = start(store);
    const auto run = ended(trigger(*server));
    EXPECT_EQ(run.execution, ExecutionStatus::succeeded) << run.error;
    EXPECT_EQ(run.result.at("runId"), Json("r"));
    const auto received = receiver.received()[0];
    EXPECT_TRUE(received.target.starts_with("/api/v1/namespaces/default/workflows/schedule%3Atask-1%3A"))
        << received.target;
    EXPECT_EQ(parse_json(received.body)->at("requestId"), Json(model::idempotency_key(run.schedule_id, run.slot)));
    const auto refused = ended(trigger(*server));
    EXPECT_EQ(refused.execution, ExecutionStatus::failed);
    EXPECT_EQ(refused.error, "connection launcher: the call was answered with 400: TaskQueue is not set");
}

TEST_P(HandOverTest, TheReceiverTellsTheStatusWithItsTokenAndWithNoOther) {
    HttpReceiver receiver([](const Received&) { return http_answer(200); });
    launch_at(receiver).callbacks = true;
    const auto server = start(store);
    const auto run_id = trigger(*server);
    const auto other_id = trigger(*server);
    ASSERT_TRUE(within_a_minute([&] { return receiver.received().size() == 2; }));
    std::map<std::string, Json> messages;
    for (const auto& each : receiver.received()) {
        auto body = parse_json(each.body).value();
        auto id = std::string(body.at("runId").as_string());
        messages.emplace(std::move(id), std::move(body));
    }
    const auto& mine = messages.at(run_id);
    const auto token = token_of(mine);
    EXPECT_EQ(tell(*server, mine, "SUCCESS", token_of(messages.at(other_id))), 403);
    EXPECT_EQ(tell(*server, mine, "SUCCESS", "nonsense"), 403);
    EXPECT_EQ(tell(*server, mine, "SUCCESS", token, "/api/tenants/other/runs/" + run_id + "/callback"), 403);
    EXPECT_EQ(read(run_id).execution, ExecutionStatus::running);
    EXPECT_EQ(tell(*server, mine, "STARTED", token), 200);
    EXPECT_EQ(tell(*server, mine, "SUCCESS", token), 200);
    EXPECT_EQ(read(run_id).execution, ExecutionStatus::succeeded);
    EXPECT_EQ(tell(*server, mine, "SUCCESS", token), 200);
    EXPECT_EQ(tell(*server, mine, "FAILED", token), 409);
    EXPECT_EQ(tell(*server, messages.at(other_id), "SUCCESS", {}), 200)
        << "without access rules, whoever asks may work";
}

TEST_P(HandOverTest, WhatAServerLeavesBehindAnotherHandsOverUnderTheSameKey) {
    std::atomic<bool> answers = false;
    HttpReceiver receiver([&](const Received&) -> std::optional<std::string> {
        if (!answers) return std::nullopt;
        return http_answer(200);
    });
    launch_at(receiver);
    auto first = start(store);
    const auto run_id = trigger(*first);
    ASSERT_TRUE(within_a_minute([&] { return !receiver.received().empty(); }));
    const auto other = world->open();
    first->stop();
    answers = true;
    const auto second = start(other);
    const auto run = ended(run_id);
    EXPECT_EQ(run.execution, ExecutionStatus::succeeded) << run.error;
    std::set<std::string> keys;
    for (const auto& each : receiver.received()) keys.insert(each.header("idempotency-key"));
    EXPECT_EQ(keys.size(), 1U);
}

TEST_P(HandOverTest, ABrokerGetsEveryRunOfEveryScheduleInItsOrder) {
    const auto broker = std::make_shared<FakeBroker>();
    connections["broker"] = {.name = "broker", .kind = "nats", .place = {}, .broker = broker};
    const auto server = start(store);
    broker->lose_acknowledgement_after(30);
    const auto last = trigger(*server, "broker", 200);
    const auto run = ended(last);
    EXPECT_EQ(run.execution, ExecutionStatus::succeeded) << run.error;
    std::set<std::string> keys;
    std::vector<Instant> times;  // of those that had not arrived before
    for (const auto& message : broker->arrived()) {
        if (!keys.insert(message.key).second) continue;
        times.push_back(parse_instant(parse_json(message.body)->at("scheduled_for").as_string()).value());
    }
    EXPECT_EQ(times.size(), 200U);
    EXPECT_EQ(broker->arrived().size(), 201U);
    EXPECT_TRUE(std::ranges::is_sorted(times));
}

TEST_P(HandOverTest, AConnectionThatNobodyKnowsIsRefusedWithThoseThatThereAre) {
    HttpReceiver receiver([](const Received&) { return http_answer(200); });
    launch_at(receiver);
    const auto server = start(store);
    const auto refused =
        server->schedules().create(definition([](auto& schedule) { schedule.target.connection = "lancher"; }), {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().field, "/target/connection");
    EXPECT_EQ(
        refused.error().message,
        "there is no connection \"lancher\" here; there are \"builtin\", \"launcher\", and an operator can add others "
        "to the connections_file");
    model::Workflow workflow{.tenant = "default", .name = "w", .nodes = {{.id = "a", .connection = "nowhere"}}};
    const auto deployed = server->workflows().deploy(workflow, {}, {}, {});
    ASSERT_FALSE(deployed);
    EXPECT_EQ(deployed.error().field, "/nodes/0/connection");
}

INSTANTIATE_TEST_SUITE_P(Every, HandOverTest, testing::ValuesIn(stores_under_test()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace belfry::test
