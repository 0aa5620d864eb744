#include <gtest/gtest.h>

#include "store/registry.hpp"
#include "support/fakes/fake_http.hpp"
#include "support/worlds/api_world.hpp"

namespace belfry::api::webhook_routes_test {

namespace {

using test::ApiWorld;
using test::at;

constexpr const char* kWebhooks = "/api/tenants/default/webhooks";

struct Outside {
    test::FakeHttp http;
    Sealer sealer{[]() -> Result<std::vector<SealingKey>> { return std::vector{SealingKey(kSealingKeyBytes, 'k')}; }};
    [[nodiscard]] engine::EngineOptions options() {
        engine::EngineOptions options;
        options.http = &http;
        options.sealer = &sealer;
        return options;
    }
};

std::string text_at(const Json& json, std::string_view name) { return std::string(json.at(name).as_string()); }

}  // namespace

TEST(WebhookRoutes, AWebhookIsMadeReadReplacedAndDeleted) {
    Outside outside;
    const ApiWorld world("memory", outside.options());
    const auto made = world.call("POST", kWebhooks, R"({"url": "https://example.com/hook", "events": ["run.*"]})");
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(at(made, "/secret").substr(0, 7), "\"whsec_");
    EXPECT_EQ(made.header("Cache-Control"), "no-store");
    const std::string one(made.header("Location"));
    auto read = world.get(one);
    EXPECT_EQ(at(read, "/secret"), "absent") << "it is shown once";
    EXPECT_EQ(at(read, "/events"), R"(["run.*"])");
    EXPECT_EQ(world.get(kWebhooks).at("items").as_array().size(), 1U);

    read.get_object()["enabled"] = false;
    const auto replaced = world.call("PUT", one, to_text(read), {{"If-Match", "\"1\""}});
    EXPECT_EQ(at(replaced, "/enabled"), "false") << replaced.body;
    EXPECT_EQ(world.call("PUT", one, to_text(read), {{"If-Match", "\"1\""}}).status, 409);
    EXPECT_EQ(at(world.call("PUT", one, R"({"url": "https://example.com/other"})"), "/events"), "[]")
        << "what is left out has its default";
    EXPECT_EQ(world.call("PUT", one, R"({"enabled": true})").status, 422) << "a whole definition needs its URL";

    EXPECT_EQ(world.call("DELETE", one).status, 204);
    EXPECT_EQ(world.call("GET", one).status, 404);
}

TEST(WebhookRoutes, RefuseWhereNobodyMayBeCalled) {
    Outside outside;
    const ApiWorld world("memory", outside.options());
    EXPECT_EQ(at(world.call("POST", kWebhooks, R"({"url": "http://10.0.0.1/"})"), "/errors/0/pointer"), "\"/url\"");
    EXPECT_EQ(at(world.call("POST", kWebhooks, R"({"url": "https://example.com/", "events": ["run.failed", "all"]})"),
                 "/errors/0/pointer"),
              "\"/events/1\"");
    const ApiWorld silent;
    EXPECT_EQ(silent.call("GET", kWebhooks).status, 503) << "a server that makes no calls";
}

TEST(WebhookRoutes, ATryTellsWhatCameOfIt) {
    Outside outside;
    const ApiWorld world("memory", outside.options());
    const auto made = world.post(kWebhooks, R"({"url": "https://example.com/hook"})", 201);
    const auto one = std::string(kWebhooks) + "/" + text_at(made, "id");
    EXPECT_EQ(at(world.post(one + "/test", ""), "/succeeded"), "true");
    outside.http.answer(500);
    const auto failed = world.post(one + "/test", "");
    EXPECT_EQ(at(failed, "/succeeded"), "false");
    EXPECT_EQ(at(failed, "/httpStatus"), "500");
    const auto rotated = world.post(one + "/rotate-secret", "");
    EXPECT_NE(text_at(rotated, "secret"), text_at(made, "secret"));
    EXPECT_EQ(at(rotated, "/secretCount"), "2") << "the old one still signs";
}

TEST(WebhookRoutes, DeliveriesAreListedAndSentAgain) {
    Outside outside;
    const ApiWorld world("memory", outside.options());
    const auto id = text_at(world.post(kWebhooks, R"({"url": "https://example.com/hook"})", 201), "id");
    const auto deliveries = std::string(kWebhooks) + "/" + id + "/deliveries";
    for (const std::string name : {"a", "b"}) {
        (void)world.post(
            "/api/tenants/default/schedules",
            R"({"name": ")" + name + R"(", "spec": {"cron": ["0 9 * * *"]}, "target": {"workflowKind": "w"}})", 201);
    }
    ASSERT_TRUE(world.store->registry().take_deliveries("default", id, *world.store->now(), 10));
    const auto page = world.get(deliveries + "?limit=1");
    EXPECT_EQ(at(page, "/items/0/type"), "\"schedule.created\"");
    EXPECT_EQ(at(page, "/items/0/status"), "\"pending\"");
    const auto rest = world.get(deliveries + "?limit=1&cursor=" + text_at(page, "nextCursor"));
    ASSERT_EQ(rest.at("items").as_array().size(), 1U);
    EXPECT_NE(at(rest, "/items/0/position"), at(page, "/items/0/position"));

    auto over = world.store->registry().deliveries("default", id, 0, 1)->items.front();
    over.status = model::DeliveryStatus::failed;
    over.next_try.reset();
    ASSERT_TRUE(world.store->registry().put_delivery("default", over));
    const auto again = world.call("POST", deliveries + "/" + std::to_string(over.item.position) + "/redeliver");
    EXPECT_EQ(again.status, 202) << again.body;
    EXPECT_EQ(at(again, "/status"), "\"pending\"");
    EXPECT_EQ(world.call("POST", deliveries + "/x/redeliver").status, 404);
    EXPECT_EQ(world.call("POST", deliveries + "/99999/redeliver").status, 404);
    EXPECT_EQ(world.call("GET", std::string(kWebhooks) + "/nobody/deliveries").status, 404);
}

}  // namespace belfry::api::webhook_routes_test
