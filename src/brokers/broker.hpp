// A message broker that takes tasks from Belfry. It acknowledges each message that it has stored. Delivery is at
// least once: each message carries an idempotency key, so that the receiver (or the broker itself, if it can) drops
// repeats.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "brokers/connection_options.hpp"

namespace belfry::brokers {

struct Message {
    std::string key;      // idempotency key: every attempt to send the message uses the same one
    std::string subject;  // the queue: a suffix of the stream's or subject's name, or the routing key
    std::string body;     // JSON text
    std::string content_type = "application/json";
    std::vector<std::pair<std::string, std::string>> headers = {};
};

// One result for each message, in the same order: the broker's id for the message (RabbitMQ has none: the key), or
// an error:
//   unavailable       transient. The broker did not acknowledge the message, but may have received it
//   invalid_argument  permanent: too large, unroutable or rejected by a policy. The message did not arrive; the
//                     other messages are not affected
using Receipts = std::vector<Result<std::string>>;

// Connects on first use, and again after every failure. Every call returns within the connect timeout plus the
// operation timeout of the options; only a DNS lookup follows the system's own limits. REQUIRES: one thread at a
// time.
class Broker {
public:
    virtual ~Broker() = default;

    // Publishes in order and waits until the broker has stored each message. When the connection fails, every message
    // without an acknowledgement is `unavailable`, and unsent messages are not sent. A stop request ends the wait in
    // the same way.
    [[nodiscard]] virtual Receipts publish(std::span<const Message> messages, std::stop_token stop) = 0;

    // Checks that the broker responds, and connects first if needed. `unavailable` gives the reason. Regular calls
    // while there is nothing to publish also keep the connection alive.
    [[nodiscard]] virtual Result<void> check(std::stop_token stop) = 0;
};

// Does not connect. `invalid_argument` if the client library does not support the options (TLS to Redis).
[[nodiscard]] Result<std::unique_ptr<Broker>> make_broker(ConnectionOptions options);

}  // namespace belfry::brokers
