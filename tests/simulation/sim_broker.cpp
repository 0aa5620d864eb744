#include "simulation/sim_broker.hpp"

namespace belfry::sim {

namespace {

Error gone() { return {ErrorCode::unavailable, "the connection broke"}; }

}  // namespace

brokers::Receipts SimBroker::publish(std::span<const brokers::Message> messages, std::stop_token) {
    const auto rest = [this] {
        context_.loop.rest(context_.random.between(Micros{100}, context_.options.store.latency_max));
    };
    brokers::Receipts receipts;
    bool broken = false;
    rest();
    for (const auto& message : messages) {
        if (broken || breaks()) {
            broken = true;
            receipts.emplace_back(gone());
            continue;
        }
        if (context_.mutant == Mutant::acknowledged_early) {
            // Yes at once; the message follows, unless something comes in between.
            if (context_.healed || context_.random.percent(90)) keep(message);
            receipts.emplace_back(message.key);
            continue;
        }
        keep(message);
        if (breaks()) {
            broken = true;
            context_.coverage.see(Sight::acknowledgement_lost);
            receipts.emplace_back(gone());
        } else {
            receipts.emplace_back(message.key);
        }
    }
    rest();  // a server that dies here has sent all of it and knows of nothing
    return receipts;
}

Result<void> SimBroker::check(std::stop_token) {
    if (breaks()) return gone();
    return {};
}

}  // namespace belfry::sim
