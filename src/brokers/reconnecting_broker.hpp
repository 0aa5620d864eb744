// The part of a Broker that is the same for every kind: it keeps one session and opens another after a failure.
#pragma once

#include "brokers/broker.hpp"
#include "brokers/session.hpp"

namespace belfry::brokers {

class ReconnectingBroker final : public Broker {
public:
    ReconnectingBroker(ConnectionOptions options, OpenSession open)
        : options_(std::move(options)), open_(std::move(open)) {}

    [[nodiscard]] Receipts publish(std::span<const Message> messages, std::stop_token stop) override;
    [[nodiscard]] Result<void> check(std::stop_token stop) override;

private:
    [[nodiscard]] Result<void> connect(const std::stop_token& stop);
    // Ends the session if it failed.
    [[nodiscard]] Result<void> settle(Result<void> outcome);

    const ConnectionOptions options_;
    const OpenSession open_;
    std::unique_ptr<Session> session_;
};

}  // namespace belfry::brokers
