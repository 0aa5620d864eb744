// The flags, variables and contexts of commands that call a server: its URL, the caller's token, the tenant.
#pragma once

#include <CLI/App.hpp>
#include <memory>

#include "app/client/api_client.hpp"
#include "app/client/contexts.hpp"
#include "app/settings/settings_load.hpp"
#include "base/net/curl_http_client.hpp"

namespace belfry::app {

struct ServerFlags {
    std::string url;
    std::string token;
    std::string tenant;
    std::string authorities;
    std::string context;
};
// Adds --url, --token, --tenant, --ca-file and --context. `role` is the role that the key needs.
void add_server_flags(CLI::App& command, ServerFlags& flags, const std::string& role);

// A client for the server that the flags name, or else the variables, or else the context.
struct ServerConnection {
    ServerConnection(const Context& chosen, Url server);

    const Url url;
    const std::string tenant;
    CurlHttpClient http;
    ApiClient client;
};
[[nodiscard]] Result<std::unique_ptr<ServerConnection>> connect(const ServerFlags& flags,
                                                                const Environment& environment);

}  // namespace belfry::app
