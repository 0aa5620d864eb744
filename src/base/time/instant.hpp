// Points in time and their RFC 3339 text. Pure; reads no clock.
//
// An Instant is UTC with microseconds. Wall-clock times have another type, std::chrono::local_seconds, so that the
// compiler keeps them apart.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry {

using Micros = std::chrono::microseconds;
using Seconds = std::chrono::seconds;
using Instant = std::chrono::sys_time<Micros>;
using LocalSeconds = std::chrono::local_seconds;

// The range of years that RFC 3339 can express. Parsers and searches stay inside it.
inline constexpr Instant kInstantMin = std::chrono::sys_days{std::chrono::year{1} / 1 / 1};
inline constexpr Instant kInstantMax =
    std::chrono::sys_days{std::chrono::year{9999} / 12 / 31} + std::chrono::hours{24} - Micros{1};

// Since 1970, rounded down.
[[nodiscard]] constexpr std::int64_t epoch_us(Instant instant) { return instant.time_since_epoch().count(); }
[[nodiscard]] constexpr std::int64_t epoch_ms(Instant instant) {
    return std::chrono::floor<std::chrono::milliseconds>(instant).time_since_epoch().count();
}
[[nodiscard]] constexpr std::int64_t epoch_s(Instant instant) {
    return std::chrono::floor<Seconds>(instant).time_since_epoch().count();
}

// Parses RFC 3339 with a zone (`Z` or `+01:00`) and up to nine decimals of a second (kept to microseconds). Rejects
// leap seconds, because POSIX time cannot express them.
[[nodiscard]] Result<Instant> parse_instant(std::string_view text);

// `2026-11-15T09:00:00Z`, with `.123456` only if there is a fraction. This and the next write a time outside the years
// 0001 to 9999 as the first or the last of them.
[[nodiscard]] std::string format_instant(Instant instant);

// The nearest time inside the years 0001 to 9999: a zone may lead out of them.
[[nodiscard]] LocalSeconds shown_local(LocalSeconds local);

// `2026-11-15T09:00:00`: a wall-clock time without its zone.
[[nodiscard]] std::string format_local(LocalSeconds local);

// `2026-11-15`
[[nodiscard]] std::string format_date(std::chrono::year_month_day date);
[[nodiscard]] Result<std::chrono::year_month_day> parse_date(std::string_view text);

}  // namespace belfry
