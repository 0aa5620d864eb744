// How long to wait before a retry: twice as long after every failure, up to a bound, with a random part so that clients
// do not retry at the same moment. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/time/instant.hpp"

namespace belfry {

struct BackoffLimits {
    Micros first = std::chrono::milliseconds{100};
    Micros longest = Seconds{5};
};

class Backoff {
public:
    using Random = std::function<std::uint64_t()>;
    explicit Backoff(Random random, BackoffLimits limits = {}) : random_(std::move(random)), limits_(limits) {}

    // The next wait: a random time between half of the current bound and the whole.
    [[nodiscard]] Micros next() {
        const auto whole = std::min(limits_.longest, limits_.first * (std::int64_t{1} << std::min(failures_, 30)));
        ++failures_;
        const auto half = whole / 2;
        return half + Micros{static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(half.count() + 1))};
    }
    void reset() { failures_ = 0; }
    [[nodiscard]] int failures() const { return failures_; }

private:
    Random random_;
    BackoffLimits limits_;
    int failures_ = 0;
};

}  // namespace belfry
