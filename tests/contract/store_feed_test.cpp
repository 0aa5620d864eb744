// The feed of a tenant: what goes into it and when, that nobody who remembers the last position misses anything, and
// what webhooks make of it.
#include <thread>

#include "decide/explain/feed.hpp"
#include "store/registry.hpp"
#include "store_contract.hpp"
#include "support/worlds/waiting.hpp"

namespace belfry::store {
namespace {

using model::Delivery;
using model::DeliveryStatus;
using model::FeedItem;

constexpr int kPatience =
    100'000;  // looks: on PostgreSQL others' transactions may keep an item from being settled for a while

class FeedContract : public StoreContract {
protected:
    // At least that many items after a position, as soon as they are settled.
    std::vector<FeedItem> feed(std::size_t count, std::int64_t after = 0, const std::string& tenant = "default") {
        std::vector<FeedItem> items;
        for (int i = 0; i < kPatience && items.size() < count; ++i) {
            auto found = store->registry().feed(tenant, after, kFeedPageMax);
            EXPECT_TRUE(found) << found.error().message;
            if (!found) break;
            items = std::move(*found);
            if (items.size() < count) std::this_thread::yield();
        }
        return items;
    }
    test::Lines types(std::size_t count, std::int64_t after = 0) {
        test::Lines lines;
        for (const auto& item : feed(count, after)) lines.push_back(item.type);
        return lines;
    }
    void follow(const std::string& tenant = "default", Instant until = kNine + 24h) {
        ASSERT_TRUE(store->registry().follow(tenant, until));
    }
    void put_webhook(const std::string& id, std::vector<std::string> events = {},
                     const std::string& tenant = "default") {
        ASSERT_TRUE(store->registry().put_webhook(
            tenant, {.id = id, .url = "https://example.com", .events = std::move(events), .created_at = kNine}));
    }
    // Takes that many items.
    void take(const std::string& webhook, std::int64_t count, Instant now = kTen) {
        std::int64_t taken = 0;
        for (int i = 0; i < kPatience && taken < count; ++i) {
            const auto some = store->registry().take_deliveries("default", webhook, now, 1'000);
            ASSERT_TRUE(some) << some.error().message;
            taken += *some;
            if (*some == 0) std::this_thread::yield();
        }
        ASSERT_EQ(taken, count);
    }
    std::vector<Delivery> deliveries(const std::string& webhook) {
        return store->registry().deliveries("default", webhook, 0, 100).value().items;
    }
};
INSTANTIATE_TEST_SUITE_P(Every, FeedContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(FeedContract, HoldsNothingOfATenantThatNobodyFollows) {
    create();
    tick(kTen);
    finish(kTen);
    follow();
    const auto other = create_named("other");
    const auto items = feed(1);
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items[0].type, "schedule.created");
    EXPECT_EQ(items[0].schedule_id, other.id);
    EXPECT_EQ(items[0].run_id, "");
    EXPECT_EQ(items[0].at, kNine);
    EXPECT_EQ(items[0].body.at("scheduleName"), "other");
    EXPECT_GT(items[0].position, 0);
}

TEST_P(FeedContract, TellsTheLifeOfASchedule) {
    follow();
    const auto schedule = create();
    tick(kTen);
    finish(kTen + 1s, test::succeeded(test::json(R"({"rows":3})")));
    ASSERT_TRUE(test::update(*store, ref_of(schedule), kTen + 2s, [](auto& s) { s.name = "renamed"; }));
    ASSERT_TRUE(test::pause(*store, ref_of(schedule), kTen + 3s));
    ASSERT_TRUE(test::resume(*store, ref_of(schedule), kTen + 4s));
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen + 5s));
    finish(kTen + 6s, test::failed("no luck"));
    ASSERT_TRUE(test::remove(*store, ref_of(schedule), kTen + 7s));
    EXPECT_EQ(types(9),
              (test::Lines{"schedule.created", "run.dispatched", "run.succeeded", "schedule.updated", "schedule.paused",
                           "schedule.resumed", "run.dispatched", "run.failed", "schedule.deleted"}));
    const auto items = feed(9);
    const auto run = runs(schedule).back().id;
    EXPECT_EQ(items[1].run_id, run);
    EXPECT_EQ(items[2].run_id, run);
    EXPECT_EQ(
        items[2].body,
        test::json(
            R"({"tenant":"default","scheduleId":")" + schedule.id + R"(","scheduleName":"report","runId":")" + run +
            R"(","scheduledAt":"2026-06-01T10:00:00Z","cause":"tick","status":"succeeded","result":{"rows":3}})"));
    EXPECT_EQ(items[3].body.at("scheduleName"), "renamed");
    EXPECT_EQ(items[7].body.at("error"), "no luck");
    EXPECT_EQ(items[7].body.at("cause"), "trigger");
}

