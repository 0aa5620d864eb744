#include "engine/outbox.hpp"

#include <gtest/gtest.h>

namespace belfry::engine {
namespace {

class OutboxTest : public ::testing::Test {
protected:
    OutboxTest() { never_wait.request_stop(); }

    void fill(const WebhookRef& ref, std::int64_t first, std::int64_t last) {
        std::vector<model::Delivery> deliveries;
        for (auto position = first; position <= last; ++position) deliveries.push_back({.webhook_id = ref.second, .item = {.position = position}});
        outbox.fill(ref, std::make_shared<const model::Webhook>(model::Webhook{.id = ref.second}), std::move(deliveries));
    }
    // `tenant webhook position`, or `nothing`.
    std::string next() {
        auto sending = outbox.next(never_wait.get_token());
        if (!sending) return "nothing";
        const auto words = sending->ref.first + " " + sending->ref.second + " " + std::to_string(sending->delivery.item.position);
        under_way.push_back(std::move(*sending));
        return words;
    }
    void answer(int status) {
        auto sending = std::move(under_way.front());
        under_way.erase(under_way.begin());
        outbox.sent({std::move(sending), decide::DeliveryAttempt{.http_status = status}});
    }

    Outbox outbox{{.per_tenant = 3, .per_webhook = 2}};
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
    EXPECT_EQ(next(), "nothing") << "a tenant has three calls at most, and each webhook begins with one";
    answer(200);
    EXPECT_EQ(next(), "many w4 1");
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

}  // namespace
}  // namespace belfry::engine
