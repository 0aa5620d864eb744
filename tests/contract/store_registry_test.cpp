// API keys and webhooks: what is kept beside schedules and runs.
#include "store/registry.hpp"

#include "store_contract.hpp"

namespace belfry::store {
namespace {

using model::Role;

class KeyContract : public StoreContract {
protected:
    static model::ApiKey key_named(const std::string& id, const std::string& name, Instant created_at = kNine) {
        return {.id = id,
                .name = name,
                .hash = std::string(64, 'a'),
                .roles = {{"*", {Role::admin}}},
                .created_by = "user:ann",
                .created_at = created_at};
    }
};
class WebhookContract : public StoreContract {
protected:
    static model::Webhook webhook_of(const std::string& id, Instant created_at = kNine) {
        return {.id = id, .url = "https://example.com/" + id, .created_by = "user:ann", .created_at = created_at};
    }
};
INSTANTIATE_TEST_SUITE_P(Every, KeyContract, ::testing::ValuesIn(test::stores_under_test()), store_name);
INSTANTIATE_TEST_SUITE_P(Every, WebhookContract, ::testing::ValuesIn(test::stores_under_test()), store_name);

TEST_P(KeyContract, KeepsWhatWasAdded) {
    const model::ApiKey full{
        .id = "k1",
        .name = "ci \"日\"",
        .hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        .roles = {{"*", {Role::viewer}}, {"acme", {Role::operator_, Role::approver, Role::worker}}, {"empty", {}}},
        .created_by = "user:ann",
        .created_at = kNine + Micros{1},
        .expires_at = kTen + Micros{2}};
    const auto plain = key_named("K1", "plain");
    ASSERT_TRUE(store->registry().add_key(full));
    ASSERT_TRUE(store->registry().add_key(plain)) << "ids differ byte by byte";
    reopen();
    EXPECT_EQ(store->registry().key("k1").value(), full);
    EXPECT_EQ(store->registry().keys().value(), (std::vector{plain, full})) << "oldest first";
    EXPECT_EQ(code_of(store->registry().key("k")), ErrorCode::not_found);
}

TEST_P(KeyContract, AnIdIsGivenOnce) {
    auto& registry = store->registry();
    ASSERT_TRUE(registry.add_key(key_named("k1", "ci")));
    const auto again = registry.add_key(key_named("k1", "other"));
    ASSERT_EQ(code_of(again), ErrorCode::already_exists);
    EXPECT_EQ(again.error().field, "/id");
    ASSERT_TRUE(registry.revoke_key("k1", kTen));
    EXPECT_EQ(code_of(registry.add_key(key_named("k1", "other"))), ErrorCode::already_exists)
        << "a revoked one keeps its id";
    EXPECT_EQ(registry.key("k1").value().name, "ci");
}

TEST_P(KeyContract, ANameIsFreeAgainOnceItsKeyIsRevoked) {
    auto& registry = store->registry();
    ASSERT_TRUE(registry.add_key(key_named("k1", "ci")));
    const auto taken = registry.add_key(key_named("k2", "ci"));
    ASSERT_EQ(code_of(taken), ErrorCode::already_exists);
    EXPECT_EQ(taken.error().field, "/name");
    EXPECT_TRUE(registry.add_key(key_named("k3", "CI"))) << "another name";
    ASSERT_TRUE(registry.revoke_key("k1", kTen));
    EXPECT_TRUE(registry.add_key(key_named("k2", "ci")));
    EXPECT_EQ(code_of(registry.add_key(key_named("k4", "ci"))), ErrorCode::already_exists);
    EXPECT_EQ(registry.keys().value().size(), 3U);
}

TEST_P(KeyContract, TheFirstRevocationCounts) {
    auto& registry = store->registry();
    ASSERT_TRUE(registry.add_key(key_named("k1", "ci")));
    EXPECT_EQ(registry.revoke_key("k1", kTen).value().revoked_at, kTen);
    EXPECT_EQ(registry.revoke_key("k1", kTen + 1h).value().revoked_at, kTen);
    EXPECT_EQ(registry.key("k1").value().revoked_at, kTen);
    EXPECT_EQ(code_of(registry.revoke_key("k2", kTen)), ErrorCode::not_found);
}

TEST_P(WebhookContract, KeepsWhatWasPut) {
    const model::Webhook full{.id = "w1",
                              .url = "https://example.com/a?b=c",
                              .description = "the \"best\"\n日",
                              .events = {"run.*", "schedule.deleted"},
                              .secrets = {"sealed:new", "sealed:old"},
                              .enabled = false,
                              .created_by = "user:ann",
                              .created_at = kNine + Micros{1}};
    const auto plain = webhook_of("w2");
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    ASSERT_TRUE(store->registry().put_webhook("default", full));
    ASSERT_TRUE(store->registry().put_webhook("default", plain));
    ASSERT_TRUE(store->registry().put_webhook("acme", webhook_of("w3", kTen)));
    reopen();
    auto& registry = store->registry();
    EXPECT_EQ(registry.webhook("default", "w1").value(), full);
    EXPECT_EQ(registry.webhooks("default").value(), (std::vector{plain, full})) << "oldest first";
}

TEST_P(WebhookContract, OfAnotherTenantIsNotFound) {
    ASSERT_TRUE(store->put_tenant({.name = "acme"}));
    auto& registry = store->registry();
    ASSERT_TRUE(registry.put_webhook("default", webhook_of("w1")));
    EXPECT_EQ(code_of(registry.webhook("acme", "w1")), ErrorCode::not_found);
    EXPECT_EQ(code_of(registry.remove_webhook("acme", "w1")), ErrorCode::not_found);
    EXPECT_EQ(code_of(registry.remove_webhook("nobody", "w1")), ErrorCode::not_found);
    EXPECT_EQ(code_of(registry.deliveries("acme", "w1", 0, 10)), ErrorCode::not_found);
    EXPECT_EQ(code_of(registry.take_deliveries("acme", "w1", kTen, 10)), ErrorCode::not_found);
    EXPECT_EQ(code_of(registry.put_webhook("acme", webhook_of("w1"))), ErrorCode::already_exists)
        << "an id is given once, whoever has it";
    EXPECT_EQ(code_of(registry.put_webhook("nobody", webhook_of("w2"))), ErrorCode::not_found);
    EXPECT_EQ(code_of(registry.webhooks("nobody")), ErrorCode::not_found);
    EXPECT_EQ(registry.webhook("default", "w1").value(), webhook_of("w1"));
}

TEST_P(WebhookContract, OfTwoWritersTheSecondIsRefused) {
    auto& registry = store->registry();
    auto webhook = webhook_of("w1");
    webhook.version = 2;
    EXPECT_EQ(code_of(registry.put_webhook("default", webhook)), ErrorCode::conflict) << "a new one begins with 1";
    ASSERT_TRUE(registry.put_webhook("default", webhook_of("w1")));
    EXPECT_EQ(code_of(registry.put_webhook("default", webhook_of("w1"))), ErrorCode::conflict);
    webhook.url = "https://example.com/second";
    webhook.created_by = "somebody else";
    webhook.created_at = kTen;
    ASSERT_TRUE(registry.put_webhook("default", webhook));
    EXPECT_EQ(code_of(registry.put_webhook("default", webhook)), ErrorCode::conflict);
    const auto stored = registry.webhook("default", "w1").value();
    EXPECT_EQ(stored.url, "https://example.com/second");
    EXPECT_EQ(stored.version, 2);
    EXPECT_EQ(stored.created_by, "user:ann") << "who made it stays";
    EXPECT_EQ(stored.created_at, kNine);
}

TEST_P(WebhookContract, IsGoneOnceItIsRemoved) {
    auto& registry = store->registry();
    ASSERT_TRUE(registry.put_webhook("default", webhook_of("w1")));
    ASSERT_TRUE(registry.remove_webhook("default", "w1"));
    EXPECT_EQ(code_of(registry.webhook("default", "w1")), ErrorCode::not_found);
    EXPECT_EQ(code_of(registry.remove_webhook("default", "w1")), ErrorCode::not_found);
    EXPECT_TRUE(registry.put_webhook("default", webhook_of("w1"))) << "and may be made anew";
}

}  // namespace
}  // namespace belfry::store
