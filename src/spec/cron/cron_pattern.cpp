#include "spec/cron/cron_pattern.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace belfry::spec {

namespace chrono = std::chrono;

namespace {

constexpr std::int64_t kSecondsPerDay = 86400;
constexpr std::int64_t kNoTime = -1;
constexpr int kSearchYearFirst = 1;
constexpr int kSearchYearLast = 9999;

// A year field cannot match outside of these years.
constexpr LocalSeconds kYearFieldBegin = chrono::local_days{chrono::year{kYearFirst} / 1 / 1};
constexpr LocalSeconds kYearFieldEnd =
    chrono::local_days{chrono::year{kYearLast} / 12 / 31} + Seconds{kSecondsPerDay - 1};

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

constexpr bool is_leap(int year) { return (year & 3) == 0 && (year % 100 != 0 || (year & 15) == 0); }

// The months of a year: their lengths and the number of days before them, by month number from 1.
struct Months {
    std::array<unsigned char, 13> length;
    std::array<std::int16_t, 13> days_before;
    std::int16_t days;
};
constexpr std::array<Months, 2> kMonths{Months{{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31},
                                               {0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334},
                                               365},
                                        Months{{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31},
                                               {0, 0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335},
                                               366}};

constexpr const Months& months_of(int year) { return kMonths[is_leap(year) ? 1 : 0]; }

// 0 is Sunday. Day 0, 1 January 1970, was a Thursday; the multiple of 7 keeps the sum positive for every year.
constexpr unsigned weekday_of(std::int64_t day) { return static_cast<unsigned>(day + 4 + 7LL * 1'000'000) % 7U; }

struct Clock {
    unsigned hour;
    unsigned minute;
    unsigned second;
};
constexpr Clock clock_of(unsigned second_of_day) {
    return {second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60};
}
constexpr std::int64_t time_of(unsigned hour, unsigned minute, unsigned second) {
    return hour * 3600 + minute * 60 + second;
}

LocalSeconds moment(std::int64_t day, std::int64_t time) { return LocalSeconds{Seconds{day * kSecondsPerDay + time}}; }

// Bit operations on sets of small numbers.
template <typename Bits>
constexpr Bits at_or_above(Bits bits, unsigned n) {
    return n >= sizeof(Bits) * 8 ? Bits{0} : bits & (~Bits{0} << n);
}
template <typename Bits>
constexpr Bits above(Bits bits, unsigned n) {
    return at_or_above(bits, n + 1);
}
template <typename Bits>
constexpr Bits below(Bits bits, unsigned n) {
    return bits & ~at_or_above(~Bits{0}, n);
}
template <typename Bits>
constexpr Bits at_or_below(Bits bits, unsigned n) {
    return below(bits, n + 1);
}
template <typename Bits>
constexpr unsigned lowest(Bits bits) {
    return static_cast<unsigned>(std::countr_zero(bits));
}
template <typename Bits>
constexpr unsigned highest(Bits bits) {
    return static_cast<unsigned>(sizeof(Bits) * 8 - 1) - static_cast<unsigned>(std::countl_zero(bits));
}
template <typename Bits>
constexpr bool contains(Bits bits, unsigned n) {
    return ((bits >> n) & 1) != 0;
}

// Calls `add` with every value of a star or a range, which may wrap around.
template <typename Add>
void expand(CronUnit unit, const CronItem& item, const Add& add) {
    auto [first, last] = range_of(unit);
    if (unit == CronUnit::day_of_week) last = 6;
    const int span = last - first + 1;
    const int from = item.kind == CronItem::Kind::all ? first : item.first;
    int to = item.kind == CronItem::Kind::all ? last : item.last;
    if (to < from) to += span;
    for (int value = from; value <= to; value += item.step) add(value > last ? value - span : value);
}

template <typename Bits>
Bits bits_of(const CronExpression& expression, CronUnit unit) {
    Bits bits{0};
    for (const auto& item : expression.field(unit).items) {
        expand(unit, item, [&bits](int value) { bits |= Bits{1} << value; });
    }
    return bits;
}

// Most fields are a plain star, which needs no counting.
bool is_star(const CronItem& item) { return item.kind == CronItem::Kind::all && item.step == 1; }

// One of the 28 possible months.
struct MonthShape {
    unsigned length;
    unsigned first_weekday;

    [[nodiscard]] unsigned weekday(unsigned day) const { return (first_weekday + day - 1) % 7; }
    [[nodiscard]] std::uint32_t all_days() const { return below(~std::uint32_t{1}, length + 1); }

