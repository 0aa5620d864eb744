#include "engine/usecases/webhooks.hpp"

#include <gtest/gtest.h>

#include <latch>

#include "base/text/ascii.hpp"
#include "support/worlds/webhook_world.hpp"

namespace belfry::engine {
namespace {

using test::header_of;
using test::WebhookWorld;

// How many secrets sign, and whether this one is among them.
std::string signatures(const HttpCall& call) { return header_of(call, "webhook-signature"); }
std::string signature_of(const HttpCall& call, const std::string& secret) {
    const std::vector keys{webhook_key(secret).value()};
    const auto id = header_of(call, "webhook-id");
    return sign({id, std::stoll(header_of(call, "webhook-timestamp")), call.body}, keys);
}

TEST(Webhooks, AnswerTheirSecretOnceAndKeepItSealed) {
    WebhookWorld world;
    const auto made =
        world.webhooks
            .create("default", {.url = "https://example.com/hook", .description = "ours", .events = {{"run.*"}}},
                    {.principal = "key:ci"})
            .value();
    EXPECT_TRUE(webhook_key(made.secret));
    EXPECT_EQ(made.webhook.created_by, "key:ci");
    EXPECT_EQ(made.webhook.version, 1);
    const auto kept = world.webhooks.read("default", made.webhook.id).value();
    EXPECT_EQ(kept, made.webhook);
    EXPECT_EQ(world.webhooks.list("default").value(), std::vector{kept});
    ASSERT_EQ(kept.secrets.size(), 1U);
    EXPECT_TRUE(kept.secrets[0].starts_with("v1."));
    EXPECT_EQ(kept.secrets[0].find(made.secret), std::string::npos);
}

TEST(Webhooks, RefuseWhatCouldNeverBeCalled) {
    WebhookWorld world;
    const auto error = [&](WebhookEdit wanted) { return world.webhooks.create("default", wanted, {}).error(); };
    EXPECT_EQ(error({}).field, "/url");
    EXPECT_EQ(error({.url = "ftp://example.com/"}).field, "/url");
    EXPECT_EQ(error({.url = "http://user:pass@example.com/"}).field, "/url");
    const auto internal = error({.url = "http://169.254.169.254/latest/meta-data"});
    EXPECT_EQ(internal.code, ErrorCode::invalid_argument);
    EXPECT_EQ(internal.field, "/url");
    EXPECT_NE(internal.message.find("not public"), std::string::npos);
    EXPECT_EQ(error({.url = "https://example.com/", .description = std::string(kWebhookDescriptionMax + 1, 'x')}).field,
              "/description");
    for (const auto* event :
         {"", "run", "*", "Run.failed", "run.", ".failed", "run..failed", ".*", "run.*.x", "run failed", "run.f\n"}) {
        EXPECT_EQ(error({.url = "https://example.com/", .events = {{"run.failed", event}}}).field, "/events/1")
            << event;
    }
    EXPECT_EQ(
        error({.url = "https://example.com/", .events = std::vector<std::string>(kWebhookEventsMax + 1, "run.failed")})
            .field,
        "/events");
    EXPECT_TRUE(world.webhooks.list("default").value().empty());
}

TEST(Webhooks, HaveABoundPerTenant) {
    WebhookWorld world;
    for (std::size_t i = 0; i < kWebhooksPerTenantMax; ++i) world.hook();
    EXPECT_EQ(world.webhooks.create("default", {.url = "https://example.com/"}, {}).error().code, ErrorCode::exhausted);
}

TEST(Webhooks, ChangeOnlyWhatIsGiven) {
    WebhookWorld world;
    const auto made = world.hook("https://example.com/hook", {"run.*"}).webhook;
    auto wanted = made;
    wanted.enabled = false;
    wanted.version = 2;
    EXPECT_EQ(world.webhooks.update("default", made.id, 1, {.enabled = false}).value(), wanted);
    EXPECT_EQ(world.webhooks.update("default", made.id, 1, {.enabled = true}).error().code, ErrorCode::conflict);
    EXPECT_EQ(world.webhooks.update("default", made.id, std::nullopt, {.url = "nowhere"}).error().field, "/url");
    EXPECT_EQ(world.webhooks.read("default", made.id).value(), wanted);
    EXPECT_EQ(world.webhooks.update("other", made.id, std::nullopt, {}).error().code, ErrorCode::not_found);
    EXPECT_TRUE(world.webhooks.remove("default", made.id));
    EXPECT_EQ(world.webhooks.read("default", made.id).error().code, ErrorCode::not_found);
}

TEST(Webhooks, SignWithBothSecretsForADayAfterARotation) {
    WebhookWorld world;
    const auto first = world.hook();
    const auto second = world.webhooks.rotate("default", first.webhook.id).value();
    EXPECT_NE(second.secret, first.secret);
    EXPECT_EQ(second.webhook.version, 2);
    const auto ping = [&] {
        EXPECT_TRUE(world.ping(first.webhook.id));
        return world.http.take().at(0);
    };
    auto call = ping();
    EXPECT_EQ(signatures(call), signature_of(call, second.secret) + " " + signature_of(call, first.secret));
    world.engine.clock.pass(std::chrono::hours{24} - Micros{1});
    call = ping();
    EXPECT_EQ(signatures(call), signature_of(call, second.secret) + " " + signature_of(call, first.secret));
    world.engine.clock.pass(Micros{1});
    call = ping();
    EXPECT_EQ(signatures(call), signature_of(call, second.secret));
}

TEST(Webhooks, ManyRotationsKeepTheNewestSecretsAndDoNotProlongOldOnes) {
    WebhookWorld world;
    const auto id = world.hook().webhook.id;
    for (std::size_t i = 0; i < 2 * kWebhookSecretsMax; ++i) EXPECT_TRUE(world.webhooks.rotate("default", id));
    EXPECT_EQ(world.webhooks.read("default", id).value().secrets.size(), kWebhookSecretsMax);
    world.engine.clock.pass(std::chrono::hours{23});
    EXPECT_TRUE(world.webhooks.rotate("default", id));
    world.engine.clock.pass(std::chrono::hours{1});
    EXPECT_TRUE(world.ping(id));
    const auto call = world.http.take().at(0);
    EXPECT_EQ(std::ranges::count(signatures(call), ' '), 1) << "the newest, and the one that it replaced an hour ago";
}

TEST(Webhooks, CanBeTriedWithAPing) {
    WebhookWorld world;
    const auto made = world.hook();
    EXPECT_TRUE(world.webhooks.update("default", made.webhook.id, 1, {.enabled = false}));
    world.http.answer(418);
    EXPECT_EQ(world.ping(made.webhook.id).value().http_status, 418);
    const auto call = world.http.take().at(0);
    EXPECT_EQ(call.method, "POST");
    EXPECT_EQ(format_url(call.url), "https://example.com/hook");
    EXPECT_EQ(call.body, R"({"type":"ping","timestamp":"2026-06-01T10:00:00Z","data":{"webhookId":")" +
                             made.webhook.id + R"("}})");
    EXPECT_EQ(header_of(call, "Content-Type"), "application/json");
    EXPECT_EQ(signatures(call), signature_of(call, made.secret));
    EXPECT_TRUE(world.log(made.webhook.id).empty());
    world.http.answer([](const HttpCall&) {
        return Error{ErrorCode::unavailable, "nobody accepts connections there"};
    });
    EXPECT_EQ(world.ping(made.webhook.id).value().error, "nobody accepts connections there");
    EXPECT_EQ(world.ping(made.webhook.id, "other").error().code, ErrorCode::not_found);
}

