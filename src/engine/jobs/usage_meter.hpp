// Measures how much tenants use, and knows which have reached a limit that no transaction counts:
// docs/adr/0023-measured-limits.md. Every server settles the runs that it dispatched; the leader also reads all
// tables, one bounded page in each step. Thread-safe.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>

#include "base/concurrency/mutex.hpp"
#include "engine/jobs/housekeeping.hpp"

namespace belfry::engine {

class UsageMeter final : public BackgroundJob {
public:
    struct Options {
        Micros settle_every = Seconds{30};
        Micros measure_every = Seconds{600};              // from the end of one measurement to the start of the next
        Micros between = std::chrono::milliseconds{100};  // between two pages of a measurement
        std::size_t rows = 2'000;                         // in one page
    };
    // REQUIRES: the store outlives it.
    UsageMeter(store::HousekeepingStore& store, Leading leading, Options options)
        : store_(store), leading_(std::move(leading)), options_(options) {}

    [[nodiscard]] std::string_view name() const override { return "usage meter"; }
    // Retries after a failure. Until then the known limits stay in force.
    Micros step() override;

    // Returns an error if the tenant stored its maximum when it was last measured. From any thread.
    [[nodiscard]] std::optional<Error> check_room(const std::string& tenant) const;

private:
    [[nodiscard]] Result<void> settle(Instant now);
    [[nodiscard]] Result<bool> measure(Instant now);  // whether there is more

    store::HousekeepingStore& store_;
    const Leading leading_;
    const Options options_;
    std::optional<Instant> settled_at_ = {};
    std::optional<Instant> measured_at_ = {};
    store::MeasuredPlace place_ = {};
    std::map<std::int64_t, std::int64_t> bytes_ = {};  // of the current measurement
    bool measuring_ = false;
    mutable Mutex mutex_;
    std::map<std::string, store::TenantOverLimit> over_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::engine
