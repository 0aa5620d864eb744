#include "app/server/auth_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/fakes/token_maker.hpp"
#include "support/worlds/set_clocks.hpp"
#include "support/worlds/temp_folder.hpp"

namespace belfry::app {
namespace {

using model::Role;

class AuthFileTest : public testing::Test {
protected:
    void SetUp() override {
        write("key.pem", test::TokenMaker::eddsa().public_pem());
        write("secret", "0123456789abcdef0123456789abcdef");
        std::filesystem::permissions(folder.file("secret"),
                                     std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
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
    EXPECT_EQ(std::tie(us.issuer, us.audience, us.name_claim, us.roles_claim, us.tenant),
              std::tuple("us", "belfry", "sub", "belfry", ""));
    EXPECT_EQ(us.algorithm, api::auth::JwtAlgorithm::eddsa);
    EXPECT_EQ(us.name, "us");
    const auto& them = loaded->trusted.issuers[1];
    EXPECT_EQ(std::tie(them.name_claim, them.roles_claim, them.tenant),
              std::tuple("email", "/realm_access/roles", "acme"));
    EXPECT_EQ(them.roles, (std::set{Role::viewer, Role::operator_}));
    ASSERT_EQ(loaded->trusted.clients.size(), 1U);
    EXPECT_EQ(loaded->trusted.clients[0].roles, (model::Roles{{"acme", {Role::worker}}, {"*", {Role::viewer}}}));
}

TEST_F(AuthFileTest, TheUsersOfAnIssuerHaveItsNameOrItsAddress) {
    const auto issuer = [](const std::string& iss, const std::string& rest) {
        return "[[issuer]]\nissuer = \"" + iss + "\"\n" + rest +
               "audience = \"b\"\nalgorithm = \"EdDSA\"\nkey_file = \"key.pem\"\n";
    };
    const auto loaded = load(issuer("https://login.example.org/realms/a", "") +
                             issuer("https://login.example.org/realms/b", "name = \"staff\"\n"))
                            .value();
    EXPECT_EQ(loaded.trusted.issuers[0].name, "login.example.org/realms/a");
    EXPECT_EQ(loaded.trusted.issuers[1].name, "staff");
    EXPECT_EQ(error(issuer("a", "name = \"x@y\"\n")),
              "line 3, name: its users are user:<sub>@<name>, so the name must not contain @: set name");
    EXPECT_EQ(error(issuer("a@b", "")),
              "line 2, issuer: its users are user:<sub>@<name>, so the name must not contain @: set name");
    EXPECT_EQ(error(issuer("a", "") + issuer("https://a", "")),
              "line 7, issuer: another issuer has the name \"a\": set another name");
}

TEST_F(AuthFileTest, AnEmptyFileTrustsNobodyButIsThere) { EXPECT_TRUE(load("").value().trusted.configured); }

TEST_F(AuthFileTest, MistakesAreRefusedWithTheLineTheMemberAndTheFix) {
    struct Row {
        std::string text;
        std::string error;
    };
    const auto issuer = [](const std::string& keys) {
        return "[[issuer]]\nissuer = \"us\"\naudience = \"belfry\"\nalgorithm = \"EdDSA\"\n" + keys;
    };
    const auto client = [](const std::string& rest) { return "[[client]]\nname = \"w\"\n" + rest; };
    const Row rows[] = {
        {"[[issuers]]\n", "line 1, issuers: there is no member \"issuers\"; did you mean \"issuer\"?"},
        {"issuer = 5\n", "line 1, issuer: must be an array, not a number"},
        {"[[issuer]]\nissuer = \"us\"\n", "line 1, audience: \"audience\" is missing; add it"},
        {issuer(""), "line 2, issuer: set exactly one of key_file, secret_file, jwks_file and jwks_url"},
        {issuer("key_file = \"key.pem\"\njwks_file = \"x\""),
         "line 2, issuer: set exactly one of key_file, secret_file, jwks_file and jwks_url"},
        {issuer("key_fil = \"key.pem\""),
         "line 5, key_fil: there is no member \"key_fil\"; did you mean \"key_file\"?"},
        {issuer("key_file = 5"), "line 5, key_file: must be a text, not a number"},
        {issuer("key_file = \"none.pem\""), "line 5, key_file: cannot read the file " + folder.file("none.pem")},
        {issuer("secret_file = \"secret\""),
         "line 5, secret_file: EdDSA requires a public key: use key_file, jwks_file or jwks_url"},
        {issuer("jwks_url = \"ftp://x/keys\""),
         "line 5, jwks_url: use https://, so that an attacker on the network cannot replace the keys"},
        {issuer("jwks_url = \"http://login.example.org/keys\""),
         "line 5, jwks_url: use https://, so that an attacker on the network cannot replace the keys"},
        {issuer("jwks_url = \"keys\""), "line 5, jwks_url: is not a URL such as https://login.example.org/keys"},
        {issuer("key_file = \"key.pem\"\nroles = [\"viewer\"]"),
         "line 6, roles: add tenant, the tenant in which these roles apply"},
        {issuer("key_file = \"key.pem\"\ntenant = \"t\"\nroles = [\"owner\"]"),
         "line 7, roles: role \"owner\": use one of viewer, operator, approver, worker, admin"},
        {"[[issuer]]\nissuer = \"us\"\naudience = \"b\"\nalgorithm = \"none\"\nkey_file = \"key.pem\"",
         "line 4, algorithm: algorithm \"none\": use one of HS256, RS256, ES256, EdDSA"},
        {"[[issuer]]\nissuer = \"us\"\naudience = \"b\"\nalgorithm = \"RS256\"\nkey_file = \"key.pem\"",
         "line 5, key_file: " + folder.file("key.pem") + ": RS256 needs an RSA key"},
        {"[[issuer]]\nissuer = \"us\"\naudience = \"b\"\nalgorithm = \"HS256\"\nkey_file = \"key.pem\"",
         "line 5, key_file: HS256 requires a shared secret: use secret_file or jwks_file"},
        {std::string(kIssuer) + kIssuer, "line 9, issuer: this issuer is listed twice: keep one"},
        {client(""), "line 1, san: \"san\" is missing; add it"},
        {client("san = \"DNS:w\""), "line 1, roles: \"roles\" is missing; add it"},
        {client("san = \"w\"\nroles = {t = [\"viewer\"]}"),
         "line 3, san: put the kind before the name: DNS:…, URI:… or email:…"},
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
    std::filesystem::permissions(folder.file("secret"), std::filesystem::perms::others_read,
                                 std::filesystem::perm_options::add);
    const auto secret = folder.file("secret");
    EXPECT_EQ(load(text).value().warnings,
              std::vector{secret + " is readable by every user of this machine: chmod 600 " + secret});
    write("secret", "0123456789abcdef0123456789abcdef\n");
    EXPECT_EQ(load(text).value().warnings.back(), secret + " ends with a line break, which is part of the secret");
    write("secret", "canary");
    EXPECT_EQ(error(text), "line 5, secret_file: " + secret + ": the secret has 6 bytes; HS256 needs at least 32");
}

TEST_F(AuthFileTest, AFetchedSetSurvivesReadingTheFileAgain) {
    const auto text =
        "[[issuer]]\nissuer = \"us\"\naudience = \"b\"\nalgorithm = \"ES256\"\njwks_url = "
        "\"https://login.example.org/keys\"";
    const auto first = load(text).value();
    EXPECT_EQ(load(text, first.trusted).value().trusted.issuers[0].keys, first.trusted.issuers[0].keys);
    EXPECT_NE(load(std::string(text) + "\n", {}).value().trusted.issuers[0].keys, first.trusted.issuers[0].keys);
    fetch = {};
    EXPECT_EQ(error(text),
              "line 5, jwks_url: this server cannot fetch URLs: save the key set to a file and use jwks_file");
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
    EXPECT_NE(lines.str().find("cannot load the auth_file; the previous one stays in effect"), std::string::npos)
        << lines.str();
    write("auth.toml", "");
    file.reload();
    EXPECT_EQ(trust.current()->issuers.size(), 0U);
    EXPECT_TRUE(trust.current()->configured);
}

}  // namespace
}  // namespace belfry::app
