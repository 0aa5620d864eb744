#include "engine/jobs/deliverer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <set>
#include <thread>

#include "support/worlds/waiting.hpp"
#include "support/worlds/webhook_world.hpp"

namespace belfry::engine {
namespace {

using model::DeliveryStatus;
using test::header_of;
using test::WebhookWorld;

std::set<std::string> ids_of(const std::vector<HttpCall>& calls) {
    std::set<std::string> ids;
    for (const auto& call : calls) ids.insert(header_of(call, "webhook-id"));
    return ids;
}

TEST(Deliverer, SendsWhatHappenedSignedAndRecordsIt) {
    WebhookWorld world;
    const auto made = world.hook();
    world.happen();
    world.engine.clock.pass(Seconds{7});
    world.settle();
    const auto calls = world.http.take();
    ASSERT_EQ(calls.size(), 1U) << "what happened before there was a webhook is not sent";
    const auto log = world.log(made.webhook.id);
    ASSERT_EQ(log.size(), 1U);
    const auto& item = log[0].item;
    EXPECT_EQ(item.type, "schedule.created");
    EXPECT_EQ(calls[0].body,
              R"({"type":"schedule.created","timestamp":"2026-06-01T10:00:00Z","data":)" + to_text(item.body) + "}");
    EXPECT_EQ(header_of(calls[0], "webhook-id"), "msg_" + made.webhook.id + "_" + std::to_string(item.position));
    EXPECT_EQ(header_of(calls[0], "webhook-timestamp"), std::to_string(epoch_s(world.engine.clock.now())));
    const std::vector keys{webhook_key(made.secret).value()};
    EXPECT_EQ(header_of(calls[0], "webhook-signature"),
              sign({header_of(calls[0], "webhook-id"), epoch_s(world.engine.clock.now()), calls[0].body}, keys));
    EXPECT_EQ(log[0].status, DeliveryStatus::delivered);
    EXPECT_EQ(log[0].attempts, 1);
    EXPECT_EQ(log[0].last_http_status, 204);
    world.settle();
    EXPECT_TRUE(world.http.take().empty()) << "once is enough";
}

TEST(Deliverer, SendsOnlyTheEventsThatAWebhookWants) {
    WebhookWorld world;
    world.hook("https://example.com/runs", {"run.*"});
    world.hook("https://example.com/schedules", {"schedule.created"});
    world.happen();
    world.settle();
    const auto calls = world.http.take();
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0].url.target, "/schedules");
}

TEST(Deliverer, WaitsFromTheEndOfATryAndNotFromItsStart) {
    WebhookWorld world;
    const auto id = world.hook().webhook.id;
    std::latch called{1};
    std::latch answers{1};
    world.http.answer([&](const HttpCall&) {
        called.count_down();
        answers.wait();
        return HttpAnswer{.status = 500};
    });
    world.happen();
    while (!called.try_wait()) (void)world.deliverer.step();
    const auto began = world.engine.clock.now();
    world.engine.clock.pass(Seconds{9});
    answers.count_down();
    world.settle();
    EXPECT_EQ(world.log(id).at(0).last_try, began);
    EXPECT_EQ(world.log(id).at(0).next_try, began + Seconds{9} + Seconds{5});
}

TEST(Deliverer, TriesAgainUnderTheSameIdUntilItArrives) {
    WebhookWorld world;
    const auto id = world.hook().webhook.id;
    world.http.answer(500);
    world.happen();
    world.settle();
    world.engine.clock.pass(Seconds{5} - Micros{1});
    world.settle();
    auto calls = world.http.take();
    EXPECT_EQ(calls.size(), 1U) << "not before its time";
    world.engine.clock.pass(Micros{1});
    world.settle();
    EXPECT_EQ(world.log(id).at(0).attempts, 2);
    EXPECT_EQ(world.log(id).at(0).next_try, world.engine.clock.now() + Seconds{30});
    world.http.answer(200);
    world.engine.clock.pass(Seconds{30});
    world.settle();
    for (auto& call : world.http.take()) calls.push_back(call);
    EXPECT_EQ(calls.size(), 3U);
    EXPECT_EQ(ids_of(calls).size(), 1U);
    EXPECT_NE(header_of(calls[0], "webhook-timestamp"), header_of(calls[2], "webhook-timestamp"));
    EXPECT_EQ(world.log(id).at(0).status, DeliveryStatus::delivered);
    EXPECT_EQ(world.log(id).at(0).attempts, 3);
}

