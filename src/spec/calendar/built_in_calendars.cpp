#include "spec/calendar/calendar.hpp"

#include <set>

namespace belfry::spec {

namespace chrono = std::chrono;

namespace {

using chrono::sys_days;
using chrono::year;

constexpr year kFirstYear{2026};
constexpr year kLastYear{2030};

// A holiday on a Saturday is observed on the Friday before it, one on a Sunday on the Monday after it.
sys_days observed(sys_days day) {
    const chrono::weekday weekday{day};
    if (weekday == chrono::Saturday) return day - chrono::days{1};
    return weekday == chrono::Sunday ? day + chrono::days{1} : day;
}

// The days on which US federal offices are closed (5 U.S.C. 6103). New Year's Day of the next year may be observed in
// this one.
void add_us_federal_holidays(year year, std::vector<std::string>& dates) {
    using namespace std::chrono;  // NOLINT(google-build-using-namespace): the names of months and days
    std::set<sys_days> days;
    for (const auto day : {year / January / 1, year / June / 19, year / July / 4, year / November / 11,
                           year / December / 25, (year + years{1}) / January / 1})
        days.insert(observed(sys_days{day}));
    for (const auto day : {year / January / Monday[3], year / February / Monday[3], year / September / Monday[1],
                           year / October / Monday[2], year / November / Thursday[4]})
        days.insert(sys_days{day});
    days.insert(sys_days{year / May / Monday[last]});
    for (const auto day : days) {
        if (year_month_day{day}.year() == year) dates.push_back(format_date(day));
    }
}

CalendarText us_federal_holidays(std::string name, year last) {
    CalendarText calendar{std::move(name), CalendarKind::skip_dates, "America/New_York", {}, true};
    for (auto year = kFirstYear; year <= last; ++year) add_us_federal_holidays(year, calendar.dates);
    return calendar;
}

// National days, and the two religious feasts, each with the half day before it. The dates of the feasts are announced
// year by year, so a later year is not here: docs/reference/http.md says how to add it.
CalendarText tr_public_holidays() {
    return {"tr-public-holidays-2026",
            CalendarKind::skip_dates,
            "Europe/Istanbul",
            {"2026-01-01", "2026-03-20", "2026-03-21", "2026-03-22", "2026-03-23", "2026-04-23", "2026-05-01",
             "2026-05-19", "2026-05-26", "2026-05-27", "2026-05-28", "2026-05-29", "2026-05-30", "2026-07-15",
             "2026-08-30", "2026-10-29"},
            true};
}

CalendarText weekends(std::string name, year last) {
    CalendarText calendar{std::move(name), CalendarKind::only_dates, "UTC", {}, true};
    const auto end = sys_days{(last + chrono::years{1}) / 1 / 1};
    for (auto day = sys_days{kFirstYear / 1 / 1}; day < end; day += chrono::days{1}) {
        const chrono::weekday weekday{day};
        if (weekday == chrono::Saturday || weekday == chrono::Sunday) calendar.dates.push_back(format_date(day));
    }
    return calendar;
}

}  // namespace

const std::vector<CalendarText>& built_in_calendars() {
    static const std::vector<CalendarText> calendars{us_federal_holidays("us-federal-holidays-2026", kFirstYear),
                                                     tr_public_holidays(), weekends("weekends-only", kFirstYear),
                                                     us_federal_holidays("us-federal-holidays-2026-2030", kLastYear),
                                                     weekends("weekends-2026-2030", kLastYear)};
    return calendars;
}

}  // namespace belfry::spec
