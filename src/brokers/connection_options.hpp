// Where a broker is and how it is used, from a URL and a JSON object of options. Passwords are secrets here: nothing prints them.
//
//   redis://[[user]:password@]host[:6379][/database]
//       stream       what the keys of streams begin with; a message goes to `stream:subject`      belfry
//       maxLength    about how many entries a stream keeps; older ones go, read or not            all
//   amqp[s]://[user:password@]host[:5672|5671][/vhost]
//       exchange     where messages go, the subject being the routing key; it has to exist        the default exchange
//       create       on the default exchange: declare each subject as a durable queue             true
//   nats://[user:password@|token@]host[:4222], or tls://…
//       stream       the JetStream stream                                                         BELFRY
//       prefix       what subjects begin with; a message goes to `prefix.subject`                 belfry
//       create       make the stream when it is missing, for `prefix.>`                           true
//       duplicateWindow  how long the new stream remembers keys, and drops repeats                PT2M
//   all
//       connectTimeout, operationTimeout   as durations                                           PT5S, PT10S
//       authorities  with TLS: a PEM file of those who may vouch for the broker                    the system's
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

namespace belfry::brokers {

enum class BrokerKind : std::uint8_t { redis, rabbitmq, nats };
[[nodiscard]] std::string_view name_of(BrokerKind kind);

struct RedisOptions {
    std::int64_t database = 0;
    std::string stream = "belfry";
    std::optional<std::int64_t> max_length = {};
};

struct RabbitmqOptions {
    std::string vhost = "/";
    std::string exchange = {};
    bool create = true;
};

struct NatsOptions {
    std::string stream = "BELFRY";
    std::string prefix = "belfry";
    bool create = true;
    std::chrono::milliseconds duplicate_window{std::chrono::minutes{2}};
};

struct ConnectionOptions {
    std::string host;
    std::uint16_t port = 0;
    bool tls = false;
    std::string user = {};
    Secret password = {};  // with NATS and no user: a token
    std::string authorities = {};
    std::chrono::milliseconds connect_timeout{5'000};
    std::chrono::milliseconds operation_timeout{10'000};
    std::variant<RedisOptions, RabbitmqOptions, NatsOptions> of_kind = {};

    [[nodiscard]] BrokerKind kind() const { return static_cast<BrokerKind>(of_kind.index()); }
    // The longest that `publish` and `check` take.
    [[nodiscard]] std::chrono::milliseconds longest_call() const { return connect_timeout + operation_timeout; }
};

// The kind follows from the URL's scheme. `password` is for URLs that are kept without one; it counts when the URL has none. All
// mistakes at once, with fields `/url` and `/options/…`; no message repeats what could be a password.
[[nodiscard]] Result<ConnectionOptions> parse_connection(std::string_view url, const boost::json::object& options = {}, Secret password = {});

// `redis://user@host:6379/0`: for logs and people, without the password.
[[nodiscard]] std::string describe(const ConnectionOptions& options);

}  // namespace belfry::brokers