TEST_P(FeedContract, TellsWhatBecomesOfRuns) {
    follow();
    const auto asks = create_named("asks", [](auto& s) { s.approval.requires_approval = true; });
    const auto queues = create_named("queues", [](auto& s) { s.overlap.policy = model::OverlapPolicy::buffer_one; });
    const auto tries = create_named("tries", [](auto& s) { s.retry.max_retries = 1; });
    const auto begin = feed(3).back().position;
    tick(kTen, {key_of(asks)});
    ASSERT_TRUE(test::judge(*store, ref_of(asks), runs(asks).front().id, {true, "fine"}, kTen + 1s));
    ASSERT_TRUE(test::cancel(*store, ref_of(asks), runs(asks).front().id, kTen + 2s));
    EXPECT_EQ(types(5, begin), (test::Lines{"run.awaiting_approval", "approval.requested", "approval.decided",
                                            "run.dispatched", "run.cancelled"}));
    const auto second = feed(5, begin).back().position;

    tick(kTen, {key_of(queues)});
    tick(kTen + 1h, {key_of(queues)});
    tick(kTen + 2h, {key_of(queues)});
    EXPECT_EQ(types(3, second), (test::Lines{"run.dispatched", "run.buffered", "run.skipped"}));
    EXPECT_EQ(feed(3, second)[2].body.at("reason"), "buffer_full");
    const auto third = feed(3, second).back().position;
    finish(kTen + 2h);
    EXPECT_EQ(types(2, third), (test::Lines{"run.succeeded", "run.dispatched"})) << "the buffered one has its turn";
    const auto fourth = feed(2, third).back().position;
    finish(kTen + 2h);

    tick(kTen + 2h, {key_of(tries)});
    finish(kTen + 2h, test::failed("first"));
    const auto task = claim_one(kTen + 3h);
    ASSERT_TRUE(test::complete(*store, test::reaped(lease_of(task), kTen + 4h), kTen + 4h)) << "a lease that ran out";
    const auto last = feed(5, fourth);
    ASSERT_GE(last.size(), 5U);
    EXPECT_EQ(last[0].type, "run.succeeded");
    EXPECT_EQ(last[last.size() - 2].type, "run.retrying");
    EXPECT_EQ(last[last.size() - 2].body.at("attempt"), 1);
    EXPECT_EQ(last[last.size() - 2].body.at("error"), "first");
    EXPECT_EQ(last.back().type, "run.timed_out");
}

TEST_P(FeedContract, TellsOfBackfillsAndOfPlansThatWereMadeBefore) {
    follow();
    const auto schedule = create([](auto& s) { s.overlap.policy = model::OverlapPolicy::allow_all; });
    const auto begin = feed(1).back().position;
    const auto backfill = test::new_backfill(schedule, kNine - 2h, kNine - 1h, kNine);
    ASSERT_TRUE(store->create_backfill("default", backfill));
    ASSERT_TRUE(test::step(*store, "default", backfill, kTen, 10));
    const auto items = feed(2, begin);
    ASSERT_EQ(items.size(), 2U);
    for (const auto& item : items) {
        EXPECT_EQ(item.type, "run.dispatched");
        EXPECT_EQ(item.body.at("cause"), "backfill");
    }
    const auto record_now = record(schedule);
    Facts facts;
    facts.schedule = test::compiled(record_now.definition);
    facts.state = record_now.state;
    const auto plan = decide::plan_trigger(facts, {}, kTen);
    ASSERT_TRUE(plan);
    ASSERT_TRUE(store->apply({&*plan, 1}));
    EXPECT_EQ(types(3, begin).back(), "run.dispatched");
    EXPECT_EQ(feed(3, begin).back().body.at("cause"), "trigger");
}

