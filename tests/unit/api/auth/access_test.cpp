#include "api/auth/access.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "api/auth/api_key.hpp"
#include "api/auth/keys.hpp"
#include "api/auth/request_authorizer.hpp"
#include "support/fakes/fake_registry.hpp"
#include "support/fakes/token_maker.hpp"
#include "support/worlds/set_clocks.hpp"

namespace belfry::api::auth {
namespace {

using model::Permission;
using model::Role;

const Instant kNow = parse_instant("2026-11-15T12:00:00Z").value();
const model::Principal kOwner{"local", {{"*", {Role::admin}}}};

Request with(std::vector<Header> headers) {
    return {.path = "/api/version", .headers = std::move(headers), .peer = "192.0.2.7"};
}
Request bearer(std::string_view credential) { return with({{"Authorization", "Bearer " + std::string(credential)}}); }

class AccessTest : public testing::Test {
protected:
    // A key that may operate in acme.
    MadeKey make(const std::string& name, std::optional<Micros> lifetime = {}) {
        return Keys(registry, wall)
            .create({.name = name, .roles = {{"acme", {Role::operator_}}}, .lifetime = lifetime})
            .value();
    }
    Access access(AccessOptions options = {}) { return {registry, trust, {wall, steady}, log, options}; }
    static std::string refusal(Access& access, const Request& request) {
        const auto principal = access.authenticate(request);
        return principal ? "" : principal.error().message;
    }

