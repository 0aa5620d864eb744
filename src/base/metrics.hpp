// Numbers that many threads update and a few read. Lock-free. A reading may mix two numbers from different moments, but
// each number is consistent.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/time/instant.hpp"

namespace belfry {

// Only grows.
class Counter {
public:
    void add(std::uint64_t count = 1) { value_.fetch_add(count, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_ = 0;
};

// 0.1 ms to 1 h. Finer below a second, where durations depend on the machine; longer ones mean an outage.
inline constexpr std::array kDurationBounds{
    Micros{100},           Micros{250},        Micros{500},        Micros{1'000},       Micros{2'000},
    Micros{5'000},         Micros{10'000},     Micros{25'000},     Micros{50'000},      Micros{100'000},
    Micros{250'000},       Micros{500'000},    Micros{1'000'000},  Micros{2'500'000},   Micros{5'000'000},
    Micros{10'000'000},    Micros{30'000'000}, Micros{60'000'000}, Micros{300'000'000}, Micros{900'000'000},
    Micros{3'600'000'000},
};

struct HistogramReading {
    std::vector<Micros> bounds;          // upper bounds, inclusive; longer durations are only in `count`
    std::vector<std::uint64_t> at_most;  // per bound, the number of durations up to it (cumulative)
    std::uint64_t count = 0;
    Micros sum = {};
    Micros longest = {};
    friend bool operator==(const HistogramReading&, const HistogramReading&) = default;
};

// A histogram of durations with the buckets of kDurationBounds.
class Histogram {
public:
    void add(Micros duration);
    [[nodiscard]] HistogramReading read() const;

private:
    std::array<std::atomic<std::uint64_t>, kDurationBounds.size() + 1> buckets_ = {};
    std::atomic<std::int64_t> sum_us_ = 0;
    std::atomic<std::int64_t> longest_us_ = 0;
};

}  // namespace belfry
