// Measures the store: decided schedules applied per second, compared with a bare loop that writes the same rows.
#pragma once

#include <memory>
#include <vector>

#include "bench/bench_schedules.hpp"
#include "spec/zone/zone_database.hpp"
#include "store/sql/database.hpp"
#include "store/store.hpp"

namespace belfry::bench {

// Hourly schedules in a store, all due at the same time. Each round fires them again, with one decision per schedule.
class FireBench {
public:
    FireBench(store::Store& store, const spec::ZoneDatabase& zones) : store_(store), zones_(zones) {}

    [[nodiscard]] Result<void> create(std::size_t count);

    // Decides the first `count` schedules once more, in batches, inside the store's transactions. Returns the seconds.
    [[nodiscard]] Result<double> fire(std::size_t count);

    // Does the same in two steps: it makes the decisions first, and times only applying them.
    [[nodiscard]] Result<double> apply(std::size_t count);

    // Claims and completes fired tasks, in batches of `batch`. Returns the seconds and the number of tasks.
    // Thread-safe.
    [[nodiscard]] Result<std::pair<double, std::size_t>> work_off(std::size_t most,
                                                                  std::size_t batch = kBenchBatch) const;

private:
    store::Store& store_;
    const spec::ZoneDatabase& zones_;
    std::vector<std::int64_t> keys_ = {};
    std::vector<decide::Facts> facts_ = {};
    int hour_ = 0;
};

// The upper bound: tables of the same layout, and a loop that only writes one fire's rows into them, with the same
// statements in the same batches. It takes no locks, decides nothing, and computes no hashes or JSON.
class CeilingBench {
public:
    explicit CeilingBench(store::sql::Database& database) : database_(database) {}

    [[nodiscard]] Result<void> create(std::size_t count);
    [[nodiscard]] Result<double> fire(std::size_t count);
    // Moves `count` ready tasks to the leases and from there into their runs and states, in two transactions per batch.
    [[nodiscard]] Result<double> work_off(std::size_t count, std::size_t batch);

private:
    store::sql::Database& database_;
    int hour_ = 0;
};

}  // namespace belfry::bench
