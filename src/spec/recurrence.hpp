// Recurrence rules of iCalendar (RFC 5545) as far as dates go: the time of day is somebody else's. Pure, and always ends: a
// rule that never matches costs no more than one that does.
//
// libical reads the text. Its own search is not used: for some rules, such as the fifth Monday that is also the first of
// the month, it does not end.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/instant.hpp"

namespace belfry::spec {

inline constexpr std::size_t kRecurrenceBytesMax = 2'000;  // of a rule's text

struct Recurrence {
    enum class Every : std::uint8_t { day, week, month, year };
    // `nth` of its month or year, from the end when it is negative; 0: all of them.
    struct Weekday {
        std::chrono::weekday day;
        int nth = 0;
        friend bool operator==(const Weekday&, const Weekday&) = default;
    };

    Every every = Every::day;
    int interval = 1;
    std::optional<int> count = {};
    std::optional<LocalSeconds> until = {};  // included
    bool until_is_date = false;              // its time of day says nothing
    bool until_is_utc = false;
    std::vector<int> months = {};
    std::vector<int> month_days = {};
    std::vector<int> year_days = {};
    std::vector<Weekday> weekdays = {};
    std::vector<int> positions = {};  // among the days of one period
    std::chrono::weekday week_start = std::chrono::Monday;
    friend bool operator==(const Recurrence&, const Recurrence&) = default;
};

// Refuses what is finer than a day and what other calendars than the Gregorian say. May be called by several threads.
[[nodiscard]] Result<Recurrence> parse_recurrence(std::string_view text);

struct RecurrenceRange {
    std::chrono::sys_days start;  // where the rule begins to count
    std::chrono::sys_days from;   // what is asked for, both included
    std::chrono::sys_days to;
};

// The days of the rule, in order. Looks at no more than `days_left` days and takes what it has looked at off it.
[[nodiscard]] std::vector<std::chrono::sys_days> days_of(const Recurrence& rule, const RecurrenceRange& range, std::int64_t& days_left);

}  // namespace belfry::spec
