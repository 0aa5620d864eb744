// Durations and their texts: ISO 8601 (`PT1H30M`) and the short form that people type (`1h30m`). Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/time/instant.hpp"

namespace belfry {

// A hundred years of 365 days: longer than any useful interval, and short enough that sums do not overflow.
inline constexpr Micros kDurationMax = std::chrono::hours{24 * 36500};

// Parses ISO 8601 with weeks, days, hours, minutes and seconds (with decimals); a day is 24 hours. Rejects years and
// months, because their length varies, and signs. `PT0S` is valid; the caller decides whether zero makes sense.
[[nodiscard]] Result<Micros> parse_iso_duration(std::string_view text);

// Parses an ISO 8601 duration, or numbers with units: `90s`, `1h30m`, `1.5h`, `2d`, `250ms`.
[[nodiscard]] Result<Micros> parse_duration(std::string_view text);

// The shortest ISO 8601 text in days, hours, minutes and seconds: `PT90M` becomes `PT1H30M`.
[[nodiscard]] std::string format_duration(Micros duration);

}  // namespace belfry
