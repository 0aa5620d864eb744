// How often somebody may ask: a bucket of tokens for each, filled at a steady rate. Thread-safe, bounded memory.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"

namespace belfry::api {

inline constexpr std::size_t kBucketsMax = 10'000;  // a few hundred bytes each; beyond that the longest unused is forgotten

struct Rate {
    std::int64_t per_second = 0;  // 0: no limit
    std::int64_t burst = 0;       // how many at once after a pause
};

class RateLimiter {
public:
    // REQUIRES: the clock outlives it.
    RateLimiter(Rate rate, const SteadyClock& clock, std::size_t buckets_max = kBucketsMax) : rate_(rate), clock_(clock), buckets_max_(buckets_max) {}

    // Takes one token of `who`; exhausted when there is none. With at least one token a second, a second later there is one:
    // that is what Retry-After says.
    [[nodiscard]] Result<void> take(const std::string& who);

    [[nodiscard]] std::size_t buckets() const;

private:
    struct Bucket {
        std::string who;
        double tokens = 0;
        Micros filled_at{};
    };
    using Buckets = std::list<Bucket>;
    [[nodiscard]] Bucket& bucket_of(const std::string& who, Micros now) BELFRY_REQUIRES(mutex_);

    const Rate rate_;
    const SteadyClock& clock_;
    const std::size_t buckets_max_;
    mutable Mutex mutex_;
    Buckets buckets_ BELFRY_GUARDED_BY(mutex_);  // used last, first
    std::unordered_map<std::string, Buckets::iterator> by_name_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::api
