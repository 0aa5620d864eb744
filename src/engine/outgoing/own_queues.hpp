// Common parts of the executor and the publishers, which process the server's own queues.
#pragma once

#include "base/result.hpp"
#include "base/time/instant.hpp"

namespace belfry::engine {

inline constexpr int kBeatsPerLease = 3;  // two may be lost before the lease ends
inline constexpr Micros kStepMost = Seconds{60};

// The store may succeed a moment later; any other error stays the same with every retry.
[[nodiscard]] inline bool is_transient(const Error& error) {
    return error.code == ErrorCode::unavailable || error.code == ErrorCode::unknown;
}

}  // namespace belfry::engine
