// Which facts a decision needs. Pure.
#pragma once

#include <chrono>
#include <cstdint>

#include "store/store.hpp"

namespace belfry::store {

// The span and the maximum number of the target's newest results that `last_24h_stats` counts.
inline constexpr Micros kStatsSpan = std::chrono::hours{24};
inline constexpr std::int64_t kStatsRunsMax = 10'000;

// Whether the decision may need the runs in flight.
[[nodiscard]] bool wants_in_flight(const model::Schedule& definition, const FactsRequest& needs);

}  // namespace belfry::store
