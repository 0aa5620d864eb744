#include "api/auth/jwks.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "api/auth/issuer_keys.hpp"
#include "support/fakes/token_maker.hpp"
#include "support/worlds/set_clocks.hpp"

namespace belfry::api::auth {
namespace {

using test::TokenMaker;

std::string set_of(const std::string& keys) { return R"({"keys":[)" + keys + "]}"; }
std::string refusal(const std::string& text, JwtAlgorithm algorithm) {
    const auto set = parse_jwks(text, algorithm);
    return set ? "" : set.error().message;
}

TEST(SignatureKeys, WeakOrWrongOnesAreRefused) {
    const auto wrong = [](const std::string& pem, JwtAlgorithm algorithm) {
        const auto key = SignatureKey::from_pem(pem, algorithm);
        return key ? "" : key.error().message;
    };
    EXPECT_EQ(SignatureKey::from_secret(Secret("")).error().message, "the secret has 0 bytes; HS256 needs at least 32");
    EXPECT_EQ(SignatureKey::from_secret(Secret(std::string(31, 'x'))).error().message,
              "the secret has 31 bytes; HS256 needs at least 32");
    const auto rsa = TokenMaker::rs256();
    const auto p256 = TokenMaker::es256();
    EXPECT_EQ(wrong(rsa.public_pem(), JwtAlgorithm::rs256), "");
    EXPECT_EQ(wrong(TokenMaker::rs256(1024).public_pem(), JwtAlgorithm::rs256),
              "the RSA key has 1024 bits; use 2048 to 8192");
    EXPECT_EQ(wrong(rsa.public_pem(), JwtAlgorithm::es256), "ES256 needs an elliptic-curve key on P-256");
    EXPECT_EQ(wrong(rsa.public_pem(), JwtAlgorithm::hs256), "HS256 needs a secret, not a public key");
    EXPECT_EQ(wrong(TokenMaker::es256("P-384").public_pem(), JwtAlgorithm::es256),
              "ES256 needs an elliptic-curve key on P-256");
    EXPECT_EQ(wrong(p256.public_pem(), JwtAlgorithm::rs256), "RS256 needs an RSA key");
    EXPECT_EQ(wrong(p256.public_pem(), JwtAlgorithm::eddsa), "EdDSA needs an Ed25519 key");
    EXPECT_TRUE(
        wrong(rsa.private_pem(), JwtAlgorithm::rs256).starts_with("this is a private key; keep it with the issuer"));
    EXPECT_TRUE(wrong("", JwtAlgorithm::rs256).starts_with("there is no public key in PEM form"));
    EXPECT_TRUE(wrong("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", JwtAlgorithm::rs256)
                    .starts_with("there is no public key"));
}

TEST(Jwks, EachKindOfKeyChecksWhatItsOwnerSigned) {
    for (const auto& maker : {TokenMaker::hs256(), TokenMaker::rs256(), TokenMaker::es256(), TokenMaker::eddsa()}) {
        const auto set = parse_jwks(set_of(maker.jwk(R"("kid":"a","use":"sig","key_ops":["verify"],"alg":")" +
                                                     std::string(name_of(maker.algorithm())) + '"')),
                                    maker.algorithm());
        ASSERT_TRUE(set) << set.error().message;
        ASSERT_NE(set->find("a"), nullptr);
        EXPECT_TRUE(set->find("a")->verify("text", maker.sign("text")));
        EXPECT_FALSE(set->find("a")->verify("texts", maker.sign("text")));
        EXPECT_FALSE(set->find("a")->verify("text", ""));
        EXPECT_NE(set->find(std::nullopt), nullptr);
        EXPECT_EQ(set->find("b"), nullptr);
    }
}

TEST(Jwks, KeysForSomethingElseArePassedOver) {
    const auto ed = TokenMaker::eddsa();
    const auto ec = TokenMaker::es256();
    const auto mixed = set_of(ec.jwk(R"("kid":"ec")") + "," + ed.jwk(R"("kid":"enc","use":"enc")") + "," +
                              ed.jwk(R"("kid":"ed")") + R"(,{"kty":"future","kid":"f"})");
    const auto set = parse_jwks(mixed, JwtAlgorithm::eddsa).value();
    EXPECT_EQ(set.size(), 1U);
    EXPECT_NE(set.find("ed"), nullptr);
    EXPECT_EQ(set.find("ec"), nullptr);
    EXPECT_EQ(set.find("enc"), nullptr);
}

TEST(Jwks, AKeyMayCallItsAlgorithmByEitherName) {
    const auto ed = TokenMaker::eddsa();
    for (const auto* const alg : {"EdDSA", "Ed25519"}) {
        const auto set = parse_jwks(set_of(ed.jwk(R"("alg":")" + std::string(alg) + '"')), JwtAlgorithm::eddsa);
        EXPECT_TRUE(set) << alg;
    }
}

TEST(Jwks, ASetWithoutAUsableKeyIsRefusedWithTheReason) {
    const auto ed = TokenMaker::eddsa();
    const auto none = [](const std::string& why) { return "no key of the set can verify EdDSA: " + why; };
    struct Row {
        std::string text;
        std::string reason;
    };
    const Row rows[] = {
        {"{}", "a key set must be an object with an array \"keys\""},
        {"[]", "a key set must be an object with an array \"keys\""},
        {R"({"keys":{}})", "a key set must be an object with an array \"keys\""},
        {R"({"keys":[5]})", "the element 0 of \"keys\" is not an object"},
        {set_of(""), none("it is empty")},
        {set_of("{}"), none("of the first, its kty is not OKP, which EdDSA needs")},
        {set_of(R"({"kty":"OKP","crv":"X25519","x":"AAAA"})"),
         none("of the first, its crv is not Ed25519, which EdDSA needs")},
        {set_of(ed.jwk(R"("alg":"HS256")")), none("of the first, its alg is not EdDSA")},
        {set_of(ed.jwk(R"("key_ops":["sign"])")), none("of the first, it is not for verifying signatures")},
        {set_of(R"({"kty":"OKP","crv":"Ed25519"})"), none("of the first, its x is not base64url without padding")},
        {set_of(R"({"kty":"OKP","crv":"Ed25519","x":"A A="})"),
         none("of the first, its x is not base64url without padding")},
        {set_of(R"({"kty":"OKP","crv":"Ed25519","x":"AAAA"})"),
         none("of the first, x of an Ed25519 key must have 32 bytes")},
        {set_of(ed.jwk(R"("kid":"a")") + "," + TokenMaker::eddsa().jwk(R"("kid":"a")")),
         "the kid \"a\" names two keys of the set"},
    };
    for (const auto& row : rows) EXPECT_EQ(refusal(row.text, JwtAlgorithm::eddsa), row.reason) << row.text;
    EXPECT_NE(refusal(R"({"keys":[],"keys":[]})", JwtAlgorithm::eddsa).find("appears twice"), std::string::npos);
    EXPECT_NE(refusal(std::string(kJwksBytesMax + 1, ' '), JwtAlgorithm::eddsa).find("too many"), std::string::npos);
}

TEST(Jwks, NumbersThatAreNoKeyAreRefused) {
    EXPECT_EQ(refusal(set_of(R"({"kty":"oct","k":"AAAA"})"), JwtAlgorithm::hs256),
              "no key of the set can verify HS256: of the first, the secret has 3 bytes; HS256 needs at least 32");
    const auto zeros = std::string(43, 'A');
    EXPECT_EQ(
        refusal(set_of(R"({"kty":"OKP","crv":"Ed25519","x":")" + zeros + "\"}"), JwtAlgorithm::eddsa),
        "no key of the set can verify EdDSA: of the first, this Ed25519 key accepts signatures that anyone can forge");
    EXPECT_EQ(refusal(set_of(R"({"kty":"EC","crv":"P-256","x":")" + zeros + R"(","y":")" + zeros + "\"}"),
                      JwtAlgorithm::es256),
              "no key of the set can verify ES256: of the first, x and y are not a point on P-256");
    EXPECT_EQ(refusal(set_of(TokenMaker::rs256(1024).jwk()), JwtAlgorithm::rs256),
              "no key of the set can verify RS256: of the first, the RSA key has 1024 bits; use 2048 to 8192");
    // With the exponent 1 every text would be its own signature.
    auto trivial = TokenMaker::rs256().jwk();
    trivial.replace(trivial.find("AQAB"), 4, "AQ");
    EXPECT_EQ(refusal(set_of(trivial), JwtAlgorithm::rs256),
              "no key of the set can verify RS256: of the first, the numbers are not those of a valid key");
    EXPECT_NE(
        refusal(set_of(R"({"kty":"RSA","n":")" + std::string(4000, 'A') + R"(","e":"AQAB"})"), JwtAlgorithm::rs256)
            .find("too large"),
        std::string::npos);
}

class FetchedKeys : public testing::Test {
protected:
    void publish(const std::string& published) { answer = set_of(published); }
    [[nodiscard]] bool knows(const std::string& kid) { return keys.find(kid).has_value(); }

