// Moments as people type them in flags, read in the zone of a schedule, and as they read them in tables. Pure.
#pragma once

#include <string>

#include "spec/zone/zone.hpp"

namespace belfry::app {

// Which way a word without a date points: `monday` is the next one for --until, and the last one for --from.
enum class Direction : bool { back, ahead };

// Accepts RFC 3339; a local date or time (`2026-12-27`, `2026-12-27 09:00`, `09:00`); `now`, `today`, `tomorrow`,
// `yesterday` and weekdays, alone or with a time in either order (`02:30 yesterday`); a duration from now (`P7D`,
// `2h`), `+` or `-` before it. A date alone is its midnight. A local time that does not exist is the first moment after
// the gap.
[[nodiscard]] Result<Instant> parse_moment(std::string_view text, const spec::Zone& zone, Instant now,
                                           Direction direction);

// `09:00 CET` today, `Mon 09:00 CET` within a week, `16 Nov 09:00 CET`, `16 Nov 2027 09:00 CET`.
[[nodiscard]] std::string short_local(Instant instant, const spec::Zone& zone, Instant now);
// `in 2 h 14 min · Mon 09:00 CET`
[[nodiscard]] std::string relative_and_local(Instant instant, const spec::Zone& zone, Instant now);
// `1.2 s`, `4 min 10 s`: how long something took.
[[nodiscard]] std::string took_text(Micros duration);

}  // namespace belfry::app