    test::FakeRegistry registry;
    Trust trust;
    test::SetClock wall{kNow};
    test::SetSteadyClock steady;
    std::ostringstream lines;
    Log log{lines, LogLevel::debug, LogFormat::text};
};

constexpr auto kSayWho = "authentication required; send Authorization: Bearer with an API key or a token";
constexpr auto kRefused =
    "this credential is not accepted; it is unknown, expired, revoked or not meant for this server";

TEST_F(AccessTest, AKeyIsKnownByEitherHeader) {
    const auto made = make("ci");
    auto guard = access();
    const model::Principal ci{"key:ci", {{"acme", {Role::operator_}}}};
    const auto secret = std::string(made.secret.reveal());
    EXPECT_EQ(guard.authenticate(bearer(secret)).value(), ci);
    EXPECT_EQ(guard.authenticate(with({{"authorization", "bearer   " + secret + " "}})).value(), ci);
    EXPECT_EQ(guard.authenticate(with({{"x-api-key", secret}})).value(), ci);
}

TEST_F(AccessTest, AKeyEndsWithItsTimeOrWithTheNextRequestAfterItWasRevoked) {
    const auto brief = make("brief", Seconds{60});
    const auto lasting = make("lasting");
    auto guard = access();
    EXPECT_EQ(refusal(guard, bearer(brief.secret.reveal())), "");
    wall.at += Seconds{60};
    EXPECT_EQ(refusal(guard, bearer(brief.secret.reveal())), kRefused);
    EXPECT_EQ(refusal(guard, bearer(lasting.secret.reveal())), "");
    ASSERT_TRUE(Keys(registry, wall).revoke(lasting.key.id));
    EXPECT_EQ(refusal(guard, bearer(lasting.secret.reveal())), kRefused);
    EXPECT_NE(lines.str().find("expired at"), std::string::npos);
    EXPECT_NE(lines.str().find("was revoked at"), std::string::npos);
}

TEST_F(AccessTest, WhateverIsWrongWithACredentialTheClientHearsOneSentence) {
    const auto made = make("ci");
    auto guard = access();
    auto other = std::string(made.secret.reveal());
    other.back() = other.back() == '0' ? '1' : '0';
    const std::string unknown = "bfk_000000000000" + other.substr(16);
    const Request rows[] = {
        bearer(other),
        bearer(unknown),
        bearer("bfk_"),
        bearer("bfk_short"),
        bearer(""),
        bearer("e30.e30.e30"),
        bearer(made.key.hash),
        with({{"Authorization", "Basic YWRhOnNlY3JldA=="}}),
        with({{"Authorization", ""}}),
        with({{"X-API-Key", ""}}),
        with({{"X-API-Key", "e30.e30.e30"}}),
    };
    for (const auto& row : rows) {
        steady.at += Seconds{1};
        const auto principal = guard.authenticate(row);
        ASSERT_FALSE(principal);
        EXPECT_EQ(principal.error(), (Error{ErrorCode::unauthenticated, kRefused})) << row.headers.front().second;
    }
}

TEST_F(AccessTest, TwoCredentialsAreOneTooMany) {
    const auto secret = std::string(make("ci").secret.reveal());
    trust.replace(
        {.configured = true, .clients = {{"DNS:worker", "worker", {}}, {"URI:spiffe://worker", "other", {}}}});
    auto guard = access();
    auto certified = bearer(secret);
    EXPECT_EQ(refusal(guard, certified), "");
    certified.certificate_names = {"DNS:worker"};
    EXPECT_EQ(refusal(guard, certified), kRefused);
    EXPECT_EQ(refusal(guard, with({{"Authorization", "Bearer " + secret}, {"X-API-Key", secret}})), kRefused);
    EXPECT_EQ(refusal(guard, with({{"Authorization", "Bearer " + secret}, {"authorization", "Bearer " + secret}})),
              kRefused);
    Request ambiguous{.certificate_names = {"DNS:worker", "URI:spiffe://worker"}};
    EXPECT_EQ(refusal(guard, ambiguous), kRefused);
}

TEST_F(AccessTest, TheKeyOfAProjectCountsAloneAndIsIgnoredBesideAnotherCredential) {
    const auto secret = std::string(make("ci").secret.reveal());
    auto guard = access();
    EXPECT_EQ(refusal(guard, with({{"apikey", secret}})), "");
    EXPECT_EQ(refusal(guard, with({{"apikey", "anon"}, {"Authorization", "Bearer " + secret}})), "");
    EXPECT_EQ(refusal(guard, with({{"apikey", secret}, {"Authorization", "Bearer " + secret}})), "");
    EXPECT_EQ(refusal(guard, with({{"apikey", "anon"}, {"X-API-Key", secret}})), "");
    EXPECT_EQ(refusal(guard, with({{"apikey", secret}, {"Authorization", "Bearer wrong"}})), kRefused);
    EXPECT_EQ(refusal(guard, with({{"apikey", "anon"}})), kRefused);
    EXPECT_EQ(refusal(guard, with({{"apikey", ""}})), kRefused);
    EXPECT_EQ(refusal(guard, with({{"apikey", secret}, {"apikey", secret}})), kRefused);
}

TEST_F(AccessTest, ACertificateIsKnownByTheExactNameInIt) {
    trust.replace({.configured = true, .clients = {{"DNS:worker.example.org", "worker", {{"acme", {Role::worker}}}}}});
    auto guard = access();
    const auto named = [&](std::string san) {
        return guard.authenticate(Request{.certificate_names = {"email:x@y", std::move(san)}});
    };
    EXPECT_EQ(named("DNS:worker.example.org").value(),
              (model::Principal{"service:worker", {{"acme", {Role::worker}}}}));
    for (const auto* const other :
         {"DNS:worker.example.org.evil", "DNS:*.example.org", "URI:worker.example.org", "worker.example.org", ""}) {
        EXPECT_EQ(named(other).error().message, kSayWho) << other;
    }
}

TEST_F(AccessTest, ATokenIsKnownByItsIssuer) {
    const auto maker = test::TokenMaker::eddsa();
    trust.replace({.configured = true,
                   .issuers = {{.issuer = "us",
                                .name = "us",
                                .audience = "belfry",
                                .algorithm = JwtAlgorithm::eddsa,
                                .tenant = "acme",
                                .roles = {Role::viewer},
                                .keys = std::make_shared<IssuerKeys>(KeySet(maker.checker()))}}});
    auto guard = access();
    const auto token = maker.token(R"({"alg":"EdDSA"})", R"({"iss":"us","aud":"belfry","sub":"ada","exp":4000000000})");
    EXPECT_EQ(guard.authenticate(bearer(token)).value(), (model::Principal{"user:ada@us", {{"acme", {Role::viewer}}}}));
    trust.replace({.configured = true});  // as SIGHUP does
    EXPECT_EQ(refusal(guard, bearer(token)), kRefused);
}

TEST_F(AccessTest, OnThisMachineWithNothingConfiguredEverybodyIsItsOwner) {
    auto guard = access();
    EXPECT_EQ(guard.authenticate(with({})).value(), kOwner);
    // There is nothing that a credential could be compared with.
    EXPECT_EQ(guard.authenticate(bearer("wrong")).value(), kOwner);
    EXPECT_EQ(guard.authenticate(with({{"apikey", "anon"}, {"Authorization", "Bearer anon"}})).value(), kOwner);
    EXPECT_EQ(guard.authenticate(with({{"X-API-Key", "bfk_old"}, {"Authorization", "Basic YTpi"}})).value(), kOwner);
    auto elsewhere = access({.loopback = false});
    EXPECT_EQ(refusal(elsewhere, with({})), kSayWho);
    auto required = access({.mode = AuthMode::required});
    EXPECT_EQ(refusal(required, with({})), kSayWho);
    auto off = access({.mode = AuthMode::off});
    EXPECT_EQ(off.authenticate(bearer("whatever")).value(), kOwner);
    trust.replace({.configured = true});
    EXPECT_EQ(refusal(guard, with({})), kSayWho);
    EXPECT_EQ(off.authenticate(with({})).value(), kOwner);
}

TEST_F(AccessTest, AnOpenServerRefusesWhatCameThroughAProxy) {
    auto open = access();
    auto off = access({.mode = AuthMode::off});
    const Header rows[] = {{"Forwarded", "for=192.0.2.1"},
                           {"X-Forwarded-For", "192.0.2.1"},
                           {"x-forwarded-host", "a"},
                           {"X-FORWARDED-PROTO", "https"},
                           {"Via", "1.1 a"},
                           {"X-Real-IP", "192.0.2.1"},
                           {"X-Forwarded", "for=192.0.2.1"},
                           {"CF-Connecting-IP", "192.0.2.1"},
                           {"true-client-ip", "192.0.2.1"},
                           {"X-Original-Forwarded-For", "192.0.2.1"},
                           {"X-Envoy-External-Address", "192.0.2.1"}};
    for (const auto& header : rows) {
        for (auto* const guard : {&open, &off}) {
            const auto refused = guard->authenticate(with({header}));
            ASSERT_FALSE(refused) << header.first;
            EXPECT_EQ(refused.error().code, ErrorCode::forbidden);
            EXPECT_NE(refused.error().message.find("the header " + header.first), std::string::npos)
                << refused.error().message;
            EXPECT_NE(refused.error().message.find("belfry token create admin --role admin"), std::string::npos);
            EXPECT_FALSE(guard->recognize(with({header})));
        }
    }
    EXPECT_TRUE(open.authenticate(with({{"Forwarded-Other", "a"}, {"X-Forward", "b"}, {"Viable", "c"}})));
    const auto secret = std::string(make("first").secret.reveal());
    steady.at += kOpenFor;
    EXPECT_TRUE(open.authenticate(with({{"X-Forwarded-For", "192.0.2.1"}, {"X-API-Key", secret}})))
        << "one that asks may be behind a proxy";
}

TEST_F(AccessTest, AProbeIsRecognizedWithoutTheStore) {
    auto guard = access();
    EXPECT_TRUE(guard.is_open().value());
    registry.away = true;
    EXPECT_EQ(guard.recognize(with({})), kOwner);
    registry.away = false;
    const auto secret = std::string(make("ci").secret.reveal());
    steady.at += kOpenFor;
    EXPECT_FALSE(guard.is_open().value());
    registry.away = true;
    EXPECT_EQ(guard.recognize(with({})), std::nullopt);
    EXPECT_EQ(guard.recognize(bearer(secret)), std::nullopt);
    registry.away = false;
    EXPECT_EQ(guard.recognize(bearer(secret))->name, "key:ci");
    EXPECT_EQ(guard.recognize(bearer("wrong")), std::nullopt);
    EXPECT_EQ(lines.str().find("no credential"), std::string::npos) << "a probe is no failure";
}

TEST_F(AccessTest, HealthIsShownToThoseWhoMayReadEveryTenant) {
    const auto key = [&](const std::string& name, const model::Roles& roles) {
        return std::string(Keys(registry, wall).create({.name = name, .roles = roles}).value().secret.reveal());
    };
    auto guard = access();
    RequestAuthorizer gate(guard, {}, steady);
    EXPECT_EQ(gate.health_detail(with({})), HealthDetail::server) << "open, and on this machine";
    EXPECT_EQ(gate.health_detail(with({{"Via", "1.1 a"}})), HealthDetail::none);
    const auto everywhere = key("everywhere", {{"*", {Role::viewer}}});
    const auto acme = key("acme", {{"acme", {Role::viewer}}});
    const auto worker = key("worker", {{"*", {Role::worker}}});
    steady.at += kOpenFor;
    static_cast<void>(guard.authenticate(with({})));
    EXPECT_EQ(gate.health_detail(with({})), HealthDetail::none);
    EXPECT_EQ(gate.health_detail(bearer("wrong")), HealthDetail::none);
    EXPECT_EQ(gate.health_detail(bearer(worker)), HealthDetail::none);
    EXPECT_EQ(gate.health_detail(bearer(acme)), HealthDetail::none) << "it tells of all tenants";
    EXPECT_EQ(gate.health_detail(bearer(everywhere)), HealthDetail::server);
}

TEST_F(AccessTest, TheFirstKeyClosesTheServerAndRevokingItOpensNothing) {
    auto guard = access();
    EXPECT_EQ(guard.authenticate(with({})).value(), kOwner);
    const auto made = make("first");
    steady.at += kOpenFor;
    EXPECT_EQ(refusal(guard, with({})), kSayWho);
    ASSERT_TRUE(Keys(registry, wall).revoke(made.key.id));
    steady.at += kOpenFor;
    EXPECT_EQ(refusal(guard, with({})), kSayWho);
    auto restarted = access();
    EXPECT_EQ(refusal(restarted, with({})), kSayWho);
}

TEST_F(AccessTest, AStoreThatIsAwayLetsNobodyInAndSaysSo) {
    const auto secret = std::string(make("ci").secret.reveal());
    auto guard = access();
    registry.away = true;
    EXPECT_EQ(guard.authenticate(bearer(secret)).error().code, ErrorCode::unavailable);
    EXPECT_EQ(guard.authenticate(with({})).error().code, ErrorCode::unavailable);
}

TEST_F(AccessTest, WhoeverFailsTooOftenHasToWaitAndGoodCredentialsPass) {
    const auto secret = std::string(make("ci").secret.reveal());
    auto guard = access();
    for (std::int64_t i = 0; i < kFailuresPerPeer.burst; ++i)
        EXPECT_EQ(guard.authenticate(bearer("wrong")).error().code, ErrorCode::unauthenticated);
    const auto said = lines.str().size();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(guard.authenticate(bearer("wrong")).error().code, ErrorCode::exhausted);
    EXPECT_EQ(lines.str().size(), said);  // nor is the log flooded
    EXPECT_TRUE(guard.authenticate(bearer(secret)));
    auto elsewhere = bearer("wrong");
    elsewhere.peer = "192.0.2.8";
    EXPECT_EQ(guard.authenticate(elsewhere).error().code, ErrorCode::unauthenticated);
    steady.at += Seconds{1};
    EXPECT_EQ(guard.authenticate(bearer("wrong")).error().code, ErrorCode::unauthenticated);
}

TEST_F(AccessTest, NoSecretEverReachesALogOrAnAnswer) {
    constexpr auto kCanary = "canary0canary0canary0canary0canary0canary";
    const auto made = make("ci");
    ASSERT_TRUE(Keys(registry, wall).revoke(made.key.id));
    const auto secret = std::string(made.secret.reveal());
    const auto own = secret.substr(kKeyPrefix.size() + kKeyIdLength + 1);
    const auto maker = test::TokenMaker::hs256(std::string(kCanary));
    trust.replace({.configured = true,
                   .issuers = {{.issuer = "us",
                                .audience = "belfry",
                                .algorithm = JwtAlgorithm::hs256,
                                .keys = std::make_shared<IssuerKeys>(KeySet(maker.checker()))}}});
    const auto expired = maker.token(R"({"alg":"HS256"})", R"({"iss":"us","aud":"belfry","sub":"ada","exp":1})");
    const auto signature = expired.substr(expired.rfind('.') + 1);
    auto guard = access();
    std::string said;
    for (const auto& credential : {secret, secret.substr(1), secret + "x", std::string(kCanary), expired, expired + "x",
                                   signature, "bfk_" + own}) {
        for (const auto& request :
             {bearer(credential), with({{"X-API-Key", credential}}), with({{"Authorization", credential}}),
              with({{"Authorization", "Basic " + credential}})}) {
            steady.at += Seconds{1};
            const auto refused = guard.authenticate(request);
            ASSERT_FALSE(refused);
            said += refused.error().message;
        }
    }
    said += lines.str();
    said += to_text(to_json(made.key, kNow));
    for (const auto& never : {own, std::string(kCanary), signature, made.key.hash})
        EXPECT_EQ(said.find(never), std::string::npos) << said;
}

TEST_F(AccessTest, TheGateHoldsBackWhoeverAsksTooOften) {
    const auto first = std::string(make("first").secret.reveal());
    const auto second = std::string(make("second").secret.reveal());
    auto guard = access();
    RequestAuthorizer gate(guard, {.per_second = 2, .burst = 3}, steady);
    const auto ask = [&](const std::string& secret) {
        const auto admitted = gate.admit(bearer(secret), "acme", Permission::read);
        return admitted ? "admitted" : admitted.error().code == ErrorCode::exhausted ? "exhausted" : "refused";
    };
    for (int i = 0; i < 3; ++i) EXPECT_STREQ(ask(first), "admitted");
    EXPECT_STREQ(ask(first), "exhausted");
    EXPECT_STREQ(ask(second), "admitted");
    steady.at += Seconds{1};
    EXPECT_STREQ(ask(first), "admitted");
}

TEST_F(AccessTest, TheGateAsksNobodyForWhatIsOpen) {
    auto guard = access({.mode = AuthMode::required});
    RequestAuthorizer gate(guard, {.per_second = 1, .burst = 2}, steady);
    registry.away = true;  // whoever watches the server is answered all the same
    EXPECT_EQ(gate.admit(bearer("wrong"), "", Permission::open).value(), model::Principal{});
    EXPECT_TRUE(gate.admit(with({}), "", Permission::open));
    EXPECT_EQ(gate.admit(with({}), "", Permission::open).error().code, ErrorCode::exhausted);
}

TEST_F(AccessTest, TheGateAuthorizesWhomItKnows) {
    const auto secret = std::string(make("ci").secret.reveal());
    auto guard = access();
    RequestAuthorizer gate(guard, {}, steady);
    EXPECT_EQ(gate.admit(bearer(secret), "acme", Permission::write).value().name, "key:ci");
    EXPECT_EQ(gate.admit(bearer(secret), "acme", Permission::administer).error().code, ErrorCode::forbidden);
    EXPECT_EQ(gate.admit(bearer(secret), "other", Permission::read).error().code, ErrorCode::not_found);
    EXPECT_EQ(gate.admit(bearer("wrong"), "acme", Permission::read).error().code, ErrorCode::unauthenticated);
}

}  // namespace
}  // namespace belfry::api::auth
