// What those who work off the server's own queues have in common: the executor, and the couriers.
#pragma once

#include <cstddef>

#include "base/instant.hpp"
#include "base/result.hpp"

namespace belfry::engine {

inline constexpr int kBeatsPerLease = 3;            // two may be lost before the lease is
inline constexpr std::size_t kHeardMax = 10'000;    // announcements between two steps; more are a look at everything
inline constexpr std::size_t kReadyTimesMax = 100;  // that a line remembers; later ones are found by looking
inline constexpr Micros kKnownFor = Seconds{150};   // after a line's last task: long enough for one that has some every minute
inline constexpr Micros kSweepLeast = Seconds{2};   // between two looks at all tenants, however often some were missed
inline constexpr Micros kStepMost = Seconds{60};

// The store may know better a moment later; anything else stays as it is, however often it is told.
[[nodiscard]] inline bool may_pass(const Error& error) { return error.code == ErrorCode::unavailable || error.code == ErrorCode::unknown; }

}  // namespace belfry::engine