    // The weekday (Monday to Friday) nearest to `day`, without leaving the month.
    [[nodiscard]] unsigned nearest_weekday(unsigned day) const {
        if (weekday(day) == 6) return day > 1 ? day - 1 : day + 2;
        if (weekday(day) == 0) return day < length ? day + 1 : day - 2;
        return day;
    }
};

std::uint32_t month_days_matching(const CronField& field, MonthShape month) {
    std::uint32_t days = 0;
    const auto add = [&days, month](unsigned day) {
        if (day >= 1 && day <= month.length) days |= 1U << day;
    };
    for (const auto& item : field.items) {
        if (is_star(item)) return month.all_days();
        switch (item.kind) {
            case CronItem::Kind::last_day:
            case CronItem::Kind::last_weekday: {
                const auto offset = static_cast<unsigned>(item.first);
                if (offset >= month.length) break;
                const auto day = month.length - offset;
                add(item.kind == CronItem::Kind::last_day ? day : month.nearest_weekday(day));
                break;
            }
            case CronItem::Kind::nearest_weekday:
                if (const auto day = static_cast<unsigned>(item.first); day <= month.length)
                    add(month.nearest_weekday(day));
                break;
            default: expand(CronUnit::day_of_month, item, [&add](int day) { add(static_cast<unsigned>(day)); });
        }
    }
    return days;
}

std::uint32_t week_days_matching(const CronField& field, MonthShape month) {
    std::uint32_t days = 0;
    for (const auto& item : field.items) {
        if (is_star(item)) return month.all_days();
        const auto wanted = static_cast<unsigned>(item.first);
        std::uint32_t weekdays = 0;
        if (item.kind == CronItem::Kind::all || item.kind == CronItem::Kind::range) {
            expand(CronUnit::day_of_week, item, [&weekdays](int day) { weekdays |= 1U << (day % 7); });
        }
        for (unsigned day = 1; day <= month.length; ++day) {
            const bool is_wanted = month.weekday(day) == wanted;
            const bool matches = item.kind == CronItem::Kind::nth_in_month
                                     ? is_wanted && (day - 1) / 7 + 1 == static_cast<unsigned>(item.nth)
                                 : item.kind == CronItem::Kind::last_in_month ? is_wanted && day + 7 > month.length
                                                                              : contains(weekdays, month.weekday(day));
            if (matches) days |= 1U << day;
        }
    }
    return days;
}

}  // namespace

// A local second as a date and a time of day.
struct CronPattern::Date {
    std::int64_t day;  // since 1970-01-01
    unsigned second_of_day;
    int year;
    unsigned month;
    unsigned day_of_month;

    explicit Date(LocalSeconds local) : day(floor_div(local.time_since_epoch().count(), kSecondsPerDay)) {
        second_of_day = static_cast<unsigned>(local.time_since_epoch().count() - day * kSecondsPerDay);
        const chrono::year_month_day date{chrono::sys_days{chrono::days{day}}};
        year = static_cast<int>(date.year());
        month = static_cast<unsigned>(date.month());
        day_of_month = static_cast<unsigned>(date.day());
    }
    [[nodiscard]] std::int64_t first_of_month() const { return day - day_of_month + 1; }
    [[nodiscard]] std::int64_t new_year() const { return first_of_month() - months_of(year).days_before[month]; }
};

CronPattern::CronPattern(const CronExpression& expression)
    : seconds_(bits_of<std::uint64_t>(expression, CronUnit::second)),
      minutes_(bits_of<std::uint64_t>(expression, CronUnit::minute)),
      hours_(bits_of<std::uint32_t>(expression, CronUnit::hour)) {
    assert(!expression.every);
    first_second_of_day_ = static_cast<std::int32_t>(lowest(hours_) * 3600 + lowest(minutes_) * 60 + lowest(seconds_));
    last_second_of_day_ =
        static_cast<std::int32_t>(highest(hours_) * 3600 + highest(minutes_) * 60 + highest(seconds_));
    const auto& days = expression.field(CronUnit::day_of_month);
    const auto& weekdays = expression.field(CronUnit::day_of_week);
    for (unsigned length = 28; length <= 31; ++length) {
        for (unsigned first = 0; first < 7; ++first) {
            const MonthShape month{length, first};
            const auto by_date = month_days_matching(days, month);
            const auto by_weekday = week_days_matching(weekdays, month);
            month_days_[length - 28][first] =
                expression.days_must_both_match ? by_date & by_weekday : by_date | by_weekday;
        }
    }
    const auto months = bits_of<std::uint32_t>(expression, CronUnit::month);
    for (std::size_t leap = 0; leap < 2; ++leap) {
        for (unsigned month = 1; month <= 12; ++month) {
            const auto& shapes = month_days_[kMonths[leap].length[month] - 28U];
            if (contains(months, month) && std::ranges::any_of(shapes, [](Days any) { return any != 0; }))
                months_[leap] |= 1U << month;
        }
    }
    const auto& years = expression.field(CronUnit::year);
    every_year_ = years.items.size() == 1 && years.items.front() == CronItem{.kind = CronItem::Kind::all};
    for (const auto& item : years.items) {
        expand(CronUnit::year, item, [this](int year) { years_.set(static_cast<std::size_t>(year - kYearFirst)); });
    }
}

bool CronPattern::has_year(int year) const {
    return every_year_ ||
           (year >= kYearFirst && year <= kYearLast && years_.test(static_cast<std::size_t>(year - kYearFirst)));
}

std::uint32_t CronPattern::months_in(int year) const { return months_[is_leap(year) ? 1 : 0]; }