TEST_P(FeedContract, IsEachTenantsOwn) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    ASSERT_TRUE(store->put_tenant({.name = "quiet"}));
    follow();
    follow("acme");
    ASSERT_TRUE(test::create(*store,
                             {task_schedule(), task_schedule([](auto& s) { s.tenant = "acme"; }),
                              task_schedule([](auto& s) { s.tenant = "quiet"; })},
                             kNine));
    tick(kTen);
    EXPECT_EQ(feed(2).size(), 2U);
    EXPECT_EQ(feed(2, 0, "acme").size(), 2U);
    EXPECT_EQ(feed(0, 0, "quiet").size(), 0U);
    EXPECT_EQ(feed(2, 0, "acme").front().body.at("tenant"), "acme");
    EXPECT_EQ(code_of(store->registry().feed("nobody", 0, 10)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->registry().follow("nobody", kTen)), ErrorCode::not_found);
    EXPECT_EQ(code_of(store->registry().feed_bounds("nobody")), ErrorCode::not_found);
}

TEST_P(FeedContract, EndsWhenNobodyFollowsAnyMore) {
    follow("default", kTen);
    follow("default", kNine + 1min);  // somebody else, for a shorter time
    const auto schedule = create([](auto& s) { s.overlap.policy = model::OverlapPolicy::allow_all; });
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen - 1s));
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen));  // nobody follows at this instant
    put_webhook("w1");
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen + 1s));
    EXPECT_EQ(feed(3).size(), 3U);
    auto webhook = store->registry().webhook("default", "w1").value();
    webhook.enabled = false;
    webhook.version = 2;
    ASSERT_TRUE(store->registry().put_webhook("default", webhook));
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen + 2s));
    webhook.enabled = true;
    webhook.version = 3;
    ASSERT_TRUE(store->registry().put_webhook("default", webhook));
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen + 3s));
    EXPECT_EQ(feed(4).size(), 4U);
    ASSERT_TRUE(store->registry().remove_webhook("default", "w1"));
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen + 4s));
    follow();
    ASSERT_TRUE(test::trigger(*store, ref_of(schedule), kTen + 5s));
    const auto items = feed(5);
    ASSERT_EQ(items.size(), 5U);
    std::vector<Instant> at;
    for (const auto& item : items) at.push_back(item.at);
    EXPECT_EQ(at, (std::vector{kNine, kTen - 1s, kTen + 1s, kTen + 3s, kTen + 5s}));
}

TEST_P(FeedContract, IsReadPageByPage) {
    follow();
    for (const auto* name : {"a", "b", "c"}) create_named(name);
    const auto all = feed(3);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(store->registry().feed("default", 0, 2).value(), (std::vector{all[0], all[1]}));
    EXPECT_EQ(store->registry().feed("default", all[1].position, 2).value(), (std::vector{all[2]}));
    EXPECT_TRUE(store->registry().feed("default", all[2].position, 2).value().empty());
    EXPECT_EQ(store->registry().feed_bounds("default").value(), (std::pair{all[2].position, all[0].position}));
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    EXPECT_EQ(store->registry().feed_bounds("acme").value(), (std::pair<std::int64_t, std::int64_t>{0, 0}));
    reopen();
    EXPECT_EQ(feed(3), all);
}

TEST_P(FeedContract, LeavesALargeResultOut) {
    follow();
    create();
    tick(kTen);
    finish(kTen, test::succeeded(Json(std::string(decide::kFeedResultBytesMax, 'x'))));
    const auto items = feed(3);
    ASSERT_EQ(items.size(), 3U);
    EXPECT_EQ(items[2].body.at("resultOmitted"), true);
    EXPECT_FALSE(items[2].body.as_object().contains("result"));
}

TEST_P(FeedContract, IsAnnounced) {
    Mutex mutex;
    int heard = 0;
    follow();
    store->listen([&](const Notification& notification) {
        const MutexLock lock(mutex);
        if (notification == Notification(FeedGrown{"default"})) ++heard;
    });
    create();
    EXPECT_TRUE(test::within_a_minute([&] {
        const MutexLock lock(mutex);
        return heard > 0;
    }));
    store->listen({});
}