TEST(Webhooks, WithoutAKeySayWhatToSet) {
    WebhookWorld world;
    Sealer none([]() -> Result<std::vector<SealingKey>> {
        return Error{ErrorCode::unavailable, "set secret_key_file"};
    });
    Webhooks webhooks({*world.engine.store, world.http, none, world.engine.ids});
    EXPECT_EQ(webhooks.create("default", {.url = "https://example.com/"}, {}).error().message, "set secret_key_file");
    EXPECT_TRUE(webhooks.list("default").value().empty());
}

TEST(Webhooks, TestsOfOneTenantLeaveRoomForThoseOfAnother) {
    std::latch ended(1);
    WebhookWorld world;
    ASSERT_TRUE(world.engine.store->put_tenant({.name = "other"}));
    const auto silent = world.hook("https://silent.example/").webhook.id;
    const auto theirs = world.webhooks.create("other", {.url = "https://alive.example/"}, {}).value().webhook.id;
    world.http.answer([&](const HttpCall& call) -> Result<HttpAnswer> {
        if (call.url.host == "silent.example") ended.wait();
        return HttpAnswer{.status = 200};
    });
    std::vector<std::shared_ptr<WebhookTest>> going_on;
    auto test = world.webhooks.test("default", silent);
    for (; test && going_on.size() < kWebhookTestsMax; test = world.webhooks.test("default", silent))
        going_on.push_back(*test);
    EXPECT_EQ(going_on.size(), kWebhookTestsMax * 3 / 4);
    EXPECT_EQ(test.error().code, ErrorCode::exhausted);
    EXPECT_EQ(world.ping(theirs, "other").value().http_status, 200);
    EXPECT_FALSE(going_on.front()->result()) << "nobody waits for it";
    ended.count_down();
}

TEST(Webhooks, ATestThatNobodyWaitsForIsGivenUp) {
    std::binary_semaphore given_up(0);
    WebhookWorld world;
    world.http.answer([&](const HttpCall& call) -> Result<HttpAnswer> {
        const std::stop_callback on_stop(call.stop, [&] { given_up.release(); });
        given_up.acquire();
        given_up.release();
        return Error{ErrorCode::unavailable, "given up"};
    });
    (void)world.webhooks.test("default", world.hook().webhook.id).value();
    given_up.acquire();
    given_up.release();
}

}  // namespace
}  // namespace belfry::engine
