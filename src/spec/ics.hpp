// iCalendar files (RFC 5545) as dates, and dates as such files. Pure; no clock is read.
//
// A calendar knows dates, not times. So an event covers the dates on which it happens, as its own zone's wall says: an event
// that is given in UTC is taken to the zone of the calendar, any other keeps the dates that it was written with. What cannot
// be read is ignored by name; what cannot be an iCalendar file at all is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/calendar.hpp"

namespace belfry::spec {

inline constexpr std::size_t kIcsBytesMax = std::size_t{1} << 20;  // 1 MiB: some ten thousand events
inline constexpr int kIcsHorizonYears = 10;                        // after today, until which an event repeats
inline constexpr int kIcsPastYears = 1;                            // before today, from which on it does
inline constexpr int kIcsEventDaysMax = 366;                       // that one event may cover
inline constexpr std::size_t kIcsIgnoredMax = 50;                  // told by name
inline constexpr std::int64_t kIcsDaysLookedAtMax = 5'000'000;     // for all events of a file: a second at most

struct IcsIgnored {
    std::string event;  // its summary, else its UID; visible, cut when it is long
    std::string reason;
    friend bool operator==(const IcsIgnored&, const IcsIgnored&) = default;
};

struct IcsReading {
    std::vector<Date> dates = {};          // sorted, distinct, at most kCalendarDatesMax
    std::string timezone = {};             // the zone that dates were taken to
    std::size_t events = 0;                // that gave dates, or took some away
    std::vector<IcsIgnored> ignored = {};  // the first kIcsIgnoredMax
    std::size_t ignored_count = 0;
};

struct IcsOptions {
    std::string timezone = {};  // of the calendar; empty: the file's own, or UTC
    Date today = {};
};

[[nodiscard]] Result<IcsReading> read_ics(std::string_view text, const ZoneDatabase& zones, const IcsOptions& options);

// One event for each stretch of consecutive dates.
[[nodiscard]] std::string write_ics(const CalendarText& calendar, Instant now);

}  // namespace belfry::spec
