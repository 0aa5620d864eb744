// A broker that forgets nothing it has acknowledged, at the end of a connection that breaks: before a message arrives,
// or before the acknowledgement does. Every server has a connection of its own; what arrived is the world's.
#pragma once

#include "brokers/broker.hpp"
#include "simulation/sim_context.hpp"

namespace belfry::sim {

inline constexpr const char* kFarConnection = "far";

class SimBroker final : public brokers::Broker {
public:
    explicit SimBroker(SimContext& context) : context_(context) {}

    brokers::Receipts publish(std::span<const brokers::Message> messages, std::stop_token stop) override;
    Result<void> check(std::stop_token stop) override;

private:
    [[nodiscard]] bool breaks() { return !context_.healed && context_.random.permille(context_.options.broker_breaks); }
    void keep(const brokers::Message& message) { context_.arrived.insert(message.key); }

    SimContext& context_;
};

}  // namespace belfry::sim
