// Statements for calendars.
#pragma once

#include <string>

#include "base/result.hpp"
#include "store/sql/row.hpp"
#include "store/store.hpp"

namespace belfry::store::sql {

extern const Query<Result<CalendarRecord>> kCalendars;
extern const Query<Result<CalendarRecord>> kCalendar;
extern const Statement kInsertCalendar;
extern const Statement kUpdateCalendar;
extern const Statement kDeleteCalendar;
extern const Query<std::string> kCalendarUser;

}  // namespace belfry::store::sql
