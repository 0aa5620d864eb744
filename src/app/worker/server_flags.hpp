// The flags and variables of commands that call a server: its URL, the caller's token, the tenant.
#pragma once

#include <CLI/App.hpp>
#include <memory>

#include "app/settings/settings_load.hpp"
#include "app/worker/api_client.hpp"
#include "base/net/curl_http_client.hpp"

namespace belfry::app {

struct ServerFlags {
    std::string url;
    std::string token;
    std::string tenant;
    std::string authorities;
};
// Adds --url, --token, --tenant and --ca-file. `role` is the role that the key needs.
void add_server_flags(CLI::App& command, ServerFlags& flags, const std::string& role);

// A client for the server that the flags, or else the variables, name.
struct ServerConnection {
    ServerConnection(const ServerFlags& flags, const Environment& environment, Url server);

    const Url url;
    const std::string tenant;
    CurlHttpClient http;
    ApiClient client;
};
[[nodiscard]] Result<std::unique_ptr<ServerConnection>> connect(const ServerFlags& flags,
                                                                const Environment& environment);

}  // namespace belfry::app