    TokenMaker maker = TokenMaker::eddsa();
    test::SetSteadyClock clock;
    std::ostringstream lines;
    Log log{lines, LogLevel::info, LogFormat::text};
    int fetches = 0;
    Result<std::string> answer = std::string();
    IssuerKeys keys{"https://login.example.org/keys", JwtAlgorithm::eddsa,
                    [this](const std::string&) {
                        ++fetches;
                        return answer;
                    },
                    clock, log};
};

TEST_F(FetchedKeys, AreFetchedOnceAndAgainAfterTenMinutes) {
    publish(maker.jwk(R"("kid":"a")"));
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(knows("a"));
    EXPECT_EQ(fetches, 1);
    clock.at += kJwksMaxAge - Micros{1};
    EXPECT_TRUE(knows("a"));
    EXPECT_EQ(fetches, 1);
    clock.at += Micros{1};
    EXPECT_TRUE(knows("a"));
    EXPECT_EQ(fetches, 2);
}

TEST_F(FetchedKeys, AnUnknownKidAsksAgainButAtMostOnceAMinute) {
    publish(maker.jwk(R"("kid":"a")"));
    EXPECT_TRUE(knows("a"));
    publish(maker.jwk(R"("kid":"b")"));
    EXPECT_FALSE(knows("b"));  // just fetched
    EXPECT_EQ(fetches, 1);
    clock.at += kJwksPause;
    EXPECT_TRUE(knows("b"));
    EXPECT_FALSE(knows("a"));
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(knows("made-up-" + std::to_string(i)));
    EXPECT_EQ(fetches, 2);
}

TEST_F(FetchedKeys, TheLastGoodSetStaysWhileTheIssuerIsAway) {
    publish(maker.jwk(R"("kid":"a")"));
    EXPECT_TRUE(knows("a"));
    for (const auto& trouble :
         {Result<std::string>(Error{ErrorCode::unavailable, "connection refused"}),
          Result<std::string>(std::string("<html>")), Result<std::string>(std::string(R"({"keys":[]})"))}) {
        answer = trouble;
        clock.at += kJwksMaxAge;
        EXPECT_TRUE(knows("a"));
    }
    EXPECT_EQ(fetches, 4);
    EXPECT_NE(lines.str().find("connection refused"), std::string::npos);
}

TEST_F(FetchedKeys, WithoutAnySetNobodyCanTell) {
    answer = Error{ErrorCode::unavailable, "connection refused"};
    for (int i = 0; i < 5; ++i) EXPECT_EQ(keys.find("a").error().code, ErrorCode::unavailable);
    EXPECT_EQ(fetches, 1);  // an issuer that is away is not asked with every token
    publish(maker.jwk(R"("kid":"a")"));
    clock.at += kJwksPause;
    EXPECT_TRUE(knows("a"));
}

TEST(IssuerKeys, AreFetchedInTheBackgroundAndNoRequestWaits) {
    const auto maker = TokenMaker::eddsa();
    const test::SetSteadyClock clock;
    std::ostringstream lines;
    const Log log{lines, LogLevel::info, LogFormat::text};
    std::vector<std::function<void()>> jobs;
    const auto keys = std::make_shared<IssuerKeys>(
        "https://login.example.org/keys", JwtAlgorithm::eddsa,
        [&](const std::string&) { return Result<std::string>(set_of(maker.jwk(R"("kid":"a")"))); }, clock, log,
        [&jobs](std::function<void()> job) { jobs.push_back(std::move(job)); });
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(keys->find("a").error().message, "the keys of the issuer are being fetched; retry later");
    ASSERT_EQ(jobs.size(), 1U);
    jobs.front()();
    EXPECT_TRUE(keys->find("a"));
    EXPECT_EQ(keys->find("b").error().code, ErrorCode::unauthenticated);
}

}  // namespace
}  // namespace belfry::api::auth
