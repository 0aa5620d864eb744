#include "spec/calendar/calendar.hpp"

namespace belfry::spec {

namespace chrono = std::chrono;

namespace {

// The days on which US federal offices are closed. 4 July 2026 is a Saturday, so it is observed on 3 July.
CalendarText us_federal_holidays() {
    return {"us-federal-holidays-2026",
            CalendarKind::skip_dates,
            "America/New_York",
            {"2026-01-01", "2026-01-19", "2026-02-16", "2026-05-25", "2026-06-19", "2026-07-03", "2026-09-07",
             "2026-10-12", "2026-11-11", "2026-11-26", "2026-12-25"},
            true};
}

// National days, and the two religious feasts, each with the half day before it.
CalendarText tr_public_holidays() {
    return {"tr-public-holidays-2026",
            CalendarKind::skip_dates,
            "Europe/Istanbul",
            {"2026-01-01", "2026-03-20", "2026-03-21", "2026-03-22", "2026-03-23", "2026-04-23", "2026-05-01",
             "2026-05-19", "2026-05-26", "2026-05-27", "2026-05-28", "2026-05-29", "2026-05-30", "2026-07-15",
             "2026-08-30", "2026-10-29"},
            true};
}

CalendarText weekends_only() {
    CalendarText calendar{"weekends-only", CalendarKind::only_dates, "UTC", {}, true};
    const auto end = chrono::sys_days{chrono::year{2027} / 1 / 1};
    for (auto day = chrono::sys_days{chrono::year{2026} / 1 / 1}; day < end; day += chrono::days{1}) {
        const chrono::weekday weekday{day};
        if (weekday == chrono::Saturday || weekday == chrono::Sunday) calendar.dates.push_back(format_date(day));
    }
    return calendar;
}

}  // namespace

const std::vector<CalendarText>& built_in_calendars() {
    static const std::vector<CalendarText> calendars{us_federal_holidays(), tr_public_holidays(), weekends_only()};
    return calendars;
}

}  // namespace belfry::spec