// --- deliveries

TEST_P(FeedContract, ANewWebhookGetsWhatHappensFromThenOn) {
    follow();
    create_named("before");
    feed(1);
    put_webhook("w1");
    const auto schedule = create_named("after");
    take("w1", 1, kTen);
    const auto made = deliveries("w1");
    ASSERT_EQ(made.size(), 1U);
    EXPECT_EQ(made[0].webhook_id, "w1");
    EXPECT_EQ(made[0].item, feed(2).back());
    EXPECT_EQ(made[0].item.schedule_id, schedule.id);
    EXPECT_EQ(made[0].status, DeliveryStatus::pending);
    EXPECT_EQ(made[0].attempts, 0);
    EXPECT_EQ(made[0].next_try, kTen);
    EXPECT_FALSE(made[0].last_try);
    EXPECT_EQ(store->registry().take_deliveries("default", "w1", kTen, 100).value(), 0) << "each item once";
}

TEST_P(FeedContract, AWebhookTakesOnlyWhatItAskedFor) {
    put_webhook("runs", {"run.*"});
    put_webhook("deaths", {"schedule.deleted", "run.failed"});
    put_webhook("none", {"nothing.like.this"});
    const auto schedule = create();
    tick(kTen);
    finish(kTen, test::failed());
    ASSERT_TRUE(test::remove(*store, ref_of(schedule), kTen));
    const auto types_of = [&](const std::string& webhook) {
        test::Lines lines;
        take(webhook, 4);
        for (const auto& delivery : deliveries(webhook)) lines.push_back(delivery.item.type);
        return lines;
    };
    EXPECT_EQ(types_of("runs"), (test::Lines{"run.failed", "run.dispatched"})) << "newest first";
    EXPECT_EQ(types_of("deaths"), (test::Lines{"schedule.deleted", "run.failed"}));
    EXPECT_EQ(types_of("none"), test::Lines{});
}

TEST_P(FeedContract, ItemsAreTakenInBoundedSteps) {
    put_webhook("w1");
    for (const auto* name : {"a", "b", "c"}) create_named(name);
    feed(3);
    auto& registry = store->registry();
    EXPECT_EQ(registry.take_deliveries("default", "w1", kTen, 2).value(), 2);
    reopen();
    EXPECT_EQ(store->registry().take_deliveries("default", "w1", kTen, 2).value(), 1);
    const auto first = store->registry().deliveries("default", "w1", 0, 2).value();
    ASSERT_EQ(first.items.size(), 2U);
    EXPECT_EQ(first.next_before, first.items[1].item.position);
    const auto second = store->registry().deliveries("default", "w1", first.next_before, 2).value();
    ASSERT_EQ(second.items.size(), 1U);
    EXPECT_EQ(second.next_before, 0);
    EXPECT_LT(second.items[0].item.position, first.items[1].item.position);
}

TEST_P(FeedContract, DeliveriesAreDueAtTheirNextTry) {
    put_webhook("w1");
    create_named("a");
    create_named("b");
    take("w1", 2, kTen);
    auto& registry = store->registry();
    EXPECT_TRUE(registry.due_deliveries("default", "w1", kTen - Micros{1}, 10).value().empty());
    auto due = registry.due_deliveries("default", "w1", kTen, 10).value();
    ASSERT_EQ(due.size(), 2U);
    EXPECT_LT(due[0].item.position, due[1].item.position);
    EXPECT_EQ(registry.due_deliveries("default", "w1", kTen, 1).value(), std::vector{due[0]});
    EXPECT_TRUE(registry.due_deliveries("acme", "w1", kTen, 10).value().empty()) << "of another tenant";

    auto late = due[0];
    late.attempts = 1;
    late.next_try = kTen + 1h;
    late.last_try = kTen;
    late.last_http_status = 503;
    late.last_error = "busy \"日\"";
    ASSERT_TRUE(registry.put_delivery("default", late));
    auto done = due[1];
    done.status = DeliveryStatus::delivered;
    done.attempts = 1;
    done.next_try.reset();
    done.last_try = kTen;
    done.last_http_status = 200;
    ASSERT_TRUE(registry.put_delivery("default", done));
    EXPECT_TRUE(registry.due_deliveries("default", "w1", kTen, 10).value().empty());
    reopen();
    EXPECT_EQ(deliveries("w1"), (std::vector{done, late}));
    due = store->registry().due_deliveries("default", "w1", kTen + 1h, 10).value();
    ASSERT_EQ(due.size(), 1U);
    EXPECT_EQ(due[0], late);
    late.status = DeliveryStatus::failed;
    late.next_try.reset();
    ASSERT_TRUE(store->registry().put_delivery("default", late));
}

