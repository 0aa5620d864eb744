// Measures how fast tasks pass through the engine to a broker: decided, claimed, published, acknowledged and settled,
// by one publisher.
#pragma once

#include <memory>
#include <optional>

#include "base/time/clock.hpp"
#include "bench/bench_place.hpp"
#include "bench/store_bench.hpp"
#include "brokers/broker.hpp"

namespace belfry::bench {

class HandoverThroughEngine {
public:
    // REQUIRES: `place` and `zones` outlive it.
    HandoverThroughEngine(const BenchPlace& place, const spec::ZoneDatabase& zones) : place_(place), zones_(zones) {}

    // Creates the schedules; each sends one message per round.
    [[nodiscard]] Result<void> create(std::size_t messages);
    // Returns the seconds that one round takes.
    [[nodiscard]] Result<double> measure(const std::shared_ptr<brokers::Broker>& broker, std::size_t batch);

private:
    // A clock ahead of every fire time, so that each decided task can be claimed.
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

}  // namespace belfry::bench
