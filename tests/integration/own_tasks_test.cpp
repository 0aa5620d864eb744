// Tasks that the server does itself, from the schedule to the receiver on the network and back: on every store, with
// all threads. Every wait has a deadline that only a fault reaches.
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "base/net/curl_http_client.hpp"
#include "engine/engine.hpp"
#include "engine/outgoing/webhook_signature.hpp"
#include "support/oracles/stores.hpp"
#include "support/servers/http_receiver.hpp"
#include "support/worlds/schedules.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry::test {
namespace {

using model::ExecutionStatus;

class OwnTasks : public testing::TestWithParam<StoreUnderTest> {
protected:
    OwnTasks() : world(GetParam().make()), store(world->open()) {}

    std::unique_ptr<engine::Engine> start(const StorePtr& on, const engine::Commands& commands = {}) {
        engine::EngineOptions options;
        options.member.every = std::chrono::milliseconds{100};
        options.member.lease = Seconds{2};
        options.reaper.tick = std::chrono::milliseconds{20};
        options.executor.lease = Seconds{3};
        options.executor.drain = Micros{1};
        options.http = &http;
        options.sealer = &sealer;
        options.commands = commands;
        auto made = std::make_unique<engine::Engine>(*on, zones(), quiet, std::move(options));
        made->start();
        return made;
    }
    std::string trigger(engine::Engine& server, const std::string& kind, const Json& input, int retries = 0) {
        const auto made = server.schedules().create(
            definition([&](auto& schedule) {
                schedule.name = "task-" + std::to_string(++made_);
                schedule.target = {.type = model::TargetType::task, .kind = kind, .input = input};
                schedule.spec.cron = {"0 0 29 2 *"};
                schedule.retry.max_retries = retries;
                schedule.retry.backoff = std::chrono::milliseconds{20};
            }),
            {});
        EXPECT_TRUE(made) << made.error().message;
        const auto run = server.schedules().trigger({"default", made->definition.id}, {}, {});
        EXPECT_TRUE(run) << run.error().message;
        return run->id;
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
    static Json post(const HttpReceiver& receiver) {
        return Json{{"method", "POST"},
                    {"url", receiver.url("/orders")},
                    {"body", Json{{"at", "${run.scheduledAt}"}}},
                    {"signed", true}};
    }

    engine::Observer quiet;
    std::unique_ptr<StoreWorld> world;
    StorePtr store;
    CurlHttpClient http{{.permitted = parse_networks("127.0.0.0/8").value()}};
    Sealer sealer{[]() -> Result<std::vector<SealingKey>> { return std::vector{SealingKey(kSealingKeyBytes, 'k')}; }};

private:
    int made_ = 0;
};

TEST_P(OwnTasks, ACallArrivesWithItsKeyAndItsAnswerIsTheResult) {
    HttpReceiver receiver(
        [](const Received&) { return http_answer(201, R"({"order":7})", "Content-Type: application/json\r\n"); });
    const auto server = start(store);
    const auto run = ended(trigger(*server, "http", post(receiver)));
    EXPECT_EQ(run.execution, ExecutionStatus::succeeded) << run.error;
    EXPECT_EQ(to_text(run.result),
              R"({"status":201,"headers":{"content-type":"application/json"},"body":{"order":7},"cut":false})");
    ASSERT_EQ(receiver.received().size(), 1U);
    const auto received = receiver.received()[0];
    EXPECT_EQ(received.method + " " + received.target, "POST /orders");
    EXPECT_EQ(received.body, R"({"at":")" + format_instant(run.slot.occurrence) + R"("})");
    EXPECT_EQ(received.header("idempotency-key"), model::idempotency_key(run.schedule_id, run.slot));
    EXPECT_EQ(received.header("belfry-run-id"), run.id);
    EXPECT_EQ(received.header("belfry-attempt"), "1");
    const std::vector keys{engine::webhook_key(server->task_signing_secret("default").value()).value()};
    EXPECT_EQ(
        received.header("webhook-signature"),
        engine::sign({received.header("webhook-id"), std::stoll(received.header("webhook-timestamp")), received.body},
                     keys));
}

TEST_P(OwnTasks, AReceiverThatFailsIsAskedAgainUnderTheSameKey) {
    std::atomic<int> calls = 0;
    HttpReceiver receiver([&](const Received&) { return http_answer(++calls < 3 ? 503 : 200); });
    const auto server = start(store);
    const auto run = ended(trigger(*server, "http", post(receiver), 5));
    EXPECT_EQ(run.execution, ExecutionStatus::succeeded) << run.error;
    EXPECT_EQ(run.attempts, 3);
    std::set<std::string> keys;
    for (const auto& each : receiver.received()) keys.insert(each.header("idempotency-key"));
    EXPECT_EQ(receiver.received().size(), 3U);
    EXPECT_EQ(keys.size(), 1U);
}

TEST_P(OwnTasks, ARunThatIsCancelledWhileItCallsStaysCancelled) {
    HttpReceiver receiver([](const Received&) { return std::nullopt; });
    const auto server = start(store);
    const auto run_id = trigger(*server, "http", post(receiver), 5);
    ASSERT_TRUE(within_a_minute([&] { return !receiver.received().empty(); }));
    ASSERT_TRUE(server->runs().cancel("default", run_id, "enough"));
    server->stop();  // does not wait for the call's own timeout
    EXPECT_EQ(read(run_id).execution, ExecutionStatus::cancelled);
    EXPECT_EQ(receiver.received().size(), 1U);
}

TEST_P(OwnTasks, WhatAServerLeavesBehindAnotherFinishes) {
    std::atomic<bool> answers = false;
    HttpReceiver receiver([&](const Received&) -> std::optional<std::string> {
        if (!answers) return std::nullopt;
        return http_answer(200, "done");
    });
    auto first = start(store);
    const auto run_id = trigger(*first, "http", post(receiver), 1);
    ASSERT_TRUE(within_a_minute([&] { return !receiver.received().empty(); }));
    const auto other = world->open();
    first->stop();
    EXPECT_EQ(read(run_id).execution, ExecutionStatus::running);
    answers = true;
    const auto second = start(other);
    const auto run = ended(run_id);
    EXPECT_EQ(run.execution, ExecutionStatus::succeeded) << run.error;
    EXPECT_EQ(run.attempts, 2);
    EXPECT_EQ(receiver.received()[0].header("idempotency-key"), receiver.received()[1].header("idempotency-key"));
}

TEST_P(OwnTasks, ServersShareTheTasksAndDoEachOnce) {
    HttpReceiver receiver([](const Received&) { return http_answer(204); });
    const auto first = start(store);
    const auto other = world->open();
    const auto second = start(other);
    const auto made = first->schedules().create(
        definition([&](auto& schedule) {
            schedule.target = {.type = model::TargetType::task, .kind = "http", .input = post(receiver)};
            schedule.overlap.policy = model::OverlapPolicy::allow_all;
        }),
        {});
    ASSERT_TRUE(made);
    std::vector<std::string> runs;
    for (int i = 0; i < 60; ++i)
        runs.push_back(first->schedules().trigger({"default", made->definition.id}, {}, {})->id);
    for (const auto& run : runs) EXPECT_EQ(ended(run).execution, ExecutionStatus::succeeded);
    std::multiset<std::string> keys;
    for (const auto& each : receiver.received()) keys.insert(each.header("belfry-run-id"));
    for (const auto& run : runs) EXPECT_EQ(keys.count(run), 1U);
}

TEST_P(OwnTasks, ACommandRunsWithItsInputOnceAnOperatorRegisteredIt) {
    const Json input{{"command", "greet"}, {"who", "the world"}};
    const std::string off = "command tasks are switched off: an operator can register commands with commands_file";
    std::string schedule;
    {
        const auto server =
            start(store, {{"greet", {.name = "greet", .argv = {"/usr/bin/printf", "hello %s", "${input/who}"}}}});
        const auto run = ended(trigger(*server, "command", input));
        EXPECT_EQ(run.execution, ExecutionStatus::succeeded) << run.error;
        EXPECT_EQ(run.result.at("stdout"), Json("hello the world"));
        schedule = run.schedule_id;
    }
    const auto server = start(store);
    const auto refused = server->schedules().create(
        definition([&](auto& each) {
            each.name = "another";
            each.target = {.type = model::TargetType::task, .kind = "command", .input = input};
        }),
        {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().field, "/target/input/command");
    EXPECT_EQ(refused.error().message, off);
    // What was accepted while it was registered fails, and says why.
    const auto late = server->schedules().trigger({"default", schedule}, {}, {});
    ASSERT_TRUE(late) << late.error().message;
    EXPECT_EQ(ended(late->id).execution, ExecutionStatus::failed);
    EXPECT_EQ(ended(late->id).error, off);
}

INSTANTIATE_TEST_SUITE_P(Stores, OwnTasks, testing::ValuesIn(stores_under_test()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace belfry::test
