#include "base/metrics.hpp"

#include <algorithm>

namespace belfry {

void Histogram::add(Micros duration) {
    const auto bucket = std::ranges::lower_bound(kDurationBounds, duration) - kDurationBounds.begin();
    buckets_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
    sum_us_.fetch_add(duration.count(), std::memory_order_relaxed);
    auto longest = longest_us_.load(std::memory_order_relaxed);
    while (longest < duration.count() &&
           !longest_us_.compare_exchange_weak(longest, duration.count(), std::memory_order_relaxed)) {
    }
}

HistogramReading Histogram::read() const {
    HistogramReading reading;
    reading.bounds.assign(kDurationBounds.begin(), kDurationBounds.end());
    for (std::size_t i = 0; i < kDurationBounds.size(); ++i) {
        reading.count += buckets_[i].load(std::memory_order_relaxed);
        reading.at_most.push_back(reading.count);
    }
    reading.count += buckets_.back().load(std::memory_order_relaxed);
    reading.sum = Micros{sum_us_.load(std::memory_order_relaxed)};
    reading.longest = Micros{longest_us_.load(std::memory_order_relaxed)};
    return reading;
}

}  // namespace belfry
