// A compiled cron expression: the wall-clock seconds that it matches. Pure, immutable, safe to share; calls do not
// allocate.
//
// All day logic (both day fields, L, W, #) depends only on the length of a month and the weekday of its first day. So
// it is precomputed for the 4 x 7 possible months, and a search only tests bits.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>

#include "spec/cron/cron_expression.hpp"

namespace belfry::spec {

class CronPattern {
public:
    // REQUIRES: not an `@every` expression.
    explicit CronPattern(const CronExpression& expression);

    // The first match at or after `from`, or the last at or before it; empty if there is none in the years 1 to 9999.
    [[nodiscard]] std::optional<LocalSeconds> at_or_after(LocalSeconds from) const;
    [[nodiscard]] std::optional<LocalSeconds> at_or_before(LocalSeconds from) const;

    // The first and last time of day at which it fires on a matching date.
    [[nodiscard]] Seconds first_time_of_day() const { return Seconds{first_second_of_day_}; }
    [[nodiscard]] Seconds last_time_of_day() const { return Seconds{last_second_of_day_}; }

    // False for expressions such as 30 February.
    [[nodiscard]] bool can_match() const;

    // The shortest time between two matches on one day or across midnight; a day if there is one match per day.
    [[nodiscard]] Seconds shortest_spacing() const;

private:
    struct Date;
    using Days = std::uint32_t;  // bit d for day d of the month

    [[nodiscard]] bool has_year(int year) const;
    [[nodiscard]] std::uint32_t months_in(int year) const;
    [[nodiscard]] Days days_of(unsigned month_length, std::int64_t first_day) const;
    [[nodiscard]] std::int64_t time_at_or_after(unsigned second_of_day) const;
    [[nodiscard]] std::int64_t time_at_or_before(unsigned second_of_day) const;

    std::uint64_t seconds_ = 0;
    std::uint64_t minutes_ = 0;
    std::uint32_t hours_ = 0;
    std::array<std::uint32_t, 2> months_ = {};  // months with a matching day, in common and in leap years
    bool every_year_ = true;
    std::int32_t first_second_of_day_ = 0;
    std::int32_t last_second_of_day_ = 0;
    std::array<std::array<Days, 7>, 4> month_days_ = {};  // [length - 28][weekday of the first]
    std::bitset<kYearLast - kYearFirst + 1> years_;
};

}  // namespace belfry::spec
