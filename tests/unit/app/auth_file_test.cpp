#include "app/auth_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/set_clocks.hpp"
#include "support/temp_folder.hpp"
#include "support/token_maker.hpp"

namespace belfry::app {
namespace {

using model::Role;

class AuthFileTest : public testing::Test {
protected:
    void SetUp() override {
        write("key.pem", test::TokenMaker::eddsa().public_pem());
        write("secret", "0123456789abcdef0123456789abcdef");
        std::filesystem::permissions(folder.file("secret"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    }
    void write(const std::string& name, const std::string& text) const { std::ofstream(folder.file(name)) << text; }
    [[nodiscard]] Result<LoadedTrust> load(const std::string& text, const api::auth::Trusted& before = {}) {
        write("auth.toml", text);
        return load_auth_file(path, {.fetch = fetch, .clock = clock, .log = log}, before);
    }
    // Without the name of the file, which every message begins with.
    [[nodiscard]] std::string error(const std::string& text) {
        const auto loaded = load(text);
        if (loaded) return "";
        EXPECT_TRUE(loaded.error().message.starts_with(path + ", ")) << loaded.error().message;
        return loaded.error().message.substr(path.size() + 2);
    }

    test::TempFolder folder;
    std::string path = folder.file("auth.toml");
    test::SetSteadyClock clock;
    std::ostringstream lines;
    Log log{lines, LogLevel::debug, LogFormat::text};
    api::auth::Fetch fetch = [](const std::string&) { return Result<std::string>(std::string("{}")); };
};

constexpr auto kIssuer = R"(
[[issuer]]
issuer = "us"
audience = "belfry"
algorithm = "EdDSA"
key_file = "key.pem"
)";

TEST_F(AuthFileTest, IssuersAndClientsAreReadWithTheirDefaults) {
    const auto loaded = load(std::string(kIssuer) + R"(
[[issuer]]
issuer = "them"
audience = "belfry"
algorithm = "HS256"
secret_file = "secret"
name_claim = "email"
roles_claim = "/realm_access/roles"
tenant = "acme"
roles = ["viewer", "operator"]

[[client]]
san = "DNS:worker.example.org"
name = "worker"
[client.roles]
acme = ["worker"]
"*" = ["viewer"]
)");
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_TRUE(loaded->trusted.configured);
    EXPECT_EQ(loaded->warnings, std::vector<std::string>{});
    ASSERT_EQ(loaded->trusted.issuers.size(), 2U);
    const auto& us = loaded->trusted.issuers[0];
    EXPECT_EQ(std::tie(us.issuer, us.audience, us.name_claim, us.roles_claim, us.tenant), std::tuple("us", "belfry", "sub", "belfry", ""));
    EXPECT_EQ(us.algorithm, api::auth::JwtAlgorithm::eddsa);
    const auto& them = loaded->trusted.issuers[1];
    EXPECT_EQ(std::tie(them.name_claim, them.roles_claim, them.tenant), std::tuple("email", "/realm_access/roles", "acme"));
    EXPECT_EQ(them.roles, (std::set{Role::viewer, Role::operator_}));
    ASSERT_EQ(loaded->trusted.clients.size(), 1U);
    EXPECT_EQ(loaded->trusted.clients[0].roles, (model::Roles{{"acme", {Role::worker}}, {"*", {Role::viewer}}}));
}

TEST_F(AuthFileTest, AnEmptyFileTrustsNobodyButIsThere) { EXPECT_TRUE(load("").value().trusted.configured); }

TEST_F(AuthFileTest, MistakesAreRefusedWithTheLineTheMemberAndTheFix) {
    struct Row {
        std::string text;
        std::string error;
    };
    const auto issuer = [](const std::string& keys) { return "[[issuer]]\nissuer = \"us\"\naudience = \"belfry\"\nalgorithm = \"EdDSA\"\n" + keys; };
    const auto client = [](const std::string& rest) { return "[[client]]\nname = \"w\"\n" + rest; };
    const Row rows[] = {
        {"[[issuers]]\n", "line 1, issuers: there is no member \"issuers\"; did you mean \"issuer\"?"},
        {"issuer = 5\n", "line 1, issuer: must be an array, not a number"},
        {"[[issuer]]\nissuer = \"us\"\n", "line 1, audience: \"audience\" is missing; add it"},
        {issuer(""), "line 2, issuer: say where the keys are, once: key_file, secret_file, jwks_file or jwks_url"},
        {issuer("key_file = \"key.pem\"\njwks_file = \"x\""),
         "line 2, issuer: say where the keys are, once: key_file, secret_file, jwks_file or jwks_url"},
        {issuer("key_fil = \"key.pem\""), "line 5, key_fil: there is no member \"key_fil\"; did you mean \"key_file\"?"},
        {issuer("key_file = 5"), "line 5, key_file: must be a text, not a number"},
        {issuer("key_file = \"none.pem\""), "line 5, key_file: cannot read the file " + folder.file("none.pem")},
        {issuer("secret_file = \"secret\""), "line 5, secret_file: EdDSA takes a public key: use key_file, jwks_file or jwks_url"},
        {issuer("jwks_url = \"ftp://x/keys\""), "line 5, jwks_url: use https://, so that nobody on the way can put their own keys in"},
        {issuer("jwks_url = \"http://login.example.org/keys\""),
         "line 5, jwks_url: use https://, so that nobody on the way can put their own keys in"},
        {issuer("jwks_url = \"keys\""), "line 5, jwks_url: is not a URL such as https://login.example.org/keys"},
        {issuer("key_file = \"key.pem\"\nroles = [\"viewer\"]"), "line 6, roles: say in which tenant these roles count: add tenant"},
        {issuer("key_file = \"key.pem\"\ntenant = \"t\"\nroles = [\"owner\"]"),
         "line 7, roles: role \"owner\": use one of viewer, operator, approver, worker, admin"},
        {"[[issuer]]\nissuer = \"us\"\naudience = \"b\"\nalgorithm = \"none\"\nkey_file = \"key.pem\"",
         "line 4, algorithm: algorithm \"none\": use one of HS256, RS256, ES256, EdDSA"},
        {"[[issuer]]\nissuer = \"us\"\naudience = \"b\"\nalgorithm = \"RS256\"\nkey_file = \"key.pem\"",
         "line 5, key_file: " + folder.file("key.pem") + ": RS256 needs an RSA key"},
        {"[[issuer]]\nissuer = \"us\"\naudience = \"b\"\nalgorithm = \"HS256\"\nkey_file = \"key.pem\"",
         "line 5, key_file: HS256 takes a shared secret: use secret_file or jwks_file"},
        {std::string(kIssuer) + kIssuer, "line 9, issuer: this issuer stands here twice; keep one"},
        {client(""), "line 1, san: \"san\" is missing; add it"},
        {client("san = \"DNS:w\""), "line 1, roles: \"roles\" is missing; add it"},
        {client("san = \"w\"\nroles = {t = [\"viewer\"]}"), "line 3, san: write the kind before the name: DNS:…, URI:… or email:…"},
        {client("san = \"DNS:w\"\nroles = {t = \"viewer\"}"), "line 4, t: must be an array, not a text"},
        {client("san = \"DNS:w\"\nroles = {t = []}"), "line 4, t: name at least one role"},
        {client("san = \"DNS:w\"\nroles = {}"), "line 4, roles: name at least one tenant with its roles"},
        {client("san = \"DNS:w\"\nroles = {t = [\"viewer\", \"boss\"]}"),
         "line 4, t: role \"boss\": use one of viewer, operator, approver, worker, admin"},
    };
    for (const auto& row : rows) EXPECT_EQ(error(row.text), row.error) << row.text;
    EXPECT_TRUE(error("[[issuer]\n").starts_with("line 1, column "));
}

TEST_F(AuthFileTest, ASecretThatOthersCanReadIsAWarning) {
    const auto text = "[[issuer]]\nissuer = \"us\"\naudience = \"b\"\nalgorithm = \"HS256\"\nsecret_file = \"secret\"";
    EXPECT_EQ(load(text).value().warnings, std::vector<std::string>{});
    std::filesystem::permissions(folder.file("secret"), std::filesystem::perms::others_read, std::filesystem::perm_options::add);
    const auto secret = folder.file("secret");
    EXPECT_EQ(load(text).value().warnings, std::vector{secret + " can be read by everybody on this machine: chmod 600 " + secret});
    write("secret", "0123456789abcdef0123456789abcdef\n");
    EXPECT_EQ(load(text).value().warnings.back(), secret + " ends with a line break, which is part of the secret");
    write("secret", "canary");
    EXPECT_EQ(error(text), "line 5, secret_file: " + secret + ": the secret has 6 bytes; HS256 needs at least 32");
}

TEST_F(AuthFileTest, AFetchedSetSurvivesReadingTheFileAgain) {
    const auto text = "[[issuer]]\nissuer = \"us\"\naudience = \"b\"\nalgorithm = \"ES256\"\njwks_url = \"https://login.example.org/keys\"";
    const auto first = load(text).value();
    EXPECT_EQ(load(text, first.trusted).value().trusted.issuers[0].keys, first.trusted.issuers[0].keys);
    EXPECT_NE(load(std::string(text) + "\n", {}).value().trusted.issuers[0].keys, first.trusted.issuers[0].keys);
    fetch = {};
    EXPECT_EQ(error(text), "line 5, jwks_url: this server fetches nothing; save the set to a file and use jwks_file");
}

TEST_F(AuthFileTest, AMistakeInTheNewFileChangesNothing) {
    write("auth.toml", kIssuer);
    api::auth::Trust trust;
    AuthFile file(path, {.fetch = fetch, .clock = clock, .log = log}, trust);
    ASSERT_TRUE(file.load());
    EXPECT_EQ(trust.current()->issuers.size(), 1U);
    write("auth.toml", std::string(kIssuer) + "[[client]]\n");
    file.reload();
    EXPECT_EQ(trust.current()->issuers.size(), 1U);
    EXPECT_NE(lines.str().find("the auth_file cannot be read; those who were trusted are still"), std::string::npos) << lines.str();
    write("auth.toml", "");
    file.reload();
    EXPECT_EQ(trust.current()->issuers.size(), 0U);
    EXPECT_TRUE(trust.current()->configured);
}

}  // namespace
}  // namespace belfry::app
