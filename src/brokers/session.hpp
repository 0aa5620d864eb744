// One connection to a broker, with one implementation per kind. An error ends the session; ReconnectingBroker opens
// the next.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "brokers/broker.hpp"
#include "brokers/deadline.hpp"

namespace belfry::brokers {

using Answers = std::vector<std::optional<Result<std::string>>>;

class Session {
public:
    virtual ~Session() = default;

    // Whether the session is still usable, as far as the client knows without a request. A connection that broke
    // while idle is noticed here, before a message is lost on it.
    [[nodiscard]] virtual bool is_usable() = 0;

    // Publishes the messages in order and writes one result for each message that the broker responded to. The error
    // is the reason for missing results. REQUIRES: as many answers as messages, all empty; messages that passed
    // check_message.
    [[nodiscard]] virtual Result<void> publish(std::span<const Message* const> messages, Answers& answers,
                                               const Deadline& deadline) = 0;

    [[nodiscard]] virtual Result<void> ping(const Deadline& deadline) = 0;
};

using OpenedSession = Result<std::unique_ptr<Session>>;
using OpenSession = std::function<OpenedSession(const ConnectionOptions&, const Deadline&)>;

[[nodiscard]] OpenedSession open_redis(const ConnectionOptions& options, const Deadline& deadline);
[[nodiscard]] OpenedSession open_rabbitmq(const ConnectionOptions& options, const Deadline& deadline);
[[nodiscard]] OpenedSession open_nats(const ConnectionOptions& options, const Deadline& deadline);

}  // namespace belfry::brokers
