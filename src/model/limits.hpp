// Bounds on what people may ask for, the same wherever they ask. Plain data.
#pragma once

#include <cstdint>

namespace belfry::model {

inline constexpr std::int64_t kMillisecondsMax = 100LL * 366 * 24 * 60 * 60 * 1000;  // a hundred years
inline constexpr std::int64_t kRetriesMax = 1'000;
inline constexpr std::size_t kTextBytesMax = 10'000;  // of a description

}  // namespace belfry::model
