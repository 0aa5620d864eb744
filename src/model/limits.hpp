// Limits on request values, the same for every API and dialect. Plain data.
#pragma once

#include <cstdint>

namespace belfry::model {

inline constexpr std::int64_t kMillisecondsMax = 100LL * 366 * 24 * 60 * 60 * 1000;  // a hundred years
inline constexpr std::int64_t kRetriesMax = 1'000;
inline constexpr std::int64_t kSignalTimeoutMsMax = 30'000;           // a decision waits for the answer
inline constexpr std::size_t kTextBytesMax = 10'000;                  // of a description or a reason
inline constexpr std::size_t kResultBytesMax = std::size_t{1} << 20;  // of an attempt's result, as JSON text
inline constexpr std::size_t kErrorBytesMax = std::size_t{64} << 10;  // of an attempt's error; longer text is cut
inline constexpr std::int64_t kGatesMax = 100;                        // in one approval policy
// How long an approval may wait: from a minute to 90 days.
inline constexpr std::int64_t kExpiresAfterMsLeast = 60LL * 1000;
inline constexpr std::int64_t kExpiresAfterMsMost = 90LL * 24 * 60 * 60 * 1000;

}  // namespace belfry::model