TEST_P(FeedContract, OfADisabledWebhookNothingIsDue) {
    put_webhook("w1");
    create_named("a");
    take("w1", 1);
    auto webhook = store->registry().webhook("default", "w1").value();
    webhook.enabled = false;
    webhook.version = 2;
    ASSERT_TRUE(store->registry().put_webhook("default", webhook));
    follow();
    create_named("b");
    feed(2);
    auto& registry = store->registry();
    EXPECT_TRUE(registry.due_deliveries("default", "w1", kTen + 1h, 10).value().empty());
    EXPECT_EQ(registry.take_deliveries("default", "w1", kTen, 10).value(), 0);
    webhook.enabled = true;
    webhook.version = 3;
    ASSERT_TRUE(registry.put_webhook("default", webhook));
    EXPECT_EQ(registry.due_deliveries("default", "w1", kTen + 1h, 10).value().size(), 1U)
        << "what it had taken is still to be sent";
    create_named("c");
    take("w1", 1);
    EXPECT_EQ(deliveries("w1").front().item.body.at("scheduleName"), "c") << "what happened meanwhile is not";
}

TEST_P(FeedContract, ADeliveryThatIsNotThereCannotBePut) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    put_webhook("w1");
    create();
    take("w1", 1);
    auto delivery = deliveries("w1").front();
    auto& registry = store->registry();
    EXPECT_EQ(code_of(registry.put_delivery("acme", delivery)), ErrorCode::not_found);
    auto other = delivery;
    other.item.position += 1;
    EXPECT_EQ(code_of(registry.put_delivery("default", other)), ErrorCode::not_found);
    other = delivery;
    other.webhook_id = "w2";
    EXPECT_EQ(code_of(registry.put_delivery("default", other)), ErrorCode::not_found);
    delivery.next_try.reset();
    EXPECT_EQ(code_of(registry.put_delivery("default", delivery)), ErrorCode::invalid_argument)
        << "pending, and nobody knows until when";
    ASSERT_TRUE(registry.remove_webhook("default", "w1"));
    EXPECT_TRUE(registry.due_deliveries("default", "w1", kTen, 10).value().empty())
        << "deliveries go with their webhook";
}

TEST_P(FeedContract, ManyDeliveriesArePutTogether) {
    put_webhook("w1");
    put_webhook("w2");
    for (const auto* const name : {"a", "b", "c"}) create_named(name);
    take("w1", 3);
    take("w2", 3);
    auto& registry = store->registry();
    std::vector<OwnedDelivery> put;
    for (const auto* const id : {"w2", "w1"}) {
        for (auto delivery : deliveries(id)) {
            delivery.status = id == std::string("w1") ? DeliveryStatus::delivered : DeliveryStatus::failed;
            delivery.attempts = 1;
            delivery.next_try.reset();
            put.emplace_back("default", std::move(delivery));
        }
    }
    auto gone = put.front();
    gone.second.item.position += 1'000;
    put.push_back(gone);
    ASSERT_TRUE(registry.put_deliveries(put)) << "what is gone is passed over";
    for (const auto& each : deliveries("w1")) EXPECT_EQ(each.status, DeliveryStatus::delivered);
    for (const auto& each : deliveries("w2")) EXPECT_EQ(each.status, DeliveryStatus::failed);
    put.back().second.status = DeliveryStatus::pending;
    put.front().second.status = DeliveryStatus::delivered;
    EXPECT_EQ(code_of(registry.put_deliveries(put)), ErrorCode::invalid_argument)
        << "pending, and nobody knows until when";
    EXPECT_EQ(deliveries("w2").front().status, DeliveryStatus::failed) << "all or nothing";
    EXPECT_TRUE(registry.put_deliveries({}));
}

