// Common parts of the executor and the publishers, which process the server's own queues.
#pragma once

#include <cstddef>

#include "base/result.hpp"
#include "base/time/instant.hpp"

namespace belfry::engine {

inline constexpr int kBeatsPerLease = 3;            // two may be lost before the lease ends
inline constexpr std::size_t kHeardMax = 10'000;    // notifications between two steps; more cause a sweep
inline constexpr std::size_t kReadyTimesMax = 100;  // that a line remembers; regular checks find later ones
inline constexpr Micros kKnownFor = Seconds{150};   // after a line's last task: enough for one task per minute
inline constexpr Micros kSweepLeast = Seconds{2};   // between two sweeps, however many notifications were lost
inline constexpr Micros kStepMost = Seconds{60};

// The store may succeed a moment later; any other error stays the same with every retry.
[[nodiscard]] inline bool is_transient(const Error& error) {
    return error.code == ErrorCode::unavailable || error.code == ErrorCode::unknown;
}

}  // namespace belfry::engine
