// Limits the rate of requests with one token bucket per caller. Thread-safe, bounded memory.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>

#include "base/concurrency/mutex.hpp"
#include "base/result.hpp"
#include "base/time/clock.hpp"

namespace belfry::api {

inline constexpr std::size_t kBucketsMax = 10'000;  // a few hundred bytes each

struct Rate {
    std::int64_t per_second = 0;  // 0: no limit
    std::int64_t burst = 0;       // how many at once after a pause
};

class RateLimiter {
public:
    // REQUIRES: the clock outlives it.
    RateLimiter(Rate rate, const SteadyClock& clock, std::size_t buckets_max = kBucketsMax)
        : rate_(rate), clock_(clock), buckets_max_(buckets_max) {}

    // Takes one token of `who`; returns exhausted when there is none. With at least one token per second, there is one
    // a second later, as Retry-After states.
    [[nodiscard]] Result<void> take(const std::string& who);

    // Takes more tokens after take(), even if there are fewer: then `who` waits until they are refilled.
    void charge(const std::string& who, std::size_t tokens);

    [[nodiscard]] std::size_t buckets() const;

private:
    struct Bucket {
        std::string who;
        double tokens = 0;
        Micros filled_at{};
    };
    using Buckets = std::list<Bucket>;
    // With the tokens of now.
    [[nodiscard]] Bucket& filled_bucket(const std::string& who, Micros now) BELFRY_REQUIRES(mutex_);
    [[nodiscard]] Bucket& bucket_of(const std::string& who, Micros now) BELFRY_REQUIRES(mutex_);

    const Rate rate_;
    const SteadyClock& clock_;
    const std::size_t buckets_max_;
    mutable Mutex mutex_;
    Buckets buckets_ BELFRY_GUARDED_BY(mutex_);  // most recently used first
    std::unordered_map<std::string, Buckets::iterator> by_name_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::api
