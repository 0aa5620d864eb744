// How many schedules and tasks there are, for /metrics. Whoever reads gets at once what was counted last: counting may take as
// long as the store likes, and somebody who watches the server does not have the time. Counts only while somebody reads.
// Thread-safe.
#pragma once

#include <atomic>
#include <optional>

#include "base/mutex.hpp"
#include "engine/worker.hpp"
#include "store/store.hpp"

namespace belfry::engine {

// A count reads an index entry for every schedule and every task.
inline constexpr Micros kCensusEvery = Seconds{15};

class Census final : public Worker {
public:
    // REQUIRES: the store outlives it.
    explicit Census(store::Store& store) : store_(store) {}

    [[nodiscard]] std::string_view name() const override { return "census"; }
    Micros step() override;

    // Nothing before the first count, and while the store does not answer: an old figure would look like a new one.
    [[nodiscard]] std::optional<store::Counts> read();

private:
    store::Store& store_;
    std::atomic<bool> wanted_ = true;
    Mutex mutex_;
    std::optional<store::Counts> counts_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::engine