TEST(Deliverer, WhatWasSentButNotRecordedIsSentAgainUnderTheSameId) {
    WebhookWorld world;
    const auto id = world.hook().webhook.id;
    world.happen();
    // The request has gone out, and the server ends before it knows what came of it.
    world.http.answer([&](const HttpCall&) -> Result<HttpAnswer> {
        world.deliverer.interrupt();
        return Error{ErrorCode::unavailable, "cancelled: the server is shutting down"};
    });
    world.settle();
    EXPECT_EQ(world.log(id).at(0).attempts, 0);
    world.http.answer(200);
    Deliverer next(
        *world.engine.store, world.engine.journal, [] { return true; }, {world.http, world.sealer}, {},
        [] { return std::uint64_t{0}; });
    WebhookWorld::settle(next);
    const auto calls = world.http.take();
    EXPECT_EQ(calls.size(), 2U);
    EXPECT_EQ(ids_of(calls).size(), 1U);
    EXPECT_EQ(world.log(id).at(0).status, DeliveryStatus::delivered);
}

TEST(Deliverer, SwitchesOffAWebhookWhoseReceiverIsGone) {
    WebhookWorld world;
    const auto id = world.hook().webhook.id;
    world.http.answer(410);
    world.happen();
    world.settle();
    EXPECT_EQ(world.log(id).at(0).status, DeliveryStatus::failed);
    EXPECT_FALSE(world.webhooks.read("default", id).value().enabled);
    world.http.take();
    world.happen("another");
    world.engine.clock.pass(std::chrono::hours{100});
    world.settle();
    EXPECT_TRUE(world.http.take().empty());
}

TEST(Deliverer, WaitsAsLongAsTheReceiverAsks) {
    WebhookWorld world;
    const auto id = world.hook().webhook.id;
    world.http.answer([](const HttpCall&) { return HttpAnswer{.status = 429, .headers = {{"retry-after", "120"}}}; });
    world.happen();
    world.settle();
    EXPECT_EQ(world.log(id).at(0).next_try, world.engine.clock.now() + Seconds{120});
}

TEST(Deliverer, AReceiverThatFailsHoldsUpNobodyElse) {
    WebhookWorld world;
    const auto dead = world.hook("https://dead.example/").webhook.id;
    const auto alive = world.hook("https://alive.example/").webhook.id;
    world.http.answer([](const HttpCall& call) -> Result<HttpAnswer> {
        if (call.url.host == "alive.example") return HttpAnswer{.status = 200};
        return Error{ErrorCode::unavailable, "no answer within 10000 ms"};
    });
    for (int i = 0; i < 50; ++i) world.happen("report-" + std::to_string(i));
    world.settle();
    std::map<std::string, std::size_t> calls;
    for (const auto& call : world.http.take()) ++calls[call.url.host];
    EXPECT_EQ(calls["alive.example"], 50U);
    EXPECT_LE(calls["dead.example"], Deliverer::Options().calls_per_webhook) << "a few tries tell enough";
    EXPECT_GE(calls["dead.example"], 1U);
    world.engine.clock.pass(Seconds{5} - Micros{1});
    world.settle();
    EXPECT_TRUE(world.http.take().empty()) << "all of them wait with the one that failed";
    world.engine.clock.pass(Micros{1});
    world.settle();
    EXPECT_GE(world.http.take().size(), 1U);
    EXPECT_EQ(world.log(dead).size(), 50U);
    for (const auto& delivery : world.log(alive)) EXPECT_EQ(delivery.status, DeliveryStatus::delivered);
}

