#include "engine/jobs/counts_sampler.hpp"

namespace belfry::engine {

Micros CountsSampler::step() {
    if (!wanted_.exchange(false)) return kSampleEvery;
    const auto now = store_.now();
    auto counted = now ? store_.counts(*now) : Result<store::Counts>(now.error());
    const MutexLock lock(mutex_);
    counts_ = counted ? std::optional(std::move(*counted)) : std::nullopt;
    // After a failure, counts again even if no client reads meanwhile.
    if (!counts_) wanted_ = true;
    return kSampleEvery;
}

std::optional<store::Counts> CountsSampler::read() {
    wanted_ = true;
    const MutexLock lock(mutex_);
    return counts_;
}

}  // namespace belfry::engine
