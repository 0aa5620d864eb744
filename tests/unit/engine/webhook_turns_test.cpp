#include "engine/outgoing/webhook_turns.hpp"

#include <gtest/gtest.h>

namespace belfry::engine {
namespace {

using Refs = std::vector<WebhookRef>;

TEST(WebhookTurns, TenantsTakeTurnsHoweverManyWebhooksOneHas) {
    const std::set<WebhookRef> refs{{"a", "1"}, {"a", "2"}, {"a", "3"}, {"a", "4"}, {"b", "1"}, {"c", "1"}, {"c", "2"}};
    WebhookTurns turns;
    EXPECT_EQ(turns.next(refs, 5), (Refs{{"a", "1"}, {"b", "1"}, {"c", "1"}, {"a", "2"}, {"c", "2"}}));
    EXPECT_EQ(turns.next(refs, 100).size(), refs.size()) << "each once";
    EXPECT_EQ(turns.next(refs, 0), Refs{});
    EXPECT_EQ(turns.next({}, 5), Refs{});
}

TEST(WebhookTurns, GoOnBehindThoseThatWereServed) {
    const std::set<WebhookRef> refs{{"a", "1"}, {"a", "2"}, {"a", "3"}, {"b", "1"}, {"b", "2"}};
    WebhookTurns turns;
    Refs served;
    for (int i = 0; i < 6; ++i) {
        served.push_back(turns.next(refs, 1).at(0));
        turns.served(served.back());
    }
    EXPECT_EQ(served, (Refs{{"a", "1"}, {"b", "1"}, {"a", "2"}, {"b", "2"}, {"a", "3"}, {"b", "1"}}));
}

}  // namespace
}  // namespace belfry::engine