TEST(Deliverer, ALongQueueOfOneWebhookDoesNotHideAnother) {
    WebhookWorld world;
    const auto many = world.hook("https://many.example/").webhook.id;
    for (int i = 0; i < 300; ++i) world.happen("report-" + std::to_string(i));
    const auto few = world.hook("https://few.example/").webhook.id;
    world.happen("last");
    world.settle();
    const auto calls = world.http.take();
    ASSERT_EQ(calls.size(), 302U);
    const auto found = std::ranges::find(calls, "few.example", [](const HttpCall& call) { return call.url.host; });
    EXPECT_LT(found - calls.begin(), 150) << "it has its turn before the other one's queue is over";
    EXPECT_EQ(world.log(few).at(0).status, DeliveryStatus::delivered);
    for (const auto& delivery : world.log(many))
        EXPECT_EQ(delivery.status, DeliveryStatus::delivered) << delivery.item.position;
}

TEST(Deliverer, IsAMatterOfTheLeader) {
    WebhookWorld world;
    world.hook();
    world.happen();
    world.leading = false;
    world.settle();
    EXPECT_TRUE(world.http.take().empty());
    world.leading = true;
    world.settle();
    EXPECT_EQ(world.http.take().size(), 1U);
}

TEST(Deliverer, AWebhookWhoseSecretCannotBeOpenedIsNotSentUnsigned) {
    WebhookWorld world;
    const auto id = world.hook().webhook.id;
    world.happen();
    Sealer other([]() -> Result<std::vector<SealingKey>> { return std::vector{SealingKey(kSealingKeyBytes, 'x')}; });
    Deliverer deliverer(
        *world.engine.store, world.engine.journal, [] { return true; }, {world.http, other}, {},
        [] { return std::uint64_t{0}; });
    WebhookWorld::settle(deliverer);
    EXPECT_TRUE(world.http.take().empty());
    EXPECT_NE(world.log(id).at(0).last_error.find("secret_key_file"), std::string::npos);
    EXPECT_EQ(world.log(id).at(0).status, DeliveryStatus::pending);
}

TEST(Deliverer, SendsAgainWhatSomebodyAsksFor) {
    WebhookWorld world;
    const auto id = world.hook().webhook.id;
    world.happen();
    world.settle();
    const auto position = world.log(id).at(0).item.position;
    EXPECT_EQ(world.webhooks.redeliver("default", id, position).value().status, DeliveryStatus::pending);
    world.engine.clock.pass(Seconds{1});
    world.settle();
    const auto calls = world.http.take();
    EXPECT_EQ(calls.size(), 2U);
    EXPECT_EQ(ids_of(calls).size(), 1U);
    EXPECT_EQ(world.webhooks.redeliver("default", id, position + 1).error().code, ErrorCode::not_found);
    EXPECT_EQ(world.webhooks.redeliver("default", id, position - 1).error().code, ErrorCode::not_found);
}

// --- many messages, many webhooks, slow receivers

std::vector<std::int64_t> positions_of(const std::vector<HttpCall>& calls) {
    std::vector<std::int64_t> positions;
    for (const auto& call : calls) {
        const auto id = header_of(call, "webhook-id");
        positions.push_back(std::stoll(id.substr(id.rfind('_') + 1)));
    }
    return positions;
}

TEST(Deliverer, ABacklogIsSentAtOnceTheOldestFirst) {
    constexpr std::size_t kBacklog = 1'500;
    for (const std::size_t calls : {1U, 8U}) {
        WebhookWorld world;
        const auto id = world.hook().webhook.id;
        for (std::size_t i = 0; i < kBacklog; ++i) world.happen("report-" + std::to_string(i));
        Deliverer deliverer(
            *world.engine.store, world.engine.journal, [] { return true; }, {world.http, world.sealer},
            {.calls_per_webhook = calls}, [] { return std::uint64_t{0}; });
        WebhookWorld::settle(deliverer);
        const auto positions = positions_of(world.http.take());
        EXPECT_EQ(positions.size(), kBacklog) << "without a moment passing";
        // Those that are on their way at the same time may overtake each other.
        EXPECT_TRUE(calls > 1 || std::ranges::is_sorted(positions));
        for (const auto& delivery : world.log(id)) EXPECT_EQ(delivery.status, DeliveryStatus::delivered);
    }
}

