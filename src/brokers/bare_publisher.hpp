// The least that a client of a broker can do: what the library's manual shows, without deadlines, answers for single messages or a
// way to stop. For measurements, as the most that a Broker could reach. REQUIRES: a broker that answers.
#pragma once

#include <memory>
#include <span>

#include "base/result.hpp"
#include "brokers/broker.hpp"

namespace belfry::brokers {

class BarePublisher {
public:
    virtual ~BarePublisher() = default;
    // Sends all, and waits until all are acknowledged.
    [[nodiscard]] virtual Result<void> publish(std::span<const Message> messages) = 0;
};

using OpenedBare = Result<std::unique_ptr<BarePublisher>>;

[[nodiscard]] OpenedBare open_bare(const ConnectionOptions& options);
[[nodiscard]] OpenedBare open_bare_redis(const ConnectionOptions& options);
[[nodiscard]] OpenedBare open_bare_rabbitmq(const ConnectionOptions& options);
[[nodiscard]] OpenedBare open_bare_nats(const ConnectionOptions& options);

}  // namespace belfry::brokers