// --- what there is to do

TEST_P(FeedContract, NamesTheTenantsInWhoseFeedIsSomethingNew) {
    for (const auto* const tenant : {"acme", "idle"}) {
        ASSERT_TRUE(store->put_tenant({.name = tenant}));
        follow(tenant);
    }
    follow();
    auto& registry = store->registry();
    const auto begin = registry.feed_end().value();
    EXPECT_EQ(registry.feed_news(begin, 10).value(), (FeedNews{.up_to = begin}));
    create_named("a");
    create_named("b");
    ASSERT_TRUE(test::create(*store, {task_schedule([](auto& s) { s.tenant = "acme"; })}, kNine));
    feed(1, begin, "acme");
    const auto all = registry.feed_news(begin, 10).value();
    EXPECT_EQ(all.tenants, (std::vector<std::string>{"acme", "default"}));
    EXPECT_FALSE(all.more);
    EXPECT_EQ(all.up_to, feed(1, begin, "acme").back().position);
    const auto some = registry.feed_news(begin, 2).value();
    EXPECT_EQ(some.tenants, std::vector<std::string>{"default"});
    EXPECT_TRUE(some.more);
    EXPECT_EQ(registry.feed_news(some.up_to, 10).value().tenants, std::vector<std::string>{"acme"});
    EXPECT_EQ(registry.feed_end().value(), all.up_to);
}

TEST_P(FeedContract, FindsTheWebhooksThatHaveSomethingToDoPageByPage) {
    using Refs = WebhooksWithWork::Refs;
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    for (const auto* const id : {"w1", "w2", "w3", "w4"}) put_webhook(id);
    put_webhook("w5", {}, "acme");
    create();
    feed(1);
    take("w1", 1);
    take("w2", 1, kTen + 1h);
    auto& registry = store->registry();
    auto off = registry.webhook("default", "w3").value();
    off.enabled = false;
    off.version = 2;
    ASSERT_TRUE(registry.put_webhook("default", off));
    for (const std::size_t limit : {1U, 2U, 10U}) {
        Refs behind;
        Refs due;
        std::optional<std::int64_t> after;
        do {
            const auto page = registry.webhooks_with_work(kTen, after, limit).value();
            behind.insert(behind.end(), page.behind.begin(), page.behind.end());
            due.insert(due.end(), page.due.begin(), page.due.end());
            after = page.next_after;
        } while (after);
        EXPECT_EQ(behind, (Refs{{"default", "w4"}}));
        EXPECT_EQ(due, (Refs{{"default", "w1"}}));
    }
}

// --- forgetting

TEST_P(FeedContract, IsMeasuredByTenantAndForgottenUpToAPosition) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    follow();
    follow("acme");
    const auto schedule = create();
    ASSERT_TRUE(test::create(*store, {task_schedule([](auto& s) { s.tenant = "acme"; })}, kNine));
    ASSERT_TRUE(test::pause(*store, ref_of(schedule), kTen));
    put_webhook("w1");
    ASSERT_TRUE(test::resume(*store, ref_of(schedule), kTen + 1h));
    const auto all = feed(3);
    const auto foreign = feed(1, 0, "acme");
    const auto bytes = [](const std::vector<model::FeedItem>& items) {
        std::int64_t sum = 0;
        for (const auto& item : items) sum += static_cast<std::int64_t>(to_text(item.body).size());
        return sum;
    };
    auto& registry = store->registry();
    const auto own = model::tenant_key("default");
    const auto other = model::tenant_key("acme");
    auto expected =
        std::vector{FeedPart{own, bytes(all), all[2].position}, FeedPart{other, bytes(foreign), foreign[0].position}};
    std::ranges::sort(expected, {}, &FeedPart::tenant_key);
    EXPECT_EQ(registry.feed_sizes(0, 100).value(), (FeedSizes{expected}));
    const auto first = registry.feed_sizes(0, 1).value();
    EXPECT_EQ(first, (FeedSizes{{{own, bytes({all[0]}), all[0].position}}, all[0].position}));
    EXPECT_EQ(registry.feed_sizes(*first.next_after, 100).value().parts.size(), 2U);
    EXPECT_EQ(registry.feed_sizes(all[2].position, 100).value(), FeedSizes{});

    EXPECT_EQ(registry.prune_feed_to(own, all[1].position, 1).value(), 1) << "no more than the limit, oldest first";
    EXPECT_EQ(feed(2), (std::vector{all[1], all[2]}));
    EXPECT_EQ(registry.prune_feed_to(own, all[2].position, 100).value(), 1) << "the webhook has not taken the last";
    EXPECT_EQ(feed(1), (std::vector{all[2]}));
    EXPECT_EQ(feed(1, 0, "acme"), foreign) << "another tenant's feed stays";
    take("w1", 1);
    EXPECT_EQ(registry.prune_feed_to(own, all[2].position, 100).value(), 1);
}

