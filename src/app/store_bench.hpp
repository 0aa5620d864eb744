// Measures the store: decided schedules applied per second, beside a bare loop that writes the same rows.
#pragma once

#include <memory>
#include <vector>

#include "app/bench_schedules.hpp"
#include "spec/zone_database.hpp"
#include "store/sql/database.hpp"
#include "store/store.hpp"

namespace belfry::app {

// Hourly schedules in a store, all due at the same time, that are fired again and again: each by a decision of its own.
class FireBench {
public:
    FireBench(store::Store& store, const spec::ZoneDatabase& zones) : store_(store), zones_(zones) {}

    [[nodiscard]] Result<void> create(std::size_t count);

    // Decides the first `count` schedules once more, in batches, inside the store's transactions. Returns the seconds it took.
    [[nodiscard]] Result<double> fire(std::size_t count);

    // The same in two steps: the decisions are made first, and only applying them is timed.
    [[nodiscard]] Result<double> apply(std::size_t count);

    // Claims and completes what was fired, so many at a time. Returns the seconds and how many. Thread-safe.
    [[nodiscard]] Result<std::pair<double, std::size_t>> work_off(std::size_t most, std::size_t batch = kBenchBatch) const;

private:
    store::Store& store_;
    const spec::ZoneDatabase& zones_;
    std::vector<std::int64_t> keys_ = {};
    std::vector<decide::Facts> facts_ = {};
    int hour_ = 0;
};

// The ceiling: tables of the same layout, and a loop that does nothing but write one fire's rows into them, with the same
// statements in the same batches. Nothing is locked first, decided, hashed or put into JSON.
class CeilingBench {
public:
    explicit CeilingBench(store::sql::Database& database) : database_(database) {}

    [[nodiscard]] Result<void> create(std::size_t count);
    [[nodiscard]] Result<double> fire(std::size_t count);
    // Moves so many ready tasks to the leases and from there into their runs and states, in two transactions for each batch.
    [[nodiscard]] Result<double> work_off(std::size_t count, std::size_t batch);

private:
    store::sql::Database& database_;
    int hour_ = 0;
};

}  // namespace belfry::app