TEST(Deliverer, AReceiverThatHangsDelaysNoOther) {
    constexpr std::size_t kMessages = 200;
    WebhookWorld world;
    world.hook("https://hanging.example/");
    world.hook("https://alive.example/");
    std::latch alive(kMessages);
    std::atomic<std::size_t> hanging = 0;
    std::atomic<std::size_t> most_hanging = 0;
    world.http.answer([&](const HttpCall& call) -> Result<HttpAnswer> {
        if (call.url.host == "alive.example") {
            alive.count_down();
            return HttpAnswer{.status = 200};
        }
        most_hanging = std::max<std::size_t>(most_hanging, ++hanging);
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{10};
        while (!alive.try_wait() && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
        --hanging;
        if (!alive.try_wait()) ADD_FAILURE() << "the other receiver got nothing while this one hung";
        return Error{ErrorCode::unavailable, "no answer within 10000 ms"};
    });
    for (std::size_t i = 0; i < kMessages; ++i) world.happen("report-" + std::to_string(i));
    world.settle();
    EXPECT_TRUE(alive.try_wait());
    EXPECT_LE(most_hanging, Deliverer::Options().calls_per_webhook);
}

TEST(Deliverer, MoreThanTenThousandWebhooksAreServed) {
    constexpr int kTenants = 10'001;
    WebhookWorld world;
    auto& registry = world.engine.store->registry();
    const auto sealed = world.hook().webhook.secrets;
    for (int i = 0; i < kTenants; ++i) {
        const auto tenant = "tenant-" + std::to_string(i);
        ASSERT_TRUE(world.engine.store->put_tenant({.name = tenant}));
        ASSERT_TRUE(registry.put_webhook(tenant, {.id = "w" + std::to_string(i),
                                                  .url = "https://example.com/" + std::to_string(i),
                                                  .created_at = world.engine.clock.now() + Micros{i}}));
    }
    world.settle();
    world.engine.create([&](auto& schedule) { schedule.tenant = "tenant-" + std::to_string(kTenants - 1); });
    world.settle();
    const auto last =
        registry.deliveries("tenant-" + std::to_string(kTenants - 1), "w" + std::to_string(kTenants - 1), 0, 10)
            .value();
    ASSERT_EQ(last.items.size(), 1U);
    EXPECT_EQ(last.items[0].attempts, 1) << "it has no secret, so it is not sent, but it was tried";
}

TEST(Deliverer, SilentReceiversOfTwoTenantsDelayNoThird) {
    constexpr int kHooks = 40;
    std::latch alive(1);
    WebhookWorld world;
    for (const std::string tenant : {"a", "b", "other"}) ASSERT_TRUE(world.engine.store->put_tenant({.name = tenant}));
    const auto hook = [&](const std::string& tenant, const std::string& host) {
        EXPECT_TRUE(world.webhooks.create(tenant, {.url = "https://" + host + ".example/"}, {}));
    };
    const auto happen = [&](const std::string& tenant) {
        world.engine.create([&](auto& schedule) { schedule.tenant = tenant; });
    };
    for (int i = 0; i < kHooks; ++i) {
        hook("a", "silent" + std::to_string(i));
        hook("b", "silent" + std::to_string(i));
    }
    hook("other", "alive");
    std::atomic<int> silent = 0;
    world.http.answer([&](const HttpCall& call) -> Result<HttpAnswer> {
        if (call.url.host == "alive.example") {
            alive.count_down();
            return HttpAnswer{.status = 200};
        }
        ++silent;
        alive.wait();
        return Error{ErrorCode::unavailable, "no answer within 10000 ms"};
    });
    happen("a");
    happen("b");
    for (int i = 0; i < 100; ++i) (void)world.deliverer.step();
    EXPECT_GE(silent, 16) << "they have all that two tenants get";
    happen("other");
    EXPECT_TRUE(test::within_a_minute([&] {
        (void)world.deliverer.step();
        return alive.try_wait();
    }));
    if (!alive.try_wait()) alive.count_down();
}

}  // namespace
}  // namespace belfry::engine
