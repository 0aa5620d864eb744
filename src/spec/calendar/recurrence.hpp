// Recurrence rules of iCalendar (RFC 5545), for dates only; callers handle the time of day. Pure. Every search ends: a
// rule that never matches costs no more than one that does.
//
// libical parses the text. Its own search is not used, because it does not end for some rules, such as the fifth Monday
// that is also the first of the month.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time/instant.hpp"

namespace belfry::spec {

inline constexpr std::size_t kRecurrenceBytesMax = 2'000;  // of the rule's text

struct Recurrence {
    enum class Every : std::uint8_t { day, week, month, year };
    // The `nth` of its month or year; negative: from the end; 0: all of them.
    struct Weekday {
        std::chrono::weekday day;
        int nth = 0;
        friend bool operator==(const Weekday&, const Weekday&) = default;
    };

    Every every = Every::day;
    int interval = 1;
    std::optional<int> count = {};
    std::optional<LocalSeconds> until = {};  // inclusive
    bool until_is_date = false;              // ignore its time of day
    bool until_is_utc = false;
    std::vector<int> months = {};
    std::vector<int> month_days = {};
    std::vector<int> year_days = {};
    std::vector<Weekday> weekdays = {};
    std::vector<int> positions = {};  // among the days of one period
    std::chrono::weekday week_start = std::chrono::Monday;
    friend bool operator==(const Recurrence&, const Recurrence&) = default;
};

// Rejects rules finer than a day and rules of non-Gregorian calendars. Thread-safe.
[[nodiscard]] Result<Recurrence> parse_recurrence(std::string_view text);

struct RecurrenceRange {
    std::chrono::sys_days start;  // the first day of the rule
    std::chrono::sys_days from;   // the requested range, inclusive
    std::chrono::sys_days to;
};

// The days of the rule, in order. Examines at most `days_left` days and subtracts the number it has examined.
[[nodiscard]] std::vector<std::chrono::sys_days> days_of(const Recurrence& rule, const RecurrenceRange& range,
                                                         std::int64_t& days_left);

}  // namespace belfry::spec
