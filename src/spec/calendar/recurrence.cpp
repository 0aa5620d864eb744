#include "spec/calendar/recurrence.hpp"

#include <libical/ical.h>

#include <algorithm>
#include <span>
#include <string>

#include "base/concurrency/mutex.hpp"
#include "base/text/ascii.hpp"

namespace belfry::spec {

namespace chrono = std::chrono;

namespace {

using chrono::sys_days;
using Every = Recurrence::Every;

constexpr int kIntervalMax = 9'999;  // chrono can still add that many years, and all searches end earlier

// The numbers of a list, which ends with a sentinel unless it is full.
std::vector<int> numbers(std::span<const short> list) {
    std::vector<int> result;
    for (const short number : list) {
        if (number == ICAL_RECURRENCE_ARRAY_MAX) break;
        result.push_back(number);
    }
    return result;
}

chrono::weekday weekday_of(icalrecurrencetype_weekday day) {
    return chrono::weekday{static_cast<unsigned>(day - ICAL_SUNDAY_WEEKDAY)};
}

std::optional<Every> every_of(icalrecurrencetype_frequency frequency) {
    switch (frequency) {
        case ICAL_DAILY_RECURRENCE: return Every::day;
        case ICAL_WEEKLY_RECURRENCE: return Every::week;
        case ICAL_MONTHLY_RECURRENCE: return Every::month;
        case ICAL_YEARLY_RECURRENCE: return Every::year;
        default: return std::nullopt;
    }
}

icalrecurrencetype read_rule(const std::string& text) {
    // libical keeps its settings and zones in global variables.
    static Mutex mutex;
    const MutexLock lock(mutex);
    icalerror_set_errors_are_fatal(0);
    return icalrecurrencetype_from_string(text.c_str());
}

std::optional<LocalSeconds> local_of(const icaltimetype& time) {
    const chrono::year_month_day date{chrono::year{time.year}, chrono::month{static_cast<unsigned>(time.month)},
                                      chrono::day{static_cast<unsigned>(time.day)}};
    if (time.year < 1 || time.year > 9999 || !date.ok()) return std::nullopt;
    return chrono::local_days{date} + chrono::hours{time.hour} + chrono::minutes{time.minute} +
           chrono::seconds{time.second};
}

template <typename T>
bool has(const std::vector<T>& list, const T& value) {
    return std::ranges::find(list, value) != list.end();
}

// Whether the list is empty or contains the number, counted from the start or from the end.
bool is_listed(const std::vector<int>& list, int number, int length) {
    return list.empty() || has(list, number) || has(list, number - length - 1);
}

sys_days first_of_month(sys_days day) {
    const chrono::year_month_day date{day};
    return date.year() / date.month() / 1;
}
sys_days first_of_year(sys_days day) { return chrono::year_month_day{day}.year() / 1 / 1; }

// The position of a day within its month or year, and the length of that period.
struct Around {
    int number;
    int length;
};
Around in_month(sys_days day) {
    const chrono::year_month_day date{day};
    const auto last = chrono::year_month_day{date.year() / date.month() / chrono::last};
    return {static_cast<int>(static_cast<unsigned>(date.day())), static_cast<int>(static_cast<unsigned>(last.day()))};
}
Around in_year(sys_days day) {
    const auto begin = first_of_year(day);
    return {static_cast<int>((day - begin).count()) + 1, chrono::year_month_day{day}.year().is_leap() ? 366 : 365};
}

bool fits_weekday(const Recurrence& rule, sys_days day) {
    if (rule.weekdays.empty()) return true;
    const bool by_month = rule.every == Every::month || !rule.months.empty();
    const auto place = by_month ? in_month(day) : in_year(day);
    const int nth = (place.number - 1) / 7 + 1;
    const int nth_from_end = -((place.length - place.number) / 7 + 1);
    return std::ranges::any_of(rule.weekdays, [&](const auto& wanted) {
        return wanted.day == chrono::weekday{day} &&
               (wanted.nth == 0 || wanted.nth == nth || wanted.nth == nth_from_end);
    });
}

// The start day decides everything that the rule leaves open.
bool fits_start(const Recurrence& rule, sys_days day, sys_days start) {
    const bool says_day = !rule.weekdays.empty() || !rule.month_days.empty() || !rule.year_days.empty();
    if (says_day || rule.every == Every::day) return true;
    if (rule.every == Every::week) return chrono::weekday{day} == chrono::weekday{start};
    const chrono::year_month_day date{day};
    const chrono::year_month_day first{start};
    return date.day() == first.day() &&
           (rule.every == Every::month || !rule.months.empty() || date.month() == first.month());
}

bool fits(const Recurrence& rule, sys_days day, sys_days start) {
    const auto month = in_month(day);
    const auto year = in_year(day);
    const int number_of_month = static_cast<int>(static_cast<unsigned>(chrono::year_month_day{day}.month()));
    return (rule.months.empty() || has(rule.months, number_of_month)) &&
           is_listed(rule.month_days, month.number, month.length) &&
           is_listed(rule.year_days, year.number, year.length) && fits_weekday(rule, day) &&
           fits_start(rule, day, start);
}

// period_of: the first day of the period that contains `day`. later: the first day of the period `steps` after
// `period`.
sys_days period_of(const Recurrence& rule, sys_days day) {
    switch (rule.every) {
        case Every::day: return day;
        case Every::week: return day - (chrono::weekday{day} - rule.week_start);
        case Every::month: return first_of_month(day);
        case Every::year: return first_of_year(day);
    }
    return day;
}
sys_days later(const Recurrence& rule, sys_days period, int steps) {
    const chrono::year_month_day date{period};
    switch (rule.every) {
        case Every::day: return period + chrono::days{steps};
        case Every::week: return period + chrono::weeks{steps};
        case Every::month: return sys_days{date + chrono::months{steps}};
        case Every::year: return sys_days{date + chrono::years{steps}};
    }
    return period;
}

std::vector<sys_days> chosen(const std::vector<sys_days>& days, const std::vector<int>& positions) {
    if (positions.empty()) return days;
    std::vector<sys_days> result;
    for (std::size_t i = 0; i < days.size(); ++i) {
        if (is_listed(positions, static_cast<int>(i) + 1, static_cast<int>(days.size()))) result.push_back(days[i]);
    }
    return result;
}

}  // namespace

Result<Recurrence> parse_recurrence(std::string_view text) {
    if (text.size() > kRecurrenceBytesMax)
        return invalid("the rule has more than " + std::to_string(kRecurrenceBytesMax) + " bytes");
    // Rejected before libical sees it, because libical would leak the calendar's name.
    if (lower_case(text).find("rscale") != std::string::npos)
        return invalid("the rule uses a calendar other than the Gregorian (RSCALE)");
    const auto read = read_rule(std::string(text));
    if (read.freq == ICAL_NO_RECURRENCE) return invalid("the rule " + in_quotes(text) + " cannot be read");
    const auto every = every_of(read.freq);
    if (!every) return invalid("the rule repeats more often than daily");
    if (read.by_week_no[0] != ICAL_RECURRENCE_ARRAY_MAX)
        return invalid("the rule uses week numbers (BYWEEKNO), which are not supported");
    Recurrence rule;
    rule.every = *every;
    rule.interval = std::clamp<int>(read.interval, 1, kIntervalMax);
    if (read.count > 0) rule.count = read.count;
    if (!icaltime_is_null_time(read.until)) {
        rule.until = local_of(read.until);
        if (!rule.until) return invalid("the rule ends on a date that does not exist");
        rule.until_is_date = read.until.is_date != 0;
        rule.until_is_utc = icaltime_is_utc(read.until) != 0;
    }
    rule.months = numbers(read.by_month);
    rule.month_days = numbers(read.by_month_day);
    rule.year_days = numbers(read.by_year_day);
    rule.positions = numbers(read.by_set_pos);
    for (const int day : numbers(read.by_day)) {
        const auto number = static_cast<short>(day);
        const auto weekday = icalrecurrencetype_day_day_of_week(number);
        if (weekday == ICAL_NO_WEEKDAY) return invalid("the rule names a weekday that cannot be read");
        rule.weekdays.push_back({weekday_of(weekday), icalrecurrencetype_day_position(number)});
    }
    if (read.week_start != ICAL_NO_WEEKDAY) rule.week_start = weekday_of(read.week_start);
    return rule;
}

std::vector<sys_days> days_of(const Recurrence& rule, const RecurrenceRange& range, std::int64_t& days_left) {
    std::vector<sys_days> result;
    int counted = 0;
    for (auto period = period_of(rule, range.start); period <= range.to; period = later(rule, period, rule.interval)) {
        std::vector<sys_days> days;
        for (auto day = period; day < later(rule, period, 1); day += chrono::days{1}) {
            if (--days_left < 0) return result;
            if (fits(rule, day, range.start)) days.push_back(day);
        }
        for (const auto day : chosen(days, rule.positions)) {
            if (day < range.start) continue;
            if (day > range.to || (rule.count && counted == *rule.count)) return result;
            counted += 1;
            if (day >= range.from) result.push_back(day);
        }
    }
    return result;
}

}  // namespace belfry::spec
