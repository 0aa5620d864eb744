#include "store/sql/statements/statements_calendars.hpp"

#include "model/schedule/schedule_json.hpp"
#include "store/sql/values.hpp"

namespace belfry::store::sql {

namespace {

Result<CalendarRecord> read_calendar(Columns& row) {
    const auto json = parse_stored(row.view());
    auto calendar = json ? model::calendar_from_json(*json) : Result<spec::CalendarText>(json.error());
    if (!calendar) return Error{ErrorCode::corrupt, "a stored calendar cannot be read: " + calendar.error().message};
    return CalendarRecord{std::move(*calendar), row.integer()};
}

}  // namespace

const Query<Result<CalendarRecord>> kCalendars(
    "calendars",
    "SELECT body, version FROM calendars WHERE tenant_key = :tenant AND name > :after::text "
    "ORDER BY name LIMIT :limit",
    read_calendar);
const Query<Result<CalendarRecord>> kCalendar(
    "calendar", "SELECT s.body, s.version FROM calendars s WHERE s.tenant_key = :tenant AND s.name = :name::text",
    read_calendar);
const Statement kInsertCalendar(
    "insert calendar",
    "INSERT INTO calendars (tenant_key, name, body, version) VALUES (:tenant, :name::text, :body::text, :version)");
const Statement kUpdateCalendar(
    "update calendar",
    "UPDATE calendars SET body = :body::text, version = :version WHERE tenant_key = :tenant AND name = :name::text "
    "AND version = :version - 1");
const Statement kDeleteCalendar("delete calendar",
                                "DELETE FROM calendars WHERE tenant_key = :tenant AND name = :name::text");
const Query<std::string> kCalendarUser(
    "user of a calendar",
    "SELECT c.name FROM schedule_calendars u JOIN schedules c ON c.schedule_key = u.schedule_key "
    "WHERE u.tenant_key = :tenant AND u.calendar = :name::text AND c.status <> 3 ORDER BY c.name LIMIT 1",
    read_text);

}  // namespace belfry::store::sql
