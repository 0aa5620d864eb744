// A connection: a named destination, configured by the operator, that takes tasks. A broker takes messages in batches
// and in order; an HTTP launcher takes one call per task. Plain data.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/http_client.hpp"
#include "base/net/url.hpp"
#include "base/time/instant.hpp"
#include "brokers/broker.hpp"

namespace belfry::engine {

inline constexpr Micros kBrokerRetryFor = std::chrono::hours{1};
inline constexpr Micros kLauncherRetryFor = Seconds{30};
inline constexpr Micros kCallbackTimeout = std::chrono::hours{24};

// The address of an HTTP launcher.
struct LauncherPlace {
    Url url;
    std::string signing_key = {};              // bytes; empty: calls are not signed
    std::string token = {};                    // sent as a bearer token; empty: none
    std::string preset_namespace = "default";  // of kinds with a preset (launcher_presets.hpp)
    HttpClient* http = nullptr;                // outlives the engine
    std::size_t calls = 16;                    // concurrent
    std::chrono::milliseconds timeout{10'000};
    int retries = 3;  // of a call that failed temporarily
    std::chrono::milliseconds retry_pause{1'000};
};

struct Connection {
    std::string name;
    std::string kind;                       // redis, rabbitmq, nats, http, durable or temporal
    std::string place;                      // for display, without secrets
    std::vector<std::string> tenants = {};  // that may use it; empty: all
    bool callbacks = false;                 // a task ends with its receiver's report, not with the acknowledgement
    bool graph = false;                     // messages about a node carry the whole workflow
    Micros retry_for = kBrokerRetryFor;     // a task that waits longer for the connection fails
    Micros callback_timeout = kCallbackTimeout;
    // Exactly one of the two is set.
    std::shared_ptr<brokers::Broker> broker = {};
    Micros broker_call_max = Seconds{15};  // the longest time of one call to it
    std::optional<LauncherPlace> launcher = {};

    [[nodiscard]] bool is_for(const std::string& tenant) const;
};
using Connections = std::map<std::string, Connection>;

// Returns an error if the tenant cannot use a connection of this name. The built-in one is always valid.
[[nodiscard]] std::optional<Error> check_connection(const Connections& connections, const std::string& tenant,
                                                    const std::string& name);

// The start of the error of a task that the connection did not accept.
[[nodiscard]] std::string connection_mark(const std::string& name);
// Whether a run's error reports that one of its tasks could not be delivered.
[[nodiscard]] bool tells_of_hand_over(const Connections& connections, std::string_view error);
[[nodiscard]] bool tells_of_hand_over(std::string_view error);  // for any connection

}  // namespace belfry::engine
