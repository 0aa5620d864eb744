// What happens in the engine arrives at a receiver on the network, signed so that the receiver can check it: on every
// store, with all threads. Every wait has a deadline that only a fault reaches.
#include <gtest/gtest.h>

#include <thread>

#include "base/net/curl_http_client.hpp"
#include "engine/engine.hpp"
#include "engine/outgoing/webhook_signature.hpp"
#include "store/registry.hpp"
#include "support/oracles/stores.hpp"
#include "support/servers/http_receiver.hpp"
#include "support/worlds/schedules.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry::test {
namespace {

class WebhooksEndToEnd : public testing::TestWithParam<StoreUnderTest> {
protected:
    WebhooksEndToEnd() : world(GetParam().make()), store(world->open()) {}

    std::unique_ptr<engine::Engine> start(belfry::HttpClient& http) {
        engine::EngineOptions options;
        options.member.every = std::chrono::milliseconds{100};
        options.member.lease = Seconds{2};
        options.deliverer.tick = std::chrono::milliseconds{20};
        options.http = &http;
        options.sealer = &sealer;
        auto made = std::make_unique<engine::Engine>(*store, zones(), quiet, std::move(options));
        made->start();
        return made;
    }

    engine::Observer quiet;
    std::unique_ptr<StoreWorld> world;
    StorePtr store;
    Sealer sealer{[]() -> Result<std::vector<SealingKey>> { return std::vector{SealingKey(kSealingKeyBytes, 'k')}; }};
};

TEST_P(WebhooksEndToEnd, AReceiverGetsEveryMessageAndCanCheckIt) {
    HttpReceiver receiver([](const Received&) { return http_answer(204); });
    CurlHttpClient http({.permitted = parse_networks("127.0.0.0/8").value()});
    const auto server = start(http);
    const auto made = server->webhooks()->create("default", {.url = receiver.url("/hook")}, {}).value();
    ASSERT_TRUE(server->schedules().create(definition(), {}));
    ASSERT_TRUE(within_a_minute([&] { return !receiver.received().empty(); }));
    const auto received = receiver.received().front();
    EXPECT_EQ(received.method, "POST");
    EXPECT_EQ(received.target, "/hook");
    EXPECT_EQ(parse_json(received.body).value().at("type").as_string(), "schedule.created");
    const std::vector keys{engine::webhook_key(made.secret).value()};
    const auto id = received.header("webhook-id");
    EXPECT_EQ(received.header("webhook-signature"),
              engine::sign({id, std::stoll(received.header("webhook-timestamp")), received.body}, keys));
    EXPECT_TRUE(within_a_minute([&] {
        const auto log = server->webhooks()->deliveries("default", made.webhook.id, 0, 10).value().items;
        return log.size() == 1 && log[0].status == model::DeliveryStatus::delivered && log[0].last_http_status == 204;
    }));
}

TEST_P(WebhooksEndToEnd, AnInternalAddressBehindANameIsNotReached) {
    HttpReceiver receiver([](const Received&) { return http_answer(204); });
    CurlHttpClient http;
    const auto server = start(http);
    // The name is harmless until it is looked up.
    const auto url = "http://localhost:" + std::to_string(receiver.port()) + "/";
    const auto made = server->webhooks()->create("default", {.url = url}, {}).value();
    ASSERT_TRUE(server->schedules().create(definition(), {}));
    EXPECT_TRUE(within_a_minute([&] {
        const auto log = server->webhooks()->deliveries("default", made.webhook.id, 0, 10).value().items;
        return log.size() == 1 && log[0].attempts > 0 && log[0].last_error.find("not public") != std::string::npos;
    }));
    EXPECT_EQ(receiver.connections(), 0);
}

TEST_P(WebhooksEndToEnd, AReceiverThatDoesNotAnswerDoesNotKeepTheServerFromEnding) {
    HttpReceiver receiver([](const Received&) { return std::nullopt; });
    CurlHttpClient http({.permitted = parse_networks("127.0.0.0/8").value()});
    const auto server = start(http);
    const auto made = server->webhooks()->create("default", {.url = receiver.url()}, {}).value();
    ASSERT_TRUE(server->schedules().create(definition(), {}));
    ASSERT_TRUE(within_a_minute([&] { return !receiver.received().empty(); }));
    server->stop();
    const auto log = server->webhooks()->deliveries("default", made.webhook.id, 0, 10).value().items;
    ASSERT_EQ(log.size(), 1U);
    EXPECT_EQ(log[0].status, model::DeliveryStatus::pending) << "whoever leads next sends it again";
}

INSTANTIATE_TEST_SUITE_P(Stores, WebhooksEndToEnd, testing::ValuesIn(stores_under_test()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace belfry::test
