#include "api/auth/api_key.hpp"

#include <gtest/gtest.h>

#include <set>

#include "api/auth/keys.hpp"
#include "support/fakes/fake_registry.hpp"
#include "support/worlds/set_clocks.hpp"

namespace belfry::api::auth::api_key_test {
namespace {

const Instant kNow = parse_instant("2026-11-15T12:00:00Z").value();

TEST(ApiKey, HasAnIdAndEnoughRandomBits) {
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) {
        const auto fresh = make_key();
        const auto whole = std::string(fresh.secret.reveal());
        EXPECT_EQ(whole.size(), 57U);
        EXPECT_TRUE(whole.starts_with("bfk_" + fresh.id + "_"));
        EXPECT_EQ(key_id_of(whole), fresh.id);
        EXPECT_TRUE(seen.insert(fresh.id).second);
        EXPECT_TRUE(seen.insert(whole.substr(17)).second);
    }
    EXPECT_GE(kKeySecretLength * 5, 160U);
}

TEST(ApiKey, OnlyItsExactFormIsLookedUp) {
    const auto whole = std::string(make_key().secret.reveal());
    auto dash = whole;
    dash[16] = '-';
    auto capital = whole;
    capital[5] = 'U';  // not in the alphabet, and neither is a quote or a zero byte
    auto zero = whole;
    zero[20] = '\0';
    for (const auto& wrong :
         {std::string(), std::string("bfk_"), whole.substr(1), whole + "0", whole.substr(0, 56), dash, capital, zero}) {
        EXPECT_EQ(key_id_of(wrong), std::nullopt) << wrong;
    }
}

TEST(ApiKey, AnEmptyHashLetsNobodyIn) {
    const auto fresh = make_key();
    EXPECT_FALSE(check_key({.id = fresh.id, .name = "x", .hash = ""}, fresh.secret.reveal(), kNow));
    EXPECT_FALSE(check_key({.id = fresh.id, .name = "x", .hash = std::string(fresh.secret.reveal())},
                           fresh.secret.reveal(), kNow));
}

class KeysTest : public testing::Test {
protected:
    [[nodiscard]] std::string refusal(const NewKey& wanted) {
        const auto made = keys.create(wanted);
        return made ? "" : made.error().field + ": " + made.error().message;
    }

    test::FakeRegistry registry;
    test::SetClock clock{kNow};
    Keys keys{registry, clock};
    const model::Roles viewer{{"acme", {model::Role::viewer}}};
};

TEST_F(KeysTest, OnlyAHashOfTheSecretIsKept) {
    const auto made =
        keys.create({.name = "ci", .roles = viewer, .lifetime = std::chrono::days{90}, .created_by = "cli"}).value();
    EXPECT_EQ(registry.kept, std::vector{made.key});
    EXPECT_EQ(made.key.hash, key_hash(made.secret.reveal()));
    EXPECT_EQ(made.key.expires_at, kNow + std::chrono::days{90});
    EXPECT_EQ(to_text(to_json(made.key, kNow)),
              R"({"id":")" + made.key.id +
                  R"(","name":"ci","roles":{"acme":["viewer"]},"state":"active","createdBy":"cli",)"
                  R"("createdAt":"2026-11-15T12:00:00Z","expiresAt":"2027-02-13T12:00:00Z","revokedAt":null})");
}

TEST_F(KeysTest, ANameIsTakenUntilItsKeyIsRevoked) {
    const auto made = keys.create({.name = "ci", .roles = viewer}).value();
    EXPECT_EQ(refusal({.name = "ci", .roles = viewer}),
              "/name: a key \"ci\" already exists; revoke it first, or choose another name");
    EXPECT_EQ(keys.revoke(made.key.id).value().revoked_at, kNow);
    clock.at += Seconds{5};
    EXPECT_EQ(keys.revoke(made.key.id).value().revoked_at, kNow);
    EXPECT_EQ(refusal({.name = "ci", .roles = viewer}), "");
    EXPECT_EQ(keys.list().value().size(), 2U);
    EXPECT_EQ(keys.revoke("nothing").error().message, "there is no key \"nothing\"");
}

TEST_F(KeysTest, WhatMakesNoKeyIsRefused) {
    EXPECT_EQ(refusal({.name = "", .roles = viewer}), "/name: must not be empty");
    EXPECT_EQ(refusal({.name = "a\nb", .roles = viewer}),
              "/name: must not contain the control character U+000A; remove it");
    EXPECT_EQ(refusal({.name = "ci", .roles = {}}),
              "/roles: a key needs a role; use viewer, operator, approver, worker or admin");
    EXPECT_EQ(refusal({.name = "ci", .roles = {{"acme", {}}}}), "/roles/acme: must name at least one role");
    EXPECT_EQ(refusal({.name = "ci", .roles = viewer, .lifetime = Micros{0}}),
              "/lifetime: must be longer than 0 and at most a hundred years");
}

TEST_F(KeysTest, AKeyIsActiveThenExpiredAndRevokedWinsOverBoth) {
    auto key = keys.create({.name = "ci", .roles = viewer, .lifetime = Seconds{60}}).value().key;
    EXPECT_EQ(state_of(key, kNow), "active");
    EXPECT_EQ(state_of(key, kNow + Seconds{60}), "expired");
    key.revoked_at = kNow;
    EXPECT_EQ(state_of(key, kNow + Seconds{60}), "revoked");
}

}  // namespace
}  // namespace belfry::api::auth::api_key_test
