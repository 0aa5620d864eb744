#include "engine/census.hpp"

namespace belfry::engine {

Micros Census::step() {
    if (!wanted_.exchange(false)) return kCensusEvery;
    const auto now = store_.now();
    auto counted = now ? store_.counts(*now) : Result<store::Counts>(now.error());
    const MutexLock lock(mutex_);
    counts_ = counted ? std::optional(std::move(*counted)) : std::nullopt;
    // A store that was away is asked again, whether or not somebody reads meanwhile.
    if (!counts_) wanted_ = true;
    return kCensusEvery;
}

std::optional<store::Counts> Census::read() {
    wanted_ = true;
    const MutexLock lock(mutex_);
    return counts_;
}

}  // namespace belfry::engine
