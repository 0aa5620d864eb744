// The parsed text of a cron expression, validated but not yet compiled. Pure.
//
// Grammar (whitespace is blanks and tabs; names and letters in any case):
//
//   expression = [ ("CRON_TZ=" / "TZ=") zone ] ( macro / "@every" duration / fields )
//   macro      = "@yearly" / "@annually" / "@monthly" / "@weekly" / "@daily" / "@midnight" / "@hourly"
//   fields     = minute hour day-of-month month day-of-week                        (5)
//              / second minute hour day-of-month month day-of-week                 (6)
//              / second minute hour day-of-month month day-of-week year            (7)
//   field      = item *( "," item )                 a day-of-week field may start with "+": both day fields must match
//              / "?"                                day fields only: any day
//   item       = ( "*" / value / value "-" value ) [ "/" step ]     "a/n" runs to the end of the field; "22-2" and
//   "FRI-MON"
//                                                           wrap around
//              / "L" [ "-" n ] [ "W" ] / n "W"              day of month: last day, n before it, nearest weekday
//              / d "#" k / d "L"                            day of week: the k-th in the month, the last in the month
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time/instant.hpp"

namespace belfry::spec {

// In the order of the seven-field form; also the index into CronExpression::fields.
enum class CronUnit : std::uint8_t { second, minute, hour, day_of_month, month, day_of_week, year };
inline constexpr std::size_t kCronUnits = 7;

// The smallest and largest value of a unit in an expression. Day of week also accepts 7 for Sunday.
struct ValueRange {
    int first;
    int last;
};
inline constexpr int kYearFirst = 1970;
inline constexpr int kYearLast = 2199;
inline constexpr std::array<ValueRange, kCronUnits> kUnitRanges{
    {{0, 59}, {0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 7}, {kYearFirst, kYearLast}}};

[[nodiscard]] constexpr ValueRange range_of(CronUnit unit) { return kUnitRanges[static_cast<std::size_t>(unit)]; }
[[nodiscard]] std::string_view unit_name(CronUnit unit);  // "minute", "day-of-month", …

struct CronItem {
    enum class Kind : std::uint8_t {
        all,              // `*`, `?`, `*/step`
        range,            // first-last/step; a single value has first == last; `a/n` has open_end
        last_day,         // L, L-offset: the last day of the month, or `first` days before it
        last_weekday,     // LW, L-offsetW: the weekday (Monday to Friday) nearest to that day
        nearest_weekday,  // firstW
        nth_in_month,     // first#nth, first a day of the week (0 is Sunday)
        last_in_month,    // firstL, first a day of the week (0 is Sunday)
    };
    Kind kind = Kind::all;
    int first = 0;
    int last = 0;
    int step = 1;
    int nth = 0;
    bool has_step = false;
    bool open_end = false;
    friend bool operator==(const CronItem&, const CronItem&) = default;
};

struct CronField {
    std::string text;  // as written
    std::vector<CronItem> items;

    // Debian's test for "unrestricted": it checks only the first character, so `*/2` counts.
    [[nodiscard]] bool starts_with_star() const {
        return !text.empty() && (text.front() == '*' || text.front() == '?');
    }
    friend bool operator==(const CronField&, const CronField&) = default;
};

struct CronExpression {
    std::optional<std::string> zone = {};  // from CRON_TZ= or TZ=
    std::optional<Seconds> every = {};     // @every: then the fields are empty
    std::string macro = {};                // "@daily" if written as a macro; the fields hold its meaning
    bool has_seconds = false;              // written with six or seven fields
    bool has_year = false;                 // written with seven fields
    bool days_must_both_match = false;     // otherwise either day field is enough
    std::array<CronField, kCronUnits> fields = {};

    [[nodiscard]] const CronField& field(CronUnit unit) const { return fields[static_cast<std::size_t>(unit)]; }

    // Whether it follows real time through DST changes instead of the wall clock: the second, minute or hour field is a
    // star.
    [[nodiscard]] bool wildcard() const;
    friend bool operator==(const CronExpression&, const CronExpression&) = default;
};

inline constexpr std::size_t kCronTextMax = 1024;  // a list of all minutes, hours and days has about 400 characters

// Rejects malformed expressions with the field, the column and the fix, and expressions that can never match with the
// reason.
[[nodiscard]] Result<CronExpression> parse_cron(std::string_view text);

}  // namespace belfry::spec
