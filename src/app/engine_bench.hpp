// Measures whole engines: one or more on one store, with all their threads, and how late what they fire is committed.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "app/bench_place.hpp"
#include "engine/engine.hpp"
#include "engine/engine_metrics.hpp"
#include "engine/observers.hpp"

namespace belfry::app {

// Collects what is fired. Thread-safe.
class FireLedger final : public engine::Observer {
public:
    void decided(const model::Schedule& schedule, const decide::Plan& plan, Instant at) override;
    void failed(std::string_view worker, const Error& error, Micros wait) override;

    // Waits until so many runs have been fired; an error when nothing happens for a while.
    [[nodiscard]] Result<void> wait_for(std::size_t count);

    struct Fire {
        Instant occurrence = {};
        Micros late = {};                                    // from the fire time to the commit
        std::chrono::steady_clock::time_point told_at = {};  // by the engine: whoever waits for it may be late
    };
    [[nodiscard]] std::vector<Fire> take();

    // The last thing that went wrong; empty when nothing did.
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

    // So many servers, each with connections of its own. Returns when all of them know all schedules and each other.
    [[nodiscard]] Result<void> start(int servers, const engine::EngineOptions& options);
    void stop();

    [[nodiscard]] std::size_t schedules() const { return servers_.front().engine->ticker().standing().schedules; }

private:
    struct Server {
        std::unique_ptr<store::Store> store;
        std::unique_ptr<engine::Engine> engine;
    };
    const BenchPlace& place_;
    const spec::ZoneDatabase& zones_;
    engine::EngineMetrics metrics_;  // counts as a server does, so that what it costs is measured, too
    engine::Observers observers_;
    std::vector<Server> servers_;
};

}  // namespace belfry::app
