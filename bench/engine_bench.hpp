// Measures one or more whole engines on one store, with all their threads: how long after its fire time a run is
// committed.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "bench/bench_place.hpp"
#include "engine/engine.hpp"
#include "engine/telemetry/engine_metrics.hpp"
#include "engine/telemetry/observers.hpp"

namespace belfry::bench {

// Collects the runs that engines dispatch. Thread-safe.
class FireLedger final : public engine::Observer {
public:
    void decided(const model::Schedule& schedule, const decide::Plan& plan, Instant at) override;
    void failed(std::string_view worker, const Error& error, Micros wait) override;

    // Waits until `count` runs are dispatched. Returns an error when no run arrives for a while; the first is expected
    // only after `until_first`.
    [[nodiscard]] Result<void> wait_for(std::size_t count, Micros until_first = {});

    struct Fire {
        Instant occurrence = {};
        Micros late = {};                                    // from the fire time to the commit
        std::chrono::steady_clock::time_point told_at = {};  // by the engine; the waiting thread may wake later
    };
    [[nodiscard]] std::vector<Fire> take();

    // The last error; empty if there was none.
    [[nodiscard]] std::string failure();

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Fire> fires_;
    std::size_t wanted_ = 0;
    std::string failure_;
};

class EngineBench {
public:
    // REQUIRES: the place, the zones and the ledger outlive it.
    EngineBench(const BenchPlace& place, const spec::ZoneDatabase& zones, FireLedger& ledger)
        : place_(place), zones_(zones), observers_{metrics_, ledger} {}

    // Starts the servers, each with its own connections. Returns when each of them has loaded all schedules and sees
    // the others.
    [[nodiscard]] Result<void> start(int servers, const engine::EngineOptions& options);
    void stop();

    [[nodiscard]] std::size_t schedules() const {
        return servers_.front().engine->status().ticker.standing().schedules;
    }

private:
    struct Server {
        std::unique_ptr<store::Store> store;
        std::unique_ptr<engine::Engine> engine;
    };
    const BenchPlace& place_;
    const spec::ZoneDatabase& zones_;
    engine::EngineMetrics metrics_;  // counts as in a server, so that the figures include its cost
    engine::Observers observers_;
    std::vector<Server> servers_;
};

}  // namespace belfry::bench
