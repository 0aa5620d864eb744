// Counts schedules and tasks for /metrics. A reader gets the last count at once, because a count may take long and a
// monitoring system has a short timeout. Counts only while clients read. Thread-safe.
#pragma once

#include <atomic>
#include <optional>

#include "base/concurrency/mutex.hpp"
#include "engine/jobs/background_job.hpp"
#include "store/store_reader.hpp"

namespace belfry::engine {

// The interval: a count reads an index entry for every schedule and every task.
inline constexpr Micros kSampleEvery = Seconds{15};

class CountsSampler final : public BackgroundJob {
public:
    // REQUIRES: the store outlives it.
    explicit CountsSampler(store::StoreReader& store) : store_(store) {}

    [[nodiscard]] std::string_view name() const override { return "counts sampler"; }
    Micros step() override;

    // Empty before the first count and while the store fails, because an old number would look current.
    [[nodiscard]] std::optional<store::Counts> read();

private:
    store::StoreReader& store_;
    std::atomic<bool> wanted_ = true;
    Mutex mutex_;
    std::optional<store::Counts> counts_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::engine
