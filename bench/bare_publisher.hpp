// The simplest possible publisher for each broker, as the client library's manual shows it: no deadlines, no receipts
// for single messages, no way to stop. Benchmarks use it as the upper bound for Broker. REQUIRES: a broker that
// responds.
#pragma once

#include <memory>
#include <span>

#include "base/result.hpp"
#include "brokers/broker.hpp"

namespace belfry::brokers {

class BarePublisher {
public:
    virtual ~BarePublisher() = default;
    // Sends all messages, then waits until the broker has acknowledged all of them.
    [[nodiscard]] virtual Result<void> publish(std::span<const Message> messages) = 0;
};

using OpenedBare = Result<std::unique_ptr<BarePublisher>>;

[[nodiscard]] OpenedBare open_bare(const ConnectionOptions& options);
[[nodiscard]] OpenedBare open_bare_redis(const ConnectionOptions& options);
[[nodiscard]] OpenedBare open_bare_rabbitmq(const ConnectionOptions& options);
[[nodiscard]] OpenedBare open_bare_nats(const ConnectionOptions& options);

}  // namespace belfry::brokers
