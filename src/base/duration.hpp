// Lengths of time and their texts: ISO 8601 (`PT1H30M`) and the short form that people type (`1h30m`). Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/instant.hpp"

namespace belfry {

// A hundred years of 365 days: longer than any interval means, short enough that no sum overflows.
inline constexpr Micros kDurationMax = std::chrono::hours{24 * 36500};

// ISO 8601 with weeks, days, hours, minutes and seconds (these may have decimals); a day is 24 hours. Years and months
// are refused, because their length varies, and so are signs. `PT0S` is a duration; whether zero makes sense is the
// caller's business.
[[nodiscard]] Result<Micros> parse_iso_duration(std::string_view text);

// Either an ISO 8601 duration or units after numbers: `90s`, `1h30m`, `1.5h`, `2d`, `250ms`.
[[nodiscard]] Result<Micros> parse_duration(std::string_view text);

// The shortest ISO 8601 text in days, hours, minutes and seconds: `PT90M` comes back as `PT1H30M`.
[[nodiscard]] std::string format_duration(Micros duration);

}  // namespace belfry
