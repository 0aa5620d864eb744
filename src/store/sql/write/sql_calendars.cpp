// Calendars.
#include <algorithm>

#include "base/crypto/uuid.hpp"
#include "model/schedule/schedule_json.hpp"
#include "store/errors.hpp"
#include "store/sql/read/page_reader.hpp"
#include "store/sql/read/registry_rows.hpp"
#include "store/sql/read/tenant_rows.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements.hpp"

namespace belfry::store::sql {

namespace {

Result<CalendarRecord> read_calendar(const Row& row) {
    auto json = parse_stored(row.text(0));
    auto calendar = json ? model::calendar_from_json(*json) : Result<spec::CalendarText>(json.error());
    if (!calendar) return Error{ErrorCode::corrupt, "a stored calendar cannot be read: " + calendar.error().message};
    return CalendarRecord{std::move(*calendar), row.integer(1)};
}

Result<std::vector<CalendarRecord>> read_calendars(Session& session, const Statement& statement, const Batch& batch) {
    return read_rows(session, statement, batch, &read_calendar);
}

}  // namespace

Result<void> SqlStore::put_calendar(const std::string& tenant, const CalendarRecord& record) {
    const auto& calendar = record.calendar;
    if (decide::find_built_in_calendar(calendar.name)) return calendar_is_built_in(calendar.name);
    const auto key = model::tenant_key(tenant);
    const auto stored_version = [&](Session& session) -> Result<std::int64_t> {
        auto stored = read_calendars(session, kCalendar, {key, calendar.name});
        if (!stored) return stored.error();
        return stored->empty() ? 0 : stored->front().version;
    };
    const auto work = [&](Session& session) -> Result<void> {
        // Changes of a tenant's calendars lock the tenant's row.
        auto owner = find_tenant(session, tenant, kLockTenant);
        if (!owner) return owner.error();
        if (!*owner) return tenant_not_found(tenant);
        auto version = stored_version(session);
        if (!version) return version.error();
        if (record.version != *version + 1) return version_conflict("calendar " + calendar.name, *version + 1);
        auto body = to_text(model::to_json(calendar));
        auto done = *version == 0 ? session.run(kInsertCalendar, {key, calendar.name, std::move(body), record.version})
                                  : session.run(kUpdateCalendar, {std::move(body), record.version, key, calendar.name});
        if (!done) return done.error();
        // Invalidates the schedules that were compiled with the old dates.
        done = session.run(kStampUsers, {static_cast<std::int64_t>(system_random() >> 1U), key, calendar.name});
        if (!done) return done.error();
        return {};
    };
    return commit(work, [&](Session& session) -> Result<CommitOutcome> {
        auto owner = find_tenant(session, tenant, kLockTenant);
        if (!owner) return owner.error();
        auto stored = read_calendars(session, kCalendar, {key, calendar.name});
        if (!stored) return stored.error();
        if (stored->empty() || stored->front().version < record.version) return CommitOutcome::no;
        if (stored->front().version > record.version) return CommitOutcome::unclear;
        return stored->front() == record ? CommitOutcome::yes : CommitOutcome::no;
    });
}

Result<void> SqlStore::remove_calendar(const std::string& tenant, const std::string& name) {
    const auto key = model::tenant_key(tenant);
    const auto work = [&](Session& session) -> Result<void> {
        auto owner = find_tenant(session, tenant, kLockTenant);
        if (!owner) return owner.error();
        if (!*owner) return tenant_not_found(tenant);
        auto stored = read_calendars(session, kCalendar, {key, name});
        if (!stored) return stored.error();
        if (stored->empty()) return calendar_not_found(name);
        std::optional<std::string> user;
        auto read = session.run(kCalendarUser, {key, name}, [&user](const Row& row) { user = text_at(row, 0); });
        if (!read) return read.error();
        if (user) return calendar_in_use(name, *user);
        auto done = session.run(kDeleteCalendar, {key, name});
        if (!done) return done.error();
        return {};
    };
    return commit(work, [&](Session& session) -> Result<CommitOutcome> {
        auto owner = find_tenant(session, tenant, kLockTenant);
        if (!owner) return owner.error();
        auto stored = read_calendars(session, kCalendar, {key, name});
        if (!stored) return stored.error();
        return stored->empty() ? CommitOutcome::yes : CommitOutcome::no;
    });
}

Result<CalendarRecord> SqlStore::calendar(const std::string& tenant, const std::string& name) {
    std::vector<CalendarRecord> records;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto owner = find_tenant(session, tenant);
        if (!owner) return owner.error();
        if (!*owner) return tenant_not_found(tenant);
        auto read = read_calendars(session, kCalendar, {model::tenant_key(tenant), name});
        if (!read) return read.error();
        records = std::move(*read);
        return {};
    });
    if (!done) return done.error();
    if (records.empty()) return calendar_not_found(name);
    return std::move(records.front());
}

Result<Listing<CalendarRecord>> SqlStore::calendars(const std::string& tenant, const Page& page) {
    return tenant_page<CalendarRecord>(
        *database_, tenant, page, {&calendar_cursor, &parse_calendar_cursor},
        [](const CalendarRecord& record) { return record.calendar.name; }, kCalendars, &read_calendar);
}

}  // namespace belfry::store::sql
