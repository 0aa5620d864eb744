// Cron expressions by the plainest code there is: the oracle for the program's own parser and patterns.
//
// It is written from the grammar alone, shares nothing with src/spec, and answers one question: does this local second
// match? Slow and obvious on purpose.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belfry::test {

// Seconds since 1970-01-01T00:00:00 on the wall.
using LocalSecond = std::int64_t;

class BruteCron {
public:
    // Nothing when the text does not follow the grammar. A zone prefix and `@every` are not its business.
    [[nodiscard]] static std::optional<BruteCron> parse(std::string_view text);

    [[nodiscard]] bool matches(LocalSecond local) const;
    [[nodiscard]] bool matches_date(std::chrono::year_month_day date) const;
    [[nodiscard]] bool matches_time(std::int64_t second_of_day) const;

    // Whether some date matches: in the years that it names, or in the 400 years after which the calendar repeats.
    [[nodiscard]] bool ever_matches() const;

    // The seconds, minute or hour starts with a star.
    [[nodiscard]] bool wildcard() const { return wildcard_; }

    // Fires on whole minutes only, so whoever enumerates need not look at the seconds between.
    [[nodiscard]] bool whole_minutes() const { return whole_minutes_; }

private:
    struct DayOfMonthItem {
        enum class Kind : std::uint8_t { day, last, last_weekday, nearest_weekday } kind;
        unsigned n;  // the day, or how many days before the last
    };
    struct DayOfWeekItem {
        enum class Kind : std::uint8_t { weekday, nth, last } kind;
        unsigned weekday;  // 0 is Sunday
        unsigned n;
    };
    class Reader;

    [[nodiscard]] bool matches_day_of_month(std::chrono::year_month_day date) const;
    [[nodiscard]] bool matches_day_of_week(std::chrono::year_month_day date) const;

    std::array<bool, 60> seconds_ = {};
    std::array<bool, 60> minutes_ = {};
    std::array<bool, 24> hours_ = {};
    std::array<bool, 13> months_ = {};
    std::vector<DayOfMonthItem> days_of_month_;
    std::vector<DayOfWeekItem> days_of_week_;
    std::optional<std::vector<int>> years_;  // nothing: every year
    bool days_must_both_match_ = false;
    bool wildcard_ = false;
    bool whole_minutes_ = false;
};

}  // namespace belfry::test
