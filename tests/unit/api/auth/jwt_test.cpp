#include "api/auth/jwt.hpp"

#include <gtest/gtest.h>

#include "base/text/base64.hpp"
#include "support/fakes/token_maker.hpp"

namespace belfry::api::auth::jwt_test {
namespace {

using test::TokenMaker;

const Instant kNow = parse_instant("2026-11-15T12:00:00Z").value();

std::string seconds(Seconds from_now) { return std::to_string(epoch_s(kNow) + from_now.count()); }

// The claims of a good token, with some members replaced or, where the text is empty, left out.
std::string claims(const std::map<std::string, std::string>& changes = {}) {
    std::map<std::string, std::string> members{{"iss", R"("https://login.example.org")"},
                                               {"aud", R"("belfry")"},
                                               {"sub", R"("ada")"},
                                               {"exp", seconds(Seconds{300})},
                                               {"belfry", R"({"acme": ["viewer", "operator"]})"}};
    for (const auto& [name, text] : changes) members[name] = text;
    std::string json;
    for (const auto& [name, text] : members) {
        if (!text.empty()) json += (json.empty() ? "{\"" : ",\"") + name + "\":" + text;
    }
    return json + "}";
}

std::string header(const std::string& more = R"("alg":"RS256","typ":"JWT")") { return "{" + more + "}"; }

Issuer issuer_of(KeySet keys, JwtAlgorithm algorithm) {
    return {.issuer = "https://login.example.org",
            .name = "login.example.org",
            .audience = "belfry",
            .algorithm = algorithm,
            .keys = std::make_shared<IssuerKeys>(std::move(keys))};
}

// Making an RSA key takes long enough to do it once.
const TokenMaker& rsa() {
    static const auto maker = TokenMaker::rs256();
    return maker;
}

class JwtTest : public testing::Test {
protected:
    [[nodiscard]] Result<model::Principal> verify(const std::string& token) const {
        return verify_token(token, {&issuer, 1}, kNow);
    }
    // The reason for the log; empty when it is accepted.
    [[nodiscard]] std::string refusal(const std::string& token) const {
        const auto principal = verify(token);
        if (principal) return "";
        EXPECT_EQ(principal.error().code, ErrorCode::unauthenticated);
        return principal.error().message;
    }

    Issuer issuer = issuer_of(KeySet(rsa().checker()), JwtAlgorithm::rs256);
};

TEST_F(JwtTest, AGoodTokenSpeaksOfAUserWithRolesByTenant) {
    EXPECT_EQ(
        verify(rsa().token(header(), claims())).value(),
        (model::Principal{"user:ada@login.example.org", {{"acme", {model::Role::viewer, model::Role::operator_}}}}));
}

TEST(Jwt, EachOfTheFourAlgorithmsIsChecked) {
    for (const auto& maker : {TokenMaker::hs256(), TokenMaker::es256(), TokenMaker::eddsa()}) {
        const auto name = std::string(name_of(maker.algorithm()));
        const auto issuer = issuer_of(KeySet(maker.checker()), maker.algorithm());
        auto token = maker.token(R"({"alg":")" + name + R"("})", claims());
        EXPECT_TRUE(verify_token(token, {&issuer, 1}, kNow)) << name;
        token[token.size() - 10] = token[token.size() - 10] == 'A' ? 'B' : 'A';
        EXPECT_EQ(verify_token(token, {&issuer, 1}, kNow).error().message, "its signature is wrong") << name;
    }
}

TEST_F(JwtTest, WhatIsWrongWithTheClaimsIsRefused) {
    struct Row {
        std::map<std::string, std::string> changes;
        std::string reason;
    };
    const Row rows[] = {
        {{{"exp", ""}}, "it has no numeric exp"},
        {{{"exp", R"("1900000000")"}}, "it has no numeric exp"},
        {{{"exp", "null"}}, "it has no numeric exp"},
        {{{"exp", seconds(-kTokenLeeway)}}, "it has expired"},
        {{{"exp", seconds(-kTokenLeeway + Seconds{1})}}, ""},
        {{{"exp", seconds(-kTokenLeeway) + ".5"}}, ""},
        {{{"exp", "1e300"}}, ""},
        {{{"exp", "-1"}}, "it has expired"},
        {{{"nbf", seconds(kTokenLeeway + Seconds{1})}}, "it is not valid yet"},
        {{{"nbf", seconds(kTokenLeeway)}}, ""},
        {{{"nbf", "\"now\""}}, "its nbf is not a number"},
        {{{"aud", ""}}, "it is not for the audience \"belfry\""},
        {{{"aud", R"("other")"}}, "it is not for the audience \"belfry\""},
        {{{"aud", R"("Belfry")"}}, "it is not for the audience \"belfry\""},
        {{{"aud", R"(["other", 5, "belfry"])"}}, ""},
        {{{"aud", R"([])"}}, "it is not for the audience \"belfry\""},
        {{{"aud", R"({"belfry": true})"}}, "it is not for the audience \"belfry\""},
        {{{"iss", R"("https://login.example.org/")"}}, "its issuer \"https://login.example.org/\" is not configured"},
        {{{"iss", ""}}, "its issuer \"\" is not configured"},
        {{{"iss", R"(["https://login.example.org"])"}}, "its issuer \"\" is not configured"},
        {{{"sub", ""}}, "its claim \"sub\" is not a valid name"},
        {{{"sub", R"("")"}}, "its claim \"sub\" is not a valid name"},
        {{{"sub", R"("a\nb")"}}, "its claim \"sub\" is not a valid name"},
        {{{"sub", "5"}}, "its claim \"sub\" is not a valid name"},
        {{{"belfry", R"("admin")"}}, "its roles name no tenant, and neither does the issuer's entry"},
        {{{"belfry", R"(["admin"])"}}, "its roles name no tenant, and neither does the issuer's entry"},
        {{{"belfry", R"({"acme": "admin"})"}}, "its roles are not a list"},
        {{{"belfry", R"({"acme": [5]})"}}, "its roles are not a list of texts"},
    };
    for (const auto& row : rows)
        EXPECT_EQ(refusal(rsa().token(header(), claims(row.changes))), row.reason) << claims(row.changes);
}

TEST_F(JwtTest, TheHeaderMaySayOnlyWhatIsExpected) {
    struct Row {
        std::string members;
        std::string reason;
    };
    const Row rows[] = {
        {R"("alg":"RS256")", ""},
        {R"("alg":"RS256","typ":"at+jwt","kid":"whatever","x5t":"thumb")", ""},
        {R"("typ":"JWT")", "its alg is missing, but this issuer signs with RS256"},
        {R"("alg":"none")", "its alg is \"none\", but this issuer signs with RS256"},
        {R"("alg":"None")", "its alg is \"None\", but this issuer signs with RS256"},
        {R"("alg":"rs256")", "its alg is \"rs256\", but this issuer signs with RS256"},
        {R"("alg":"RS512")", "its alg is \"RS512\", but this issuer signs with RS256"},
        {R"("alg":"HS256")", "its alg is \"HS256\", but this issuer signs with RS256"},
        {R"("alg":["RS256"])", "its alg is missing, but this issuer signs with RS256"},
        {R"("alg":"RS256","jku":"https://evil.example/keys")", "its header has jku"},
        {R"("alg":"RS256","x5u":"https://evil.example/cert")", "its header has x5u"},
        {R"("alg":"RS256","jwk":{"kty":"oct","k":"AAAA"})", "its header has jwk"},
        {R"("alg":"RS256","x5c":[])", "its header has x5c"},
        {R"("alg":"RS256","crit":["b64"],"b64":false)", "its header has crit"},
        {R"("alg":"RS256","kid":5)", "its kid is not a short text"},
        {R"("alg":"RS256","kid":")" + std::string(300, 'k') + '"', "its kid is not a short text"},
        {R"("alg":"RS256","typ":"logout+jwt")", "its typ \"logout+jwt\" is not for access"},
        {R"("alg":"RS256","typ":5)", "its typ \"?\" is not for access"},
        {R"("alg":"RS256","alg":"none")", "its header is not strict JSON"},
    };
    for (const auto& row : rows)
        EXPECT_EQ(refusal(rsa().token(header(row.members), claims())), row.reason) << row.members;
}

TEST_F(JwtTest, AnUnsignedTokenIsRefusedHoweverItIsWritten) {
    for (const auto* const alg : {"none", "NONE", "", "RS256"}) {
        const auto text = to_base64url(header(std::string(R"("alg":")") + alg + '"')) + "." + to_base64url(claims());
        EXPECT_EQ(refusal(text + "."), "it has no signature");
        EXPECT_EQ(refusal(text), "it does not have three parts");
    }
}

TEST_F(JwtTest, APublicKeyIsNeverTakenForASharedSecret) {
    const auto confused = TokenMaker::hs256(rsa().public_pem());
    EXPECT_EQ(refusal(confused.token(header(R"("alg":"HS256")"), claims())),
              "its alg is \"HS256\", but this issuer signs with RS256");
    EXPECT_EQ(refusal(confused.token(header(R"("alg":"RS256")"), claims())), "its signature is wrong");
    // Even where a mistake of ours paired them: the key knows what it is for.
    issuer.algorithm = JwtAlgorithm::hs256;
    EXPECT_EQ(refusal(confused.token(header(R"("alg":"HS256")"), claims())), "the key is not for its alg");
}

TEST_F(JwtTest, AnotherKeysSignatureIsWrong) {
    EXPECT_EQ(refusal(TokenMaker::rs256().token(header(), claims())), "its signature is wrong");
}

TEST_F(JwtTest, ChangedClaimsNeedANewSignature) {
    const auto good = rsa().token(header(), claims());
    const auto other =
        to_base64url(header()) + "." + to_base64url(claims({{"sub", R"("eve")"}})) + good.substr(good.rfind('.'));
    EXPECT_EQ(refusal(other), "its signature is wrong");
}

TEST_F(JwtTest, TheTextIsStrict) {
    const auto good = rsa().token(header(), claims());
    const auto first = good.substr(0, good.find('.'));
    EXPECT_EQ(refusal(""), "it does not have three parts");
    EXPECT_EQ(refusal("..."), "it does not have three parts");
    EXPECT_EQ(refusal(good + ".x"), "it does not have three parts");
    EXPECT_EQ(refusal(".."), "its header is not strict JSON");
    EXPECT_EQ(refusal(good + "="), "its signature is not base64url without padding");
    EXPECT_EQ(refusal(good + "\n"), "its signature is not base64url without padding");
    EXPECT_EQ(refusal("+" + good.substr(1)), "its header is not base64url without padding");
    // 256 bytes leave four bits over in the last letter; setting one of them must not go unnoticed.
    auto loose = good;
    loose.back() = loose.back() == 'A' ? 'B' : static_cast<char>(loose.back() + 1);
    EXPECT_EQ(refusal(loose), "its signature is not base64url without padding");
    EXPECT_EQ(refusal(rsa().token(header(), R"({"iss":"https://login.example.org","iss":"x"})")),
              "its payload is not strict JSON");
    EXPECT_EQ(refusal(rsa().token(header(), "[]")), "its payload is not an object");
    EXPECT_EQ(refusal(rsa().token("5", claims())), "its header is not an object");
    EXPECT_EQ(refusal(rsa().token(header(), std::string(10, '[') + std::string(10, ']'))),
              "its payload is not strict JSON");
    EXPECT_EQ(refusal(rsa().token(header(), claims({{"more", '"' + std::string(kTokenMax, 'x') + '"'}}))),
              "it is longer than 8192 bytes");
}

TEST_F(JwtTest, AnEs256SignatureIsTwoNumbersOfFixedLength) {
    const auto maker = TokenMaker::es256();
    issuer = issuer_of(KeySet(maker.checker()), JwtAlgorithm::es256);
    const auto text = to_base64url(header(R"("alg":"ES256")")) + "." + to_base64url(claims());
    const auto raw = maker.sign(text);
    EXPECT_EQ(refusal(text + "." + to_base64url(raw)), "");
    for (const auto& wrong : {raw.substr(1), raw + '\0', std::string(64, '\0'), std::string("x"), '\0' + raw}) {
        EXPECT_EQ(refusal(text + "." + to_base64url(wrong)), "its signature is wrong");
    }
}

TEST_F(JwtTest, ASetOfKeysIsAskedByKid) {
    const auto other = TokenMaker::rs256();
    const auto set = R"({"keys":[)" + rsa().jwk(R"("kid":"a")") + "," + other.jwk(R"("kid":"b")") + "]}";
    issuer = issuer_of(parse_jwks(set, JwtAlgorithm::rs256).value(), JwtAlgorithm::rs256);
    EXPECT_EQ(refusal(rsa().token(header(R"("alg":"RS256","kid":"a")"), claims())), "");
    EXPECT_EQ(refusal(other.token(header(R"("alg":"RS256","kid":"b")"), claims())), "");
    EXPECT_EQ(refusal(other.token(header(R"("alg":"RS256","kid":"a")"), claims())), "its signature is wrong");
    EXPECT_EQ(refusal(rsa().token(header(R"("alg":"RS256","kid":"c")"), claims())),
              "the issuer has no key with the kid \"c\"");
    EXPECT_EQ(refusal(rsa().token(header(R"("alg":"RS256","kid":"")"), claims())),
              "the issuer has no key with the kid \"\"");
    EXPECT_EQ(refusal(rsa().token(header(R"("alg":"RS256")"), claims())),
              "it has no kid, and the issuer has several keys");
}

TEST_F(JwtTest, AnIssuerOfOneTenantSpeaksForNoOther) {
    issuer.tenant = "acme";
    const auto roles = [&](const std::string& said) {
        return verify(rsa().token(header(), claims({{"belfry", said}}))).value().roles;
    };
    EXPECT_EQ(roles(R"(["viewer", "uma_authorization"])"), (model::Roles{{"acme", {model::Role::viewer}}}));
    EXPECT_EQ(roles(R"({"acme": ["approver"], "other": ["admin"], "*": ["admin"]})"),
              (model::Roles{{"acme", {model::Role::approver}}}));
    EXPECT_EQ(roles(""), model::Roles{});
    issuer.roles = {model::Role::worker};
    EXPECT_EQ(roles(""), (model::Roles{{"acme", {model::Role::worker}}}));
    EXPECT_EQ(roles("[]"), (model::Roles{{"acme", {}}}));
}

TEST_F(JwtTest, ClaimsMayHaveOtherNames) {
    issuer.name_claim = "email";
    issuer.roles_claim = "/realm_access/roles";
    issuer.tenant = "acme";
    const auto token = rsa().token(header(), claims({{"email", R"("ada@example.org")"},
                                                     {"realm_access", R"({"roles": ["admin"]})"},
                                                     {"belfry", ""},
                                                     {"sub", ""}}));
    EXPECT_EQ(verify(token).value(),
              (model::Principal{"user:ada@example.org@login.example.org", {{"acme", {model::Role::admin}}}}));
}

TEST(Jwt, TheSameUserOfTwoIssuersIsTwoUsers) {
    const auto maker = TokenMaker::eddsa();
    std::vector<Issuer> issuers;
    for (const auto* const name : {"https://login.example.org", "https://other.example.org/realms/a"}) {
        issuers.push_back(issuer_of(KeySet(maker.checker()), JwtAlgorithm::eddsa));
        issuers.back().issuer = name;
        issuers.back().name = usual_issuer_name(name);
    }
    const auto user = [&](const std::string& issuer, const std::string& sub) {
        const auto token =
            maker.token(R"({"alg":"EdDSA"})", claims({{"iss", '"' + issuer + '"'}, {"sub", '"' + sub + '"'}}));
        return verify_token(token, issuers, kNow).value().name;
    };
    EXPECT_EQ(user("https://login.example.org", "ada"), "user:ada@login.example.org");
    EXPECT_EQ(user("https://other.example.org/realms/a", "ada"), "user:ada@other.example.org/realms/a");
    // What stands in a token cannot make its user look like another issuer's: the last @ ends it.
    EXPECT_EQ(user("https://other.example.org/realms/a", "ada@login.example.org"),
              "user:ada@login.example.org@other.example.org/realms/a");
}

TEST(Jwt, Ed25519IsAnotherNameOfEdDsaAndOfNothingElse) {
    const auto maker = TokenMaker::eddsa();
    const std::vector<Issuer> issuers{issuer_of(KeySet(maker.checker()), JwtAlgorithm::eddsa)};
    for (const auto* const alg : {"EdDSA", "Ed25519"})
        EXPECT_TRUE(verify_token(maker.token(R"({"alg":")" + std::string(alg) + R"("})", claims({})), issuers, kNow))
            << alg;
    for (const auto* const alg : {"ed25519", "Ed448", "RS256", "none", ""})
        EXPECT_FALSE(verify_token(maker.token(R"({"alg":")" + std::string(alg) + R"("})", claims({})), issuers, kNow))
            << alg;
    EXPECT_EQ(parse_jwt_algorithm("Ed25519").value(), JwtAlgorithm::eddsa) << "in the auth file";
}

TEST_F(JwtTest, NoReasonHoldsTheToken) {
    const auto good = rsa().token(header(), claims({{"exp", "5"}}));
    const auto signature = good.substr(good.rfind('.') + 1);
    for (const auto& token : {good, good + "=", signature + "." + signature + "." + signature, "x." + signature}) {
        EXPECT_EQ(refusal(token).find(signature.substr(0, 20)), std::string::npos) << refusal(token);
    }
}

}  // namespace
}  // namespace belfry::api::auth::jwt_test
