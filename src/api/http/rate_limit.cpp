#include "api/http/rate_limit.hpp"

#include <algorithm>

namespace belfry::api {

RateLimiter::Bucket& RateLimiter::bucket_of(const std::string& who, Micros now) {
    if (const auto found = by_name_.find(who); found != by_name_.end()) {
        buckets_.splice(buckets_.begin(), buckets_, found->second);
        return buckets_.front();
    }
    if (buckets_.size() >= buckets_max_) {
        by_name_.erase(buckets_.back().who);
        buckets_.pop_back();
    }
    buckets_.push_front({who, static_cast<double>(rate_.burst), now});
    by_name_[who] = buckets_.begin();
    return buckets_.front();
}

RateLimiter::Bucket& RateLimiter::filled_bucket(const std::string& who, Micros now) {
    auto& bucket = bucket_of(who, now);
    const auto passed_s = static_cast<double>((now - bucket.filled_at).count()) / 1e6;
    bucket.tokens = std::min(static_cast<double>(rate_.burst),
                             bucket.tokens + std::max(passed_s, 0.0) * static_cast<double>(rate_.per_second));
    bucket.filled_at = std::max(now, bucket.filled_at);  // another thread may have read the clock later and come first
    return bucket;
}

Result<void> RateLimiter::take(const std::string& who) {
    if (rate_.per_second <= 0) return {};
    const auto now = clock_.now();
    const MutexLock lock(mutex_);
    auto& bucket = filled_bucket(who, now);
    if (bucket.tokens < 1) {
        return Error{ErrorCode::exhausted, "too many requests; " + std::to_string(rate_.per_second) +
                                               " per second are allowed; retry after a second"};
    }
    bucket.tokens -= 1;
    return {};
}

void RateLimiter::charge(const std::string& who, std::size_t tokens) {
    if (rate_.per_second <= 0) return;
    const auto now = clock_.now();
    const MutexLock lock(mutex_);
    filled_bucket(who, now).tokens -= static_cast<double>(tokens);
}

std::size_t RateLimiter::buckets() const {
    const MutexLock lock(mutex_);
    return buckets_.size();
}

}  // namespace belfry::api
