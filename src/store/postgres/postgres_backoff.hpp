// How long to leave a database alone that could not be reached.
#pragma once

#include <algorithm>
#include <chrono>
#include <random>

namespace belfry::store::postgres {

// Doubles from 100 ms to 5 s, each with jitter, so that many servers do not come back in step.
class Backoff {
public:
    [[nodiscard]] std::chrono::milliseconds next() {
        const auto most = delay_;
        delay_ = std::min(delay_ * 2, kMost);
        return std::chrono::milliseconds(std::uniform_int_distribution<std::int64_t>(most.count() / 2, most.count())(random_));
    }
    void reset() { delay_ = kLeast; }

private:
    static constexpr std::chrono::milliseconds kLeast{100};
    static constexpr std::chrono::milliseconds kMost{5'000};

    std::chrono::milliseconds delay_ = kLeast;
    std::minstd_rand random_{std::random_device{}()};
};

}  // namespace belfry::store::postgres
