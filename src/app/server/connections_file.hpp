// The connections_file: where tasks may be delivered. docs/guide/hand-over.md shows an example.
//
//   [connections.orders]
//   kind = "rabbitmq"                   # redis, rabbitmq, nats, http, durable or temporal
//   url = "amqp://belfry@broker.internal/orders"
//   password_file = "/etc/belfry/orders.password"    # instead of a password in the URL
//   tenants = ["default"]               # default: all tenants
//   callbacks = true                    # the receiver reports how a task ended; without, delivery ends the task
//   retry_for = "PT1H"                  # how long a task may wait for the connection
//   callback_timeout = "PT24H"          # how long the receiver may take
//   options = { exchange = "jobs" }     # options of the broker: see src/brokers/connection_options.hpp
//
//   [connections.launcher]
//   kind = "http"
//   url = "https://executor.internal/runs"
//   signing_secret_file = "/etc/belfry/launcher.secret"    # whsec_…
//   allow_private = true                # the URL may resolve to a private address
//   token_file = "/etc/belfry/launcher.token"    # sent as a bearer token
//   calls = 16                          # parallel calls
//   timeout = "PT10S"                   # of one call
#pragma once

#include <string>
#include <vector>

#include "base/net/http_client.hpp"
#include "engine/outgoing/connection.hpp"

namespace belfry::app {

struct LoadedConnections {
    engine::Connections connections;
    std::vector<std::string> warnings;
};

// The HTTP clients for launchers. Both must outlive the connections that use them.
struct LauncherClients {
    HttpClient& guarded;
    HttpClient& anywhere;  // may also call private addresses
};

// Without a path there are no connections. Errors name the file, the line, the member and the fix, and reveal no
// secret.
[[nodiscard]] Result<LoadedConnections> load_connections_file(const std::string& path, const LauncherClients& clients);

}  // namespace belfry::app
