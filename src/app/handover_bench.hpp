// Measures how fast tasks go through the engine to a broker: decided, claimed, published, acknowledged and settled, by one courier.
#pragma once

#include <memory>
#include <optional>

#include "app/bench_place.hpp"
#include "app/store_bench.hpp"
#include "base/clock.hpp"
#include "brokers/broker.hpp"

namespace belfry::app {

class HandoverThroughEngine {
public:
    // REQUIRES: both outlive it.
    HandoverThroughEngine(const BenchPlace& place, const spec::ZoneDatabase& zones) : place_(place), zones_(zones) {}

    // So many schedules, each of which gives one message in a round.
    [[nodiscard]] Result<void> create(std::size_t messages);
    // The seconds that a round takes.
    [[nodiscard]] Result<double> measure(const std::shared_ptr<brokers::Broker>& broker, std::size_t batch);

private:
    // Later than all that is fired: whatever is decided may be claimed.
    class Later final : public Clock {
    public:
        [[nodiscard]] Instant now() const override;
    };

    const BenchPlace& place_;
    const spec::ZoneDatabase& zones_;
    const Later clock_ = {};
    std::size_t messages_ = 0;
    std::unique_ptr<store::Store> store_ = {};
    std::optional<FireBench> fires_ = {};
};

}  // namespace belfry::app
