// Calendars.
#include <algorithm>

#include "base/crypto/uuid.hpp"
#include "model/schedule/schedule_json.hpp"
#include "store/errors.hpp"
#include "store/sql/read/page_reader.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/tenant_rows.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_calendars.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_tenants.hpp"

namespace belfry::store::sql {

Result<void> SqlStore::put_calendar(const std::string& tenant, const CalendarRecord& record) {
    const auto& calendar = record.calendar;
    if (decide::find_built_in_calendar(calendar.name)) return calendar_is_built_in(calendar.name);
    const auto key = model::tenant_key(tenant);
    const auto stored_version = [&](Session& session) -> Result<std::int64_t> {
        auto stored = read_all(session, kCalendar, {key, calendar.name});
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
        auto stored = read_all(session, kCalendar, {key, calendar.name});
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
        auto stored = read_all(session, kCalendar, {key, name});
        if (!stored) return stored.error();
        if (stored->empty()) return calendar_not_found(name);
        const auto user = read_one(session, kCalendarUser, {key, name});
        if (!user) return user.error();
        if (*user) return calendar_in_use(name, **user);
        auto done = session.run(kDeleteCalendar, {key, name});
        if (!done) return done.error();
        return {};
    };
    return commit(work, [&](Session& session) -> Result<CommitOutcome> {
        auto owner = find_tenant(session, tenant, kLockTenant);
        if (!owner) return owner.error();
        auto stored = read_all(session, kCalendar, {key, name});
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
        auto read = read_all(session, kCalendar, {model::tenant_key(tenant), name});
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
        [](const CalendarRecord& record) { return record.calendar.name; }, kCalendars);
}

}  // namespace belfry::store::sql
