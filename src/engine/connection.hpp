// A connection: a named place of the operator's that tasks are handed over to. A broker takes messages in batches and in order; an
// HTTP launcher takes one call for each task. Plain data.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/http_client.hpp"
#include "base/instant.hpp"
#include "base/url.hpp"
#include "brokers/broker.hpp"

namespace belfry::engine {

inline constexpr Micros kBrokerRetryFor = std::chrono::hours{1};
inline constexpr Micros kLauncherRetryFor = Seconds{30};
inline constexpr Micros kCallbackTimeout = std::chrono::hours{24};

// Where an HTTP launcher is.
struct LauncherPlace {
    Url url;
    std::string signing_key = {};  // bytes; empty: calls are not signed
    HttpClient* http = nullptr;    // outlives the engine
    std::size_t calls = 16;        // side by side
    std::chrono::milliseconds timeout{10'000};
    int retries = 3;  // of a call that may do better later
    std::chrono::milliseconds retry_pause{1'000};
};

struct Connection {
    std::string name;
    std::string kind;                       // redis, rabbitmq, nats or http
    std::string place;                      // for people, without secrets
    std::vector<std::string> tenants = {};  // that may use it; empty: all
    bool callbacks = false;                 // a task ends with what its receiver tells, not with the acknowledgement
    Micros retry_for = kBrokerRetryFor;     // a task that waits longer for the connection has failed
    Micros callback_timeout = kCallbackTimeout;
    // One of the two.
    std::shared_ptr<brokers::Broker> broker = {};
    Micros broker_call_max = Seconds{15};  // the longest that one call of it takes
    std::optional<LauncherPlace> launcher = {};

    [[nodiscard]] bool is_for(const std::string& tenant) const;
};
using Connections = std::map<std::string, Connection>;

// What is wrong with naming this connection in the tenant; nothing: it is there, or says that the task stays.
[[nodiscard]] std::optional<Error> check_connection(const Connections& connections, const std::string& tenant, const std::string& name);

// An error of a task that a connection did not take begins with it.
[[nodiscard]] std::string connection_mark(const std::string& name);
// Whether the error of a run tells that a task of it could not be handed over.
[[nodiscard]] bool tells_of_hand_over(const Connections& connections, std::string_view error);
[[nodiscard]] bool tells_of_hand_over(std::string_view error);  // whatever connections there are

}  // namespace belfry::engine