CronPattern::Days CronPattern::days_of(unsigned month_length, std::int64_t first_day) const {
    return month_days_[month_length - 28][weekday_of(first_day)];
}

// The first matching time of day at or after the given one, or kNoTime.
std::int64_t CronPattern::time_at_or_after(unsigned second_of_day) const {
    const auto [hour, minute, second] = clock_of(second_of_day);
    if (contains(hours_, hour)) {
        if (contains(minutes_, minute)) {
            if (const auto seconds = at_or_above(seconds_, second)) return time_of(hour, minute, lowest(seconds));
        }
        if (const auto minutes = above(minutes_, minute)) return time_of(hour, lowest(minutes), lowest(seconds_));
    }
    if (const auto hours = above(hours_, hour)) return time_of(lowest(hours), lowest(minutes_), lowest(seconds_));
    return kNoTime;
}

// The last matching time of day at or before the given one, or kNoTime.
std::int64_t CronPattern::time_at_or_before(unsigned second_of_day) const {
    const auto [hour, minute, second] = clock_of(second_of_day);
    if (contains(hours_, hour)) {
        if (contains(minutes_, minute)) {
            if (const auto seconds = at_or_below(seconds_, second)) return time_of(hour, minute, highest(seconds));
        }
        if (const auto minutes = below(minutes_, minute)) return time_of(hour, highest(minutes), highest(seconds_));
    }
    if (const auto hours = below(hours_, hour)) return time_of(highest(hours), highest(minutes_), highest(seconds_));
    return kNoTime;
}

std::optional<LocalSeconds> CronPattern::at_or_after(LocalSeconds from) const {
    if (!every_year_) from = std::max(from, kYearFieldBegin);
    const Date date(from);
    int year = date.year;
    std::uint32_t months = at_or_above(months_in(year), date.month);
    if (has_year(year) && contains(months, date.month)) {
        const auto days =
            at_or_above(days_of(months_of(year).length[date.month], date.first_of_month()), date.day_of_month);
        if (contains(days, date.day_of_month)) {
            if (const auto time = time_at_or_after(date.second_of_day); time != kNoTime) return moment(date.day, time);
        }
        if (const auto later = above(days, date.day_of_month)) {
            return moment(date.first_of_month() + lowest(later) - 1, first_second_of_day_);
        }
    }
    const int last_year = every_year_ ? kSearchYearLast : kYearLast;
    months = above(months, date.month);
    for (auto new_year = date.new_year(); year <= last_year;
         new_year += months_of(year).days, ++year, months = months_in(year)) {
        if (!has_year(year)) continue;
        const auto& calendar = months_of(year);
        for (; months != 0; months &= months - 1) {
            const auto month = lowest(months);
            const auto first_day = new_year + calendar.days_before[month];
            if (const auto days = days_of(calendar.length[month], first_day))
                return moment(first_day + lowest(days) - 1, first_second_of_day_);
        }
    }
    return std::nullopt;
}

std::optional<LocalSeconds> CronPattern::at_or_before(LocalSeconds from) const {
    if (!every_year_) from = std::min(from, kYearFieldEnd);
    const Date date(from);
    int year = date.year;
    std::uint32_t months = at_or_below(months_in(year), date.month);
    if (has_year(year) && contains(months, date.month)) {
        const auto days =
            at_or_below(days_of(months_of(year).length[date.month], date.first_of_month()), date.day_of_month);
        if (contains(days, date.day_of_month)) {
            if (const auto time = time_at_or_before(date.second_of_day); time != kNoTime) return moment(date.day, time);
        }
        if (const auto earlier = below(days, date.day_of_month)) {
            return moment(date.first_of_month() + highest(earlier) - 1, last_second_of_day_);
        }
    }
    const int first_year = every_year_ ? kSearchYearFirst : kYearFirst;
    months = below(months, date.month);
    for (auto new_year = date.new_year(); year >= first_year;
         --year, new_year -= months_of(year).days, months = months_in(year)) {
        if (!has_year(year)) continue;
        const auto& calendar = months_of(year);
        for (; months != 0; months = below(months, highest(months))) {
            const auto month = highest(months);
            const auto first_day = new_year + calendar.days_before[month];
            if (const auto days = days_of(calendar.length[month], first_day))
                return moment(first_day + highest(days) - 1, last_second_of_day_);
        }
    }
    return std::nullopt;
}

bool CronPattern::can_match() const {
    // The calendar repeats every 400 years, and any 400 years contain every possible month.
    return at_or_after(every_year_ ? LocalSeconds{} : kYearFieldBegin).has_value();
}

Seconds CronPattern::shortest_spacing() const {
    auto shortest = Seconds{kSecondsPerDay - last_second_of_day_ + first_second_of_day_};
    for (std::int64_t time = first_second_of_day_; time < last_second_of_day_;) {
        const auto next = time_at_or_after(static_cast<unsigned>(time) + 1);
        shortest = std::min(shortest, Seconds{next - time});
        time = next;
    }
    return shortest;
}

}  // namespace belfry::spec
