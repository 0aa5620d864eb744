// Where tasks leave Belfry: one named place that takes messages and says which of them it keeps. Messages arrive at least once;
// each carries an idempotency key, so that a receiver (or the broker itself, where it can) drops a repeat.
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
    std::string key;      // the idempotency key: the same however often the message is sent
    std::string subject;  // the queue: a suffix of the stream's or subject's name, or the routing key
    std::string body;     // JSON text
    std::string content_type = "application/json";
    std::vector<std::pair<std::string, std::string>> headers = {};
};

// One answer for each message, in their order: the broker's id of it (RabbitMQ has none: the key), or why there is none.
//   unavailable       it may pass. The message was not acknowledged: it may have arrived all the same
//   invalid_argument  this message never will: too large, unroutable, refused by a policy. It did not arrive; the others go on
using Receipts = std::vector<Result<std::string>>;

// Connects when it is first needed, and again after every failure. Every call comes back within the timeouts of the connection's
// options, connecting and operation together; only looking up a name has the system's own bounds.
// REQUIRES: one thread at a time.
class Broker {
public:
    virtual ~Broker() = default;

    // Publishes in order and waits until each message is stored. Once the connection fails, all that is not acknowledged is
    // `unavailable`, and what was not yet sent is not sent. A stop ends the wait early in the same way.
    [[nodiscard]] virtual Receipts publish(std::span<const Message> messages, std::stop_token stop) = 0;

    // Whether the broker answers: connects if needed and asks it. `unavailable` says why not. Called now and then while there is
    // nothing to publish, it also keeps the connection alive.
    [[nodiscard]] virtual Result<void> check(std::stop_token stop) = 0;
};

// Does not connect yet. `invalid_argument` for what the client library cannot do (TLS to Redis).
[[nodiscard]] Result<std::unique_ptr<Broker>> make_broker(ConnectionOptions options);

}  // namespace belfry::brokers
