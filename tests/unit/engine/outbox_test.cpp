#include "engine/outgoing/outbox.hpp"

#include <gtest/gtest.h>

#include <map>

namespace belfry::engine {
namespace {

class OutboxTest : public ::testing::Test {
protected:
    OutboxTest() { never_wait.request_stop(); }

    void fill(const WebhookRef& ref, std::int64_t first, std::int64_t last) {
        std::vector<model::Delivery> deliveries;
        for (auto position = first; position <= last; ++position)
            deliveries.push_back({.webhook_id = ref.second, .item = {.position = position}});
        outbox.fill(ref,
                    std::make_shared<const model::Webhook>(
                        model::Webhook{.id = ref.second, .url = "https://" + ref.second + ".example/"}),
                    std::move(deliveries));
    }
    // `tenant webhook position`, or `nothing`.
    std::string next() {
        auto sending = outbox.next(never_wait.get_token());
        if (!sending) return "nothing";
        const auto words =
            sending->ref.first + " " + sending->ref.second + " " + std::to_string(sending->delivery.item.position);
        under_way.push_back(std::move(*sending));
        return words;
    }
    void answer(int status) {
        auto sending = std::move(under_way.front());
        under_way.erase(under_way.begin());
        outbox.sent({std::move(sending), decide::DeliveryAttempt{.http_status = status}});
    }

    Outbox outbox{{.calls = 8, .per_webhook = 2, .waiting_max = 1'000}};
    std::stop_source never_wait;
    std::vector<Outbox::Sending> under_way;
};

TEST_F(OutboxTest, TenantsTakeTurnsAndInThemTheirWebhooks) {
    for (const auto* const id : {"w1", "w2", "w3", "w4"}) fill({"many", id}, 1, 9);
    fill({"one", "w5"}, 1, 9);
    EXPECT_EQ(next(), "many w1 1");
    EXPECT_EQ(next(), "one w5 1");
    EXPECT_EQ(next(), "many w2 1");
    EXPECT_EQ(next(), "many w3 1");
    EXPECT_EQ(next(), "many w4 1") << "its tenant has its share, and borrows one call for a webhook that has none";
    EXPECT_EQ(next(), "nothing") << "two tenants share six calls, and two are for those to come";
    answer(200);
    answer(200);
    EXPECT_EQ(next(), "one w5 2");
}

TEST_F(OutboxTest, AWebhookThatAnswersGetsMoreCallsAndOneThatFailsBeginsAnew) {
    fill({"a", "w1"}, 1, 9);
    EXPECT_EQ(next(), "a w1 1");
    EXPECT_EQ(next(), "nothing");
    answer(204);
    EXPECT_EQ(next(), "a w1 2");
    EXPECT_EQ(next(), "a w1 3");
    EXPECT_EQ(next(), "nothing") << "no more than its limit";
    answer(500);
    EXPECT_EQ(outbox.waiting(), 0U) << "what waited behind the failure is dropped";
    EXPECT_EQ(outbox.window_of({"a", "w1"}), 1U);
    EXPECT_EQ(outbox.held_of({"a", "w1"}), 3U) << "two are sent and not recorded, one is under way";
}

TEST_F(OutboxTest, HoldsADeliveryUntilItIsForgotten) {
    fill({"a", "w1"}, 1, 2);
    fill({"a", "w1"}, 1, 3);
    EXPECT_EQ(outbox.waiting(), 3U) << "none of them twice";
    EXPECT_EQ(next(), "a w1 1");
    EXPECT_EQ(outbox.drop_all(), std::vector<WebhookRef>({{"a", "w1"}}));
    EXPECT_TRUE(outbox.take_sent().empty());
    answer(200);
    fill({"a", "w1"}, 1, 1);
    EXPECT_EQ(outbox.waiting(), 0U) << "it is sent, and not recorded";
    EXPECT_EQ(outbox.take_sent().size(), 1U);
    outbox.forget({"a", "w1"}, 1);
    EXPECT_TRUE(outbox.empty());
}

TEST_F(OutboxTest, ATenantWhoseReceiversHangLeavesLanesForAnother) {
    for (int i = 0; i < 20; ++i) fill({"many", "w" + std::to_string(i)}, 1, 1);
    int hanging = 0;
    for (auto each = next(); each != "nothing"; each = next()) ++hanging;
    EXPECT_EQ(hanging, 6) << "of eight lanes";
    fill({"other", "w"}, 1, 2);
    EXPECT_EQ(next(), "other w 1") << "at once, although none of the others has answered";
}

TEST_F(OutboxTest, AReceiverThatHangsLeavesLanesForTheOthersOfItsTenant) {
    Outbox both{{.calls = 8, .per_webhook = 8, .waiting_max = 100}};
    const auto fill_one = [&](const std::string& id, const std::string& host) {
        std::vector<model::Delivery> deliveries{{.webhook_id = id, .item = {.position = 1}}};
        both.fill({"a", id},
                  std::make_shared<const model::Webhook>(model::Webhook{.id = id, .url = "https://" + host + "/" + id}),
                  std::move(deliveries));
    };
    for (int i = 0; i < 9; ++i) fill_one("w" + std::to_string(i), "hanging.example");
    fill_one("x", "alive.example");
    std::map<std::string, int> calls;
    for (auto sending = both.next(never_wait.get_token()); sending; sending = both.next(never_wait.get_token()))
        ++calls[sending->webhook->url.substr(8, 7)];
    EXPECT_EQ(calls["hanging"], 5) << "all but one of the six that the tenant may have";
    EXPECT_EQ(calls["alive.e"], 1);
}

TEST_F(OutboxTest, WhatWaitsOfOneTenantLeavesRoomForAnother) {
    fill({"many", "w1"}, 1, 500);
    EXPECT_EQ(outbox.waiting(), 250U) << "of a thousand";
    EXPECT_FALSE(outbox.has_room("many"));
    fill({"other", "w2"}, 1, 3);
    EXPECT_EQ(outbox.waiting_of({"other", "w2"}), 3U);
}

}  // namespace
}  // namespace belfry::engine
