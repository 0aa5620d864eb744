#include "app/server/connections_file.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/contract/shape.hpp"
#include "api/contract/values.hpp"
#include "app/cli/text_file.hpp"
#include "app/settings/toml_file.hpp"
#include "base/text/ascii.hpp"
#include "base/text/name.hpp"
#include "base/time/duration.hpp"
#include "engine/outgoing/launcher_presets.hpp"
#include "engine/outgoing/webhook_signature.hpp"
#include "model/run/task.hpp"
#include "model/schedule/reference.hpp"

namespace belfry::app {

namespace {

using api::Presence;

constexpr std::int64_t kConnectionsMax = 100;
constexpr std::int64_t kTenantsMax = 1'000;
constexpr std::int64_t kCallsMax = 1'000;
constexpr std::int64_t kRetriesMax = 1'000;
constexpr Micros kTimeMax = std::chrono::hours{24 * 30};

std::optional<Error> check_time(std::string_view text) {
    const auto time = parse_duration(text);
    if (!time) return invalid(time.error().message);
    if (*time < std::chrono::milliseconds{1} || *time > kTimeMax) return invalid("must be from 1 ms to 30 days");
    return std::nullopt;
}

api::ShapePtr connection_shape() {
    const auto time = api::checked_text("duration", &check_time);
    return api::record("", {{"kind", api::one_of({"redis", "rabbitmq", "nats", "http", "durable", "temporal"}), "",
                             Presence::required},
                            {"url", api::text(), "", Presence::required},
                            {"password_file", api::text(), ""},
                            {"tenants", api::list_of(api::name_text(), kTenantsMax), ""},
                            {"callbacks", api::boolean(), ""},
                            {"graph", api::boolean(), ""},
                            {"retry_for", time, ""},
                            {"callback_timeout", time, ""},
                            {"options", api::map_of(api::anything()), ""},
                            {"signing_secret_file", api::text(), ""},
                            {"token_file", api::text(), ""},
                            {"namespace", api::name_text(), ""},
                            {"allow_private", api::boolean(), ""},
                            {"calls", api::integer(1, kCallsMax), ""},
                            {"timeout", time, ""},
                            {"retries", api::integer(0, kRetriesMax), ""},
                            {"retry_pause", time, ""}});
}

const api::Shape& connections_file_shape() {
    static const auto shape = api::record("", {{"connections", api::map_of(connection_shape(), kConnectionsMax), ""}});
    return *shape;
}

Micros time_at(const api::Values& values, const char* name, Micros otherwise) {
    const auto text = values.text(name);
    return text ? parse_duration(*text).value() : otherwise;
}

Result<std::string> secret_in(const api::Values& values, const char* name) {
    const auto path = values.text(name);
    if (!path) return std::string();
    auto text = read_text_file(*path);
    if (!text) return in_field(invalid(text.error().message), std::string("/") + name);
    while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
    if (text->empty()) return in_field(invalid(*path + " is empty: write the secret into it"), std::string("/") + name);
    return text;
}

Result<void> refuse(const api::Values& values, std::initializer_list<const char*> names, const std::string& kind) {
    for (const auto* const name : names) {
        if (values.has(name))
            return in_field(invalid("a connection of kind " + kind + " has no such member: remove it"),
                            std::string("/") + name);
    }
    return {};
}

// Engines with a preset run the workflow on their own: they report to their own clients, and check no signature.
Result<void> check_preset(const engine::Connection& connection, const api::Values& values) {
    if (!engine::has_preset(connection.kind)) return refuse(values, {"namespace"}, connection.kind);
    if (connection.callbacks) {
        return in_field(invalid("a connection of kind " + connection.kind +
                                " gets no reports: its engine knows how a workflow ends; remove callbacks"),
                        "/callbacks");
    }
    return refuse(values, {"signing_secret_file"}, connection.kind);
}

Result<void> add_launcher(engine::Connection& connection, const api::Values& values, const LauncherClients& clients) {
    if (auto wrong = refuse(values, {"options", "password_file"}, connection.kind); !wrong) return wrong;
    auto url = parse_url(*values.text("url"));
    if (!url) return in_field(invalid(url.error().message), "/url");
    const bool anywhere = values.boolean("allow_private").value_or(false);
    auto& http = anywhere ? clients.anywhere : clients.guarded;
    if (auto may = http.check(*url); !may) {
        return in_field(invalid(may.error().message +
                                (anywhere ? "" : "; allow_private = true lets this connection call private addresses")),
                        "/url");
    }
    if (auto wrong = check_preset(connection, values); !wrong) return wrong;
    auto token = secret_in(values, "token_file");
    if (!token) return token.error();
    if (auto fits = check_header({"Authorization", "Bearer " + *token}); !fits)
        return in_field(invalid("the token cannot be sent in a header: write it as one line"), "/token_file");
    auto secret = secret_in(values, "signing_secret_file");
    if (!secret) return secret.error();
    std::string key;
    if (!secret->empty()) {
        auto bytes = engine::webhook_key(*secret);
        if (!bytes) return in_field(invalid(bytes.error().message), "/signing_secret_file");
        key = std::move(*bytes);
    }
    connection.place = format_url(*url);
    connection.place.resize(std::min(connection.place.size(), connection.place.find('?')));  // it may hold a secret
    connection.retry_for = time_at(values, "retry_for", engine::kLauncherRetryFor);
    connection.launcher = {
        .url = std::move(*url),
        .signing_key = std::move(key),
        .token = std::move(*token),
        .preset_namespace = values.text("namespace").value_or("default"),
        .http = &http,
        .calls = static_cast<std::size_t>(values.integer("calls").value_or(16)),
        .timeout = std::chrono::ceil<std::chrono::milliseconds>(time_at(values, "timeout", Seconds{10})),
        .retries = static_cast<int>(values.integer("retries").value_or(3)),
        .retry_pause = std::chrono::ceil<std::chrono::milliseconds>(time_at(values, "retry_pause", Seconds{1}))};
    return {};
}

Result<void> add_broker(engine::Connection& connection, const api::Values& values) {
    if (auto wrong = refuse(values,
                            {"token_file", "namespace", "signing_secret_file", "allow_private", "calls", "timeout",
                             "retries", "retry_pause"},
                            connection.kind);
        !wrong)
        return wrong;
    auto password = secret_in(values, "password_file");
    if (!password) return password.error();
    const auto* const given = values.any("options");
    auto options =
        brokers::parse_connection(*values.text("url"), given != nullptr ? given->get_object() : boost::json::object{},
                                  password->empty() ? Secret() : Secret(std::move(*password)));
    if (!options) return options.error();
    if (name_of(options->kind()) != connection.kind) {
        return in_field(invalid("this URL is for a connection of kind " + std::string(name_of(options->kind())) +
                                ": change the URL or the kind"),
                        "/kind");
    }
    connection.place = describe(*options);
    connection.broker_call_max = options->longest_call();
    connection.retry_for = time_at(values, "retry_for", engine::kBrokerRetryFor);
    auto broker = brokers::make_broker(std::move(*options));
    if (!broker) return in_field(broker.error(), "/url");
    connection.broker = std::move(*broker);
    return {};
}

Result<engine::Connection> read_connection(const std::string& name, const Json& json, const LauncherClients& clients) {
    if (!model::is_node_id(name)) return invalid("the name " + in_quotes(name) + ": " + model::kNodeIdRule);
    if (name == model::kBuiltIn) return invalid("builtin is reserved for the built-in queue: choose another name");
    const api::Values values(json);
    engine::Connection connection{.name = name, .kind = *values.text("kind"), .place = {}};
    connection.callbacks = values.boolean("callbacks").value_or(false);
    connection.graph = values.boolean("graph").value_or(connection.kind == "http");  // brokers limit their messages
    connection.callback_timeout = time_at(values, "callback_timeout", engine::kCallbackTimeout);
    for (const auto& tenant : values.array("tenants"))
        connection.tenants.emplace_back(std::string_view(tenant.get_string()));
    if (values.has("tenants") && connection.tenants.empty()) {
        return in_field(invalid("name at least one tenant, or remove tenants to allow all"), "/tenants");
    }
    const auto added = engine::is_launcher(connection.kind) ? add_launcher(connection, values, clients)
                                                            : add_broker(connection, values);
    if (!added) return added.error();
    return connection;
}

Result<LoadedConnections> read_connections(const Json& root, const LauncherClients& clients) {
    if (auto errors = api::check(root, connections_file_shape()); !errors.empty()) return errors.front();
    LoadedConnections loaded;
    if (const auto* const all = root.get_object().if_contains("connections")) {
        for (const auto& [name, json] : all->get_object()) {
            auto connection = read_connection(std::string(name), json, clients);
            if (!connection) return in_field(connection.error(), "/connections/" + std::string(name));
            loaded.connections.emplace(std::string(name), std::move(*connection));
        }
    }
    if (loaded.connections.empty())
        loaded.warnings.emplace_back(
            "the connections_file contains no connection: all tasks stay in the built-in queue");
    return loaded;
}

}  // namespace

Result<LoadedConnections> load_connections_file(const std::string& path, const LauncherClients& clients) {
    if (path.empty()) return LoadedConnections{};
    const auto tree = read_toml_tree(path);
    if (!tree) return tree.error();
    if (others_can_write(path)) return invalid(path + " is writable by every user of this machine: chmod o-w " + path);
    auto loaded = read_connections(tree->root, clients);
    if (loaded) return loaded;
    return in_toml_file(path, *tree, loaded.error());
}

}  // namespace belfry::app
