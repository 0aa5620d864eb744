#include "app/server/connections_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/fakes/fake_http.hpp"
#include "support/worlds/temp_folder.hpp"

namespace belfry::app {
namespace {

using namespace std::chrono_literals;

class ConnectionsFileTest : public testing::Test {
protected:
    [[nodiscard]] Result<LoadedConnections> load(const std::string& text) {
        std::ofstream(path) << text;
        return load_connections_file(path, {guarded, anywhere});
    }
    // Without the name of the file, which every message begins with.
    [[nodiscard]] std::string error(const std::string& text) {
        const auto loaded = load(text);
        if (loaded) return "";
        EXPECT_TRUE(loaded.error().message.starts_with(path + ", ")) << loaded.error().message;
        return loaded.error().message.substr(path.size() + 2);
    }

    // Calls whatever address it is told.
    class Anywhere final : public HttpClient {
    public:
        Result<HttpAnswer> send(const HttpCall&) override { return HttpAnswer{}; }
        Result<void> check(const Url&) const override { return {}; }
    };

    test::TempFolder folder;
    std::string path = folder.file("connections.toml");
    test::FakeHttp guarded;
    Anywhere anywhere;
};

TEST_F(ConnectionsFileTest, WithoutAFileThereAreNoConnections) {
    const auto loaded = load_connections_file("", {guarded, anywhere});
    ASSERT_TRUE(loaded);
    EXPECT_TRUE(loaded->connections.empty());
    EXPECT_FALSE(load_connections_file(folder.file("missing.toml"), {guarded, anywhere}));
}

TEST_F(ConnectionsFileTest, ConnectionsAreReadWithTheirDefaultsAndWithoutTheirSecrets) {
    std::ofstream(folder.file("secret")) << "whsec_" + std::string(32, 'A') + "\n";
    std::ofstream(folder.file("password")) << "hush\n";
    const auto loaded = load(R"(
[connections.orders]
kind = "redis"
url = "redis://belfry:hush@broker.internal/2"

[connections.jobs]
kind = "rabbitmq"
url = "amqp://belfry@broker.internal"
password_file = ")" + folder.file("password") +
                             R"("
tenants = ["default"]
callbacks = true
graph = true
retry_for = "PT5M"
callback_timeout = "2h"
options = { exchange = "jobs" }

[connections.launcher]
kind = "http"
url = "http://10.0.0.7:8080/runs?key=hush"
allow_private = true
calls = 3
timeout = "PT2S"
signing_secret_file = ")" + folder.file("secret") +
                             "\"\n");
    ASSERT_TRUE(loaded) << loaded.error().message;
    const auto& orders = loaded->connections.at("orders");
    EXPECT_EQ(orders.kind, "redis");
    EXPECT_TRUE(orders.broker);
    EXPECT_FALSE(orders.callbacks);
    EXPECT_FALSE(orders.graph) << "brokers limit the size of messages";
    EXPECT_EQ(orders.retry_for, 1h);
    EXPECT_EQ(orders.callback_timeout, 24h);
    EXPECT_EQ(orders.broker_call_max, 15s);
    EXPECT_TRUE(orders.is_for("whoever"));
    const auto& jobs = loaded->connections.at("jobs");
    EXPECT_TRUE(jobs.callbacks);
    EXPECT_TRUE(jobs.graph);
    EXPECT_EQ(jobs.retry_for, 5min);
    EXPECT_EQ(jobs.callback_timeout, 2h);
    EXPECT_FALSE(jobs.is_for("acme"));
    const auto& launcher = loaded->connections.at("launcher");
    ASSERT_TRUE(launcher.launcher);
    EXPECT_TRUE(launcher.graph);
    EXPECT_EQ(launcher.retry_for, 30s);
    EXPECT_EQ(launcher.launcher->calls, 3U);
    EXPECT_EQ(launcher.launcher->timeout, 2s);
    EXPECT_EQ(launcher.launcher->retries, 3);
    EXPECT_EQ(launcher.launcher->retry_pause, 1s);
    EXPECT_EQ(launcher.launcher->http, &anywhere);
    EXPECT_FALSE(launcher.launcher->signing_key.empty());
    for (const auto& [name, connection] : loaded->connections)
        EXPECT_EQ(connection.place.find("hush"), std::string::npos) << connection.place;
}

TEST_F(ConnectionsFileTest, EnginesOfWorkflowsHaveANamespaceAndATokenAndNoCallbacks) {
    std::ofstream(folder.file("token")) << "hush\n";
    const std::string head =
        "[connections.engine]\nkind = \"durable\"\nurl = \"http://10.0.0.7:8080\"\n"
        "allow_private = true\n";
    const auto loaded = load(head + "namespace = \"prod\"\ntoken_file = \"" + folder.file("token") + "\"\n");
    ASSERT_TRUE(loaded) << loaded.error().message;
    const auto& engine = loaded->connections.at("engine");
    ASSERT_TRUE(engine.launcher);
    EXPECT_EQ(engine.launcher->preset_namespace, "prod");
    EXPECT_EQ(engine.launcher->token, "hush");
    EXPECT_EQ(
        error(head + "callbacks = true\n"),
        "line 5, connections/engine/callbacks: a connection of kind durable gets no reports: its engine knows how "
        "a workflow ends; remove callbacks");
    EXPECT_EQ(error("[connections.a]\nkind = \"http\"\nurl = \"https://example.com\"\nnamespace = \"n\"\n"),
              "line 4, connections/a/namespace: a connection of kind http has no such member: remove it");
}

TEST_F(ConnectionsFileTest, MistakesAreToldWithTheirPlaceAndTheFix) {
    EXPECT_EQ(error("[connections.builtin]\nkind = \"redis\"\nurl = \"redis://x\"\n"),
              "line 1, connections/builtin: builtin is reserved for the built-in queue: choose another name");
    EXPECT_EQ(error("[connections.a]\nkind = \"nats\"\nurl = \"redis://x\"\n"),
              "line 2, connections/a/kind: this URL is for a connection of kind redis: change the URL or the kind");
    EXPECT_EQ(error("[connections.a]\nkind = \"redis\"\nurl = \"redis://x\"\ncalls = 3\n"),
              "line 4, connections/a/calls: a connection of kind redis has no such member: remove it");
    EXPECT_EQ(error("[connections.a]\nkind = \"redis\"\nurl = \"redis://x\"\ntenants = []\n"),
              "line 4, connections/a/tenants: name at least one tenant, or remove tenants to allow all");
    EXPECT_EQ(error("[connections.a]\nkind = \"http\"\nurl = \"http://10.0.0.7/\"\n"),
              "line 3, connections/a/url: the address is not public; allow_private = true lets this connection call "
              "private addresses");
    EXPECT_NE(error("[connections.a]\nkind = \"kafka\"\nurl = \"kafka://x\"\n").find("line 2, connections/a/kind"),
              std::string::npos);
    EXPECT_NE(error("[connections.a]\nkind = \"redis\"\n").find("connections/a"), std::string::npos);
    EXPECT_NE(error("[connections.a]\nkind = \"redis\"\nurl = \"redis://x\"\nretry_for = \"soon\"\n")
                  .find("line 4, connections/a/retry_for"),
              std::string::npos);
    EXPECT_NE(error("[connections.a]\nkind = \"redis\"\nurl = \"redis://x\"\npassword_file = \"/nowhere/at/all\"\n")
                  .find("line 4"),
              std::string::npos);
}

TEST_F(ConnectionsFileTest, AFileThatEverybodyCanChangeIsRefused) {
    std::ofstream(path) << "";
    std::filesystem::permissions(path, std::filesystem::perms::others_write, std::filesystem::perm_options::add);
    const auto loaded = load_connections_file(path, {guarded, anywhere});
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().message, path + " is writable by every user of this machine: chmod o-w " + path);
}

}  // namespace
}  // namespace belfry::app
