#include "bench/handover_bench.hpp"

#include <chrono>

#include "bench/engine_bench.hpp"
#include "engine/jobs/broker_publisher.hpp"

namespace belfry::bench {

namespace {

constexpr const char* kConnection = "bench";

}  // namespace

Instant HandoverThroughEngine::Later::now() const { return std::chrono::sys_days{std::chrono::year{2040} / 1 / 1}; }

Result<void> HandoverThroughEngine::create(std::size_t messages) {
    if (auto empty = place_.open_empty_store(zones_); !empty) return empty.error();
    auto database = place_.open();
    if (!database) return database.error();
    auto store =
        store::sql::open_store(std::move(*database), zones_, &clock_,
                               {.schedules_per_tenant = kBenchSchedulesMax, .default_connection = kConnection});
    if (!store) return store.error();
    store_ = std::move(*store);
    messages_ = messages;
    return fires_.emplace(*store_, zones_).create(messages);
}

Result<double> HandoverThroughEngine::measure(const std::shared_ptr<brokers::Broker>& broker, std::size_t batch) {
    engine::Connections connections;
    auto& connection = connections[kConnection];
    connection.name = kConnection;
    connection.broker = broker;
    connection.retry_for = std::chrono::hours{24 * 365 * 100};
    engine::ConnectionStats stats(connections);
    FireLedger ledger;
    engine::Runs runs(*store_, ledger);
    const SystemSteadyClock steady;
    engine::BrokerPublisher publisher({*store_, runs, ledger, steady, stats}, connection, "bench", {.batch = batch},
                                      &system_random);
    const auto begin = std::chrono::steady_clock::now();
    if (const auto fired = fires_->fire(messages_); !fired) return fired.error();
    const auto done = [&] {
        return stats.read().front().outcomes[engine::HandOver::acknowledged] >= static_cast<std::int64_t>(messages_);
    };
    while (!done() || stats.read().front().in_flight > 0) {
        publisher.step();
        const auto reading = stats.read().front();
        if (!reading.last_error.empty()) return Error{ErrorCode::unavailable, reading.last_error};
        if (auto failure = ledger.failure(); !failure.empty()) return Error{ErrorCode::unavailable, std::move(failure)};
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace belfry::bench
