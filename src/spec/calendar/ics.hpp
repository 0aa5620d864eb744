// Converts iCalendar files (RFC 5545) to dates and back. Pure; reads no clock.
//
// A calendar holds dates, not times. An event covers the local dates on which it happens: an event in UTC is converted
// to the calendar's zone, and any other keeps the dates in the file. Events that cannot be read are ignored and listed,
// and so is a zone that is not known. A file that is not iCalendar is rejected.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/calendar/calendar.hpp"

namespace belfry::spec {

inline constexpr std::size_t kIcsBytesMax = std::size_t{1} << 20;  // 1 MiB: some ten thousand events
inline constexpr int kIcsHorizonYears = 10;                        // after today: the end of repeating events
inline constexpr int kIcsPastYears = 1;                            // before today: the start of repeating events
inline constexpr int kIcsEventDaysMax = 366;                       // days that one event may cover
inline constexpr std::size_t kIcsIgnoredMax = 50;                  // ignored events to list by name
inline constexpr std::int64_t kIcsDaysLookedAtMax = 5'000'000;     // for all events of a file: a second at most

struct IcsIgnored {
    std::string event;  // its summary, otherwise its UID; escaped, truncated if long
    std::string reason;
    friend bool operator==(const IcsIgnored&, const IcsIgnored&) = default;
};

struct IcsReading {
    std::vector<Date> dates = {};          // sorted, distinct, at most kCalendarDatesMax
    std::string timezone = {};             // the zone of the dates
    std::size_t events = 0;                // events that added or removed dates
    std::vector<IcsIgnored> ignored = {};  // events, and unknown zones once each; the first kIcsIgnoredMax
    std::size_t ignored_count = 0;
};

struct IcsOptions {
    std::string timezone = {};  // of the calendar; empty: the file's own, or UTC
    Date today = {};
};

[[nodiscard]] Result<IcsReading> read_ics(std::string_view text, const ZoneDatabase& zones, const IcsOptions& options);

// Writes one event per run of consecutive dates.
[[nodiscard]] std::string write_ics(const CalendarText& calendar, Instant now);

}  // namespace belfry::spec
