// The connections_file: where tasks are handed over to. docs/guide/hand-over.md shows one.
//
//   [connections.orders]
//   kind = "rabbitmq"                   # redis, rabbitmq, nats or http
//   url = "amqp://belfry@broker.internal/orders"
//   password_file = "/etc/belfry/orders.password"    # instead of a password in the URL
//   tenants = ["default"]               # everybody's without
//   callbacks = true                    # the receiver tells how a task ended; without, it is done when the broker has it
//   retry_for = "PT1H"                  # how long a task may wait for the connection
//   callback_timeout = "PT24H"          # how long its receiver may take
//   options = { exchange = "jobs" }     # of the broker: src/brokers/connection_options.hpp has them all
//
//   [connections.launcher]
//   kind = "http"
//   url = "https://executor.internal/runs"
//   signing_secret_file = "/etc/belfry/launcher.secret"    # whsec_…
//   allow_private = true                # its address may be a private one
//   calls = 16                          # side by side
//   timeout = "PT10S"                   # of one call
#pragma once

#include <string>
#include <vector>

#include "base/http_client.hpp"
#include "engine/connection.hpp"

namespace belfry::app {

struct LoadedConnections {
    engine::Connections connections;
    std::vector<std::string> warnings;
};

// The clients of HTTP launchers; both outlive what is made of them.
struct LauncherClients {
    HttpClient& guarded;
    HttpClient& anywhere;  // also calls private addresses
};

// Without a path there are none. Errors name the file, the line, the member and the fix, and show no secret.
[[nodiscard]] Result<LoadedConnections> load_connections_file(const std::string& path, const LauncherClients& clients);

}  // namespace belfry::app