TEST_P(FeedContract, ForgetsOldItemsButNoneThatAWebhookHasNotTaken) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    follow();
    follow("acme");
    const auto schedule = create();
    ASSERT_TRUE(test::create(*store, {task_schedule([](auto& s) { s.tenant = "acme"; })}, kNine));
    put_webhook("w1");
    feed(1);
    ASSERT_TRUE(test::pause(*store, ref_of(schedule), kTen));
    ASSERT_TRUE(test::resume(*store, ref_of(schedule), kTen + 1h));
    const auto all = feed(3);
    auto& registry = store->registry();
    EXPECT_EQ(registry.prune_feed(kNine, 100).value(), 0) << "nothing happened before";
    take("w1", static_cast<std::int64_t>(deliveries("w1").size()));
    EXPECT_EQ(registry.prune_feed(kTen + 1s, 1).value(), 1) << "no more than the limit";
    EXPECT_EQ(registry.prune_feed(kTen + 1s, 100).value(), 1) << "the pause has not been taken";
    EXPECT_EQ(feed(2), (std::vector{all[1], all[2]}));
    EXPECT_TRUE(feed(0, 0, "acme").empty());
    EXPECT_EQ(registry.feed_bounds("default").value(), (std::pair{all[2].position, all[1].position}));
    take("w1", 2);
    EXPECT_EQ(registry.prune_feed(kTen + 1s, 100).value(), 1);
    EXPECT_EQ(registry.prune_feed(kTen + 2h, 100).value(), 1);
    EXPECT_EQ(deliveries("w1").size(), 2U) << "deliveries have their own time";
    // Positions go on even when nothing is left.
    ASSERT_TRUE(test::pause(*store, ref_of(schedule), kTen + 3h));
    EXPECT_GT(feed(1).front().position, all[2].position);
}

TEST_P(FeedContract, ForgetsOldDeliveriesThatAreOver) {
    put_webhook("w1");
    const auto schedule = create();
    ASSERT_TRUE(test::pause(*store, ref_of(schedule), kTen));
    ASSERT_TRUE(test::resume(*store, ref_of(schedule), kTen + 1h));
    take("w1", 3);
    auto& registry = store->registry();
    EXPECT_EQ(registry.prune_deliveries(kTen + 2h, 100).value(), 0) << "none is over";
    for (auto delivery : deliveries("w1")) {
        if (delivery.item.type == "schedule.created") continue;
        delivery.status = delivery.item.type == "schedule.paused" ? DeliveryStatus::delivered : DeliveryStatus::failed;
        delivery.next_try.reset();
        ASSERT_TRUE(registry.put_delivery("default", delivery));
    }
    EXPECT_EQ(registry.prune_deliveries(kTen, 100).value(), 0);
    EXPECT_EQ(registry.prune_deliveries(kTen + 2h, 1).value(), 1);
    EXPECT_EQ(registry.prune_deliveries(kTen + 2h, 100).value(), 1);
    ASSERT_EQ(deliveries("w1").size(), 1U);
    EXPECT_EQ(deliveries("w1").front().item.type, "schedule.created");
}

}  // namespace
}  // namespace belfry::store
