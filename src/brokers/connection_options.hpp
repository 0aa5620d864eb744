// Address and options of a broker, parsed from a URL and a JSON object. Passwords are Secrets, which are never printed.
//
//   redis://[[user]:password@]host[:6379][/database]
//       stream       prefix of stream keys; a message goes to `stream:subject`              belfry
//       maxLength    approximate length of a stream; Redis drops older entries, even unread unlimited
//   amqp[s]://[user:password@]host[:5672|5671][/vhost]
//       exchange     exchange that gets the messages, with the subject as the routing key;
//                    it must exist                                                          the default exchange
//       create       on the default exchange: declare each subject as a durable queue       true
//   nats://[user:password@|token@]host[:4222], or tls://…
//       stream       the JetStream stream                                                   BELFRY
//       prefix       prefix of subjects; a message goes to `prefix.subject`                 belfry
//       create       create the stream for `prefix.>` if it is missing                      true
//       duplicateWindow  how long the created stream remembers keys and drops repeats       PT2M
//   all
//       connectTimeout, operationTimeout   as durations                                     PT5S, PT10S
//       authorities  with TLS: a PEM file of the certificate authorities to trust           the system's
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/crypto/secret.hpp"
#include "base/result.hpp"
#include "base/text/json.hpp"

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
    Secret password = {};  // NATS without a user: a token
    std::string authorities = {};
    std::chrono::milliseconds connect_timeout{5'000};
    std::chrono::milliseconds operation_timeout{10'000};
    std::variant<RedisOptions, RabbitmqOptions, NatsOptions> of_kind = {};

    [[nodiscard]] BrokerKind kind() const { return static_cast<BrokerKind>(of_kind.index()); }
    // The maximum duration of `publish` and `check`.
    [[nodiscard]] std::chrono::milliseconds longest_call() const { return connect_timeout + operation_timeout; }
};

// The URL's scheme decides the kind. `password` applies when the URL contains none. Reports every error at once, in
// the fields `/url` and `/options/…`. No message repeats text that could be a password.
[[nodiscard]] Result<ConnectionOptions> parse_connection(std::string_view url, const boost::json::object& options = {},
                                                         Secret password = {});

// `redis://user@host:6379/0`: for logs and people, without the password.
[[nodiscard]] std::string describe(const ConnectionOptions& options);

}  // namespace belfry::brokers
