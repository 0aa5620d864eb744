// Statements for calendars.
#include "store/sql/statements/statements.hpp"

namespace belfry::store::sql {

const Statement kCalendars("calendars",
                           "SELECT body, version FROM calendars WHERE tenant_key = :tenant AND name > :after::text "
                           "ORDER BY name LIMIT :limit");
const Statement kCalendar(
    "calendar", "SELECT s.body, s.version FROM calendars s WHERE s.tenant_key = :tenant AND s.name = :name::text");
const Statement kInsertCalendar(
    "insert calendar",
    "INSERT INTO calendars (tenant_key, name, body, version) VALUES (:tenant, :name::text, :body::text, :version)");
const Statement kUpdateCalendar(
    "update calendar",
    "UPDATE calendars SET body = :body::text, version = :version WHERE tenant_key = :tenant AND name = :name::text "
    "AND version = :version - 1");
const Statement kDeleteCalendar("delete calendar",
                                "DELETE FROM calendars WHERE tenant_key = :tenant AND name = :name::text");
const Statement kCalendarUser(
    "user of a calendar",
    "SELECT c.name FROM schedule_calendars u JOIN schedules c ON c.schedule_key = u.schedule_key "
    "WHERE u.tenant_key = :tenant AND u.calendar = :name::text AND c.status <> 3 ORDER BY c.name LIMIT 1");

}  // namespace belfry::store::sql
