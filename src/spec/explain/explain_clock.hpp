// The times of day of a cron expression, and the rhythm of an interval, in words. Pure.
#pragma once

#include <string>

#include "spec/cron/cron_expression.hpp"
#include "spec/explain/explain.hpp"
#include "spec/interval.hpp"

namespace belfry::spec {

struct ClockWords {
    enum class Kind : std::uint8_t {
        times,        // "8:15 AM and 8:45 AM": follows "at"
        part_of_day,  // "Every 15 minutes from 9:00 AM to 5:45 PM"
        whole_day,    // "Every 15 minutes"
    };
    Kind kind;
    std::string text;
};

// Whether "from 10:00 PM to 2:00 AM" is allowed. It is true only if every date matches: "… on Mondays" would promise
// the small hours of Tuesday, while cron runs in those of Monday.
enum class Midnight : std::uint8_t { may_be_crossed, ends_the_day };

// REQUIRES: not an `@every` expression.
[[nodiscard]] ClockWords clock_words(const CronExpression& expression, ClockStyle style, Midnight midnight);

// "Every 6 hours starting at 12:05 AM (UTC)", "Every 7 hours, counted from 1 January 1970 (UTC)"
[[nodiscard]] std::string interval_words(const Interval& interval, ClockStyle style);

}  // namespace belfry::spec
