// One connection to a broker from its beginning to its end: what differs between the kinds of brokers. An error ends a session;
// ReconnectingBroker opens the next.
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

    // Whether it can still be used, as far as that is known without asking the broker: what failed while nothing was published
    // costs no message.
    [[nodiscard]] virtual bool is_usable() = 0;

    // Publishes the messages in order and writes one answer for each that the broker answered for. An error says why there are no
    // more. REQUIRES: as many answers as messages, all empty; the messages are checked.
    [[nodiscard]] virtual Result<void> publish(std::span<const Message* const> messages, Answers& answers, const Deadline& deadline) = 0;

    [[nodiscard]] virtual Result<void> ping(const Deadline& deadline) = 0;
};

using OpenedSession = Result<std::unique_ptr<Session>>;
using OpenSession = std::function<OpenedSession(const ConnectionOptions&, const Deadline&)>;

[[nodiscard]] OpenedSession open_redis(const ConnectionOptions& options, const Deadline& deadline);
[[nodiscard]] OpenedSession open_rabbitmq(const ConnectionOptions& options, const Deadline& deadline);
[[nodiscard]] OpenedSession open_nats(const ConnectionOptions& options, const Deadline& deadline);

}  // namespace belfry::brokers
