// Tenants, calendars and backfills.
#include <algorithm>

#include "base/uuid.hpp"
#include "model/schedule_json.hpp"
#include "store/plan_rows.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements.hpp"

namespace belfry::store::sql {

namespace {

Result<std::optional<model::Tenant>> find_tenant(Session& session, const std::string& name, const Statement& statement = kTenant) {
    std::optional<model::Tenant> tenant;
    auto read = session.run(statement, tenant_place(name), [&tenant](const Row& row) { tenant = read_tenant(row); });
    if (!read) return read.error();
    return tenant;
}

Result<std::vector<CalendarRecord>> read_calendars(Session& session, const Statement& statement, const Batch& batch) {
    std::vector<CalendarRecord> records;
    std::optional<Error> failed;
    auto read = session.run(statement, batch, [&](const Row& row) {
        auto json = parse_stored(row.text(0));
        auto calendar = json ? model::calendar_from_json(*json) : Result<spec::CalendarText>(json.error());
        if (calendar) {
            records.push_back({std::move(*calendar), row.integer(1)});
        } else {
            failed = Error{ErrorCode::corrupt, "a stored calendar cannot be read: " + calendar.error().message};
        }
    });
    if (!read) return read.error();
    if (failed) return *failed;
    return records;
}

Result<std::optional<model::Backfill>> find_backfill(Session& session, const std::string& tenant, const std::string& id, const Statement& statement) {
    std::optional<model::Backfill> found;
    auto read = session.run(statement, {model::key_of(id), model::tenant_key(tenant)}, [&found](const Row& row) { found = read_backfill(row); });
    if (!read) return read.error();
    if (found && found->id != id) found.reset();
    return found;
}

}  // namespace

Result<void> SqlStore::put_tenant(const model::Tenant& tenant) {
    const auto key = model::tenant_key(tenant.name);
    const auto work = [&](Session& session) -> Result<void> {
        auto stored = find_tenant(session, tenant.name, kLockTenant);
        if (!stored) return stored.error();
        if (!*stored) {
            // There is no row that the others could wait for; that of the default tenant stands in for it.
            if (auto alone = find_tenant(session, model::kDefaultTenant, kLockTenant); !alone) return alone.error();
        }
        const auto expected = *stored ? (*stored)->version + 1 : 1;
        if (tenant.version != expected) return version_conflict("tenant " + tenant.name, expected);
        const Value enabled = std::int64_t{tenant.dispatch_enabled};
        auto done = *stored ? session.run(kUpdateTenant, {tenant.description, enabled, null_or(tenant.schedules_max), null_or(tenant.runs_per_day),
                                                          tenant.version, key})
                            : session.run(kInsertTenant, {key, tenant.name, tenant.description, enabled, null_or(tenant.schedules_max),
                                                          null_or(tenant.runs_per_day), epoch_us(tenant.created_at), tenant.version});
        if (!done) return done.error();
        return switches_on(*stored, tenant) ? announce(session, {LookAgain{}}) : Result<void>();
    };
    return commit(work, [&](Session& session) -> Result<Happened> {
        if (tenant.version == 1) {
            if (auto alone = find_tenant(session, model::kDefaultTenant, kLockTenant); !alone) return alone.error();
        }
        auto stored = find_tenant(session, tenant.name, kLockTenant);
        if (!stored) return stored.error();
        if (!*stored || (*stored)->version < tenant.version) return Happened::no;
        if ((*stored)->version > tenant.version) return Happened::unclear;
        auto same = tenant;
        same.created_at = (*stored)->created_at;  // which an update leaves as it is
        return **stored == same ? Happened::yes : Happened::no;
    });
}

Result<model::Tenant> SqlStore::tenant(const std::string& name) {
    std::optional<model::Tenant> tenant;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto found = find_tenant(session, name);
        if (!found) return found.error();
        tenant = std::move(*found);
        return {};
    });
    if (!done) return done.error();
    if (!tenant) return tenant_not_found(name);
    return *tenant;
}

Result<std::vector<model::Tenant>> SqlStore::tenants() {
    std::vector<model::Tenant> all;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = session.run(kTenants, {}, [&all](const Row& row) { all.push_back(read_tenant(row)); });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    return all;
}

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
        // The tenant's row orders those who change its calendars.
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
        // Whoever compiled a schedule with the old dates must notice.
        done = session.run(kStampUsers, {static_cast<std::int64_t>(system_random() >> 1U), key, calendar.name});
        if (!done) return done.error();
        return {};
    };
    return commit(work, [&](Session& session) -> Result<Happened> {
        auto owner = find_tenant(session, tenant, kLockTenant);
        if (!owner) return owner.error();
        auto stored = read_calendars(session, kCalendar, {key, calendar.name});
        if (!stored) return stored.error();
        if (stored->empty() || stored->front().version < record.version) return Happened::no;
        if (stored->front().version > record.version) return Happened::unclear;
        return stored->front() == record ? Happened::yes : Happened::no;
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
    return commit(work, [&](Session& session) -> Result<Happened> {
        auto owner = find_tenant(session, tenant, kLockTenant);
        if (!owner) return owner.error();
        auto stored = read_calendars(session, kCalendar, {key, name});
        if (!stored) return stored.error();
        return stored->empty() ? Happened::yes : Happened::no;
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

Result<std::vector<CalendarRecord>> SqlStore::calendars(const std::string& tenant) {
    std::vector<CalendarRecord> records;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto owner = find_tenant(session, tenant);
        if (!owner) return owner.error();
        if (!*owner) return tenant_not_found(tenant);
        auto read = read_calendars(session, kCalendars, {model::tenant_key(tenant)});
        if (!read) return read.error();
        records = std::move(*read);
        return {};
    });
    if (!done) return done.error();
    return records;
}

Result<void> SqlStore::create_backfill(const std::string& tenant, const model::Backfill& backfill, const std::optional<model::RequestKey>& request) {
    const auto work = [&](Session& session) -> Result<void> {
        auto key = find_schedule(session, {tenant, backfill.schedule_id});
        if (!key) return key.error();
        if (auto locked = session.run(kLockStatesWait, {*key}); !locked) return locked.error();
        if (request) {
            auto written = session.run(kInsertRequest, {model::tenant_key(tenant), request->key, request->fingerprint, *key, std::monostate(),
                                                        model::key_of(backfill.id), epoch_us(backfill.created_at)});
            if (!written) return written.error();
            if (*written == 0) return request_taken();
        }
        std::optional<std::string> other;
        auto read = session.run(kBackfillNotOver, {*key}, [&other](const Row& row) { other = text_at(row, 0); });
        if (!read) return read.error();
        if (other) return backfill_running(*other);
        bool taken = false;
        read = session.run(kBackfillExists, {model::key_of(backfill.id)}, [&taken](const Row&) { taken = true; });
        if (!read) return read.error();
        if (taken) return backfill_taken(backfill.id);
        const Value overlap = backfill.overlap ? Value(static_cast<std::int64_t>(*backfill.overlap)) : Value();
        auto done =
            session.run(kInsertBackfill,
                        {model::key_of(backfill.id), backfill.id, *key, epoch_us(backfill.from), epoch_us(backfill.to), overlap,
                         static_cast<std::int64_t>(backfill.status), null_or(backfill.next_from), backfill.dispatched, backfill.skipped,
                         backfill.error, backfill.created_by, epoch_us(backfill.created_at), epoch_us(backfill.updated_at), backfill.version,
                         backfill.concurrency ? Value(std::int64_t{*backfill.concurrency}) : Value(), static_cast<std::int64_t>(backfill.rerun)});
        if (!done) return done.error();
        return {};
    };
    return commit(work, [&](Session& session) -> Result<Happened> {
        if (auto locked = session.run(kLockStatesWait, {model::key_of(backfill.schedule_id)}); !locked) return locked.error();
        auto stored = find_backfill(session, tenant, backfill.id, kBackfill);
        if (!stored) return stored.error();
        return *stored ? Happened::yes : Happened::no;
    });
}

Result<model::Backfill> SqlStore::backfill(const std::string& tenant, const std::string& id) {
    std::optional<model::Backfill> backfill;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto found = find_backfill(session, tenant, id, kBackfill);
        if (!found) return found.error();
        backfill = std::move(*found);
        return {};
    });
    if (!done) return done.error();
    if (!backfill) return backfill_not_found(id);
    return *backfill;
}

Result<std::vector<model::Backfill>> SqlStore::backfills(const ScheduleRef& schedule) {
    std::vector<model::Backfill> all;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto key = find_schedule(session, schedule);
        if (!key) return key.error();
        auto read = session.run(kBackfillsOfSchedule, {*key}, [&all](const Row& row) { all.push_back(read_backfill(row)); });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    return all;
}

Result<std::vector<std::pair<std::string, model::Backfill>>> SqlStore::running_backfills(std::size_t limit) {
    std::vector<std::pair<std::string, model::Backfill>> all;
    auto done = database_->read([&](Session& session) -> Result<void> {
        auto read = session.run(kRunningBackfills, {static_cast<std::int64_t>(limit)},
                                [&all](const Row& row) { all.emplace_back(text_at(row, 17), read_backfill(row)); });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    return all;
}

Result<BackfillStep> SqlStore::step_backfill(const std::string& tenant, const std::string& id, const Needs& needs, const BackfillPlanner& planner) {
    PlanWriter writer;
    std::optional<BackfillStep> step;
    const auto work = [&](Session& session) -> Result<void> {
        auto first = find_backfill(session, tenant, id, kBackfill);
        if (!first) return first.error();
        if (!*first) return backfill_not_found(id);
        // The schedule's lock comes first, as everywhere; then the backfill is read again, and nobody changes it any more.
        const auto key = model::key_of((*first)->schedule_id);
        if (auto locked = session.run(kLockStatesWait, {key}); !locked) return locked.error();
        auto stored = find_backfill(session, tenant, id, kLockBackfill);
        if (!stored) return stored.error();
        if (!*stored) return backfill_not_found(id);
        std::optional<model::Backfill> changed;
        auto plan = decide_one(
            session, key, needs,
            [&](const decide::Facts& facts) -> Result<decide::Plan> {
                auto planned = planner(facts, **stored);
                if (!planned) return planned.error();
                changed = std::move(planned->backfill);
                step = BackfillStep{planned->plan, {}};
                return std::move(planned->plan);
            },
            writer);
        if (!plan) return plan.error();
        step->backfill = *changed;
        if (changed->version != (*stored)->version + 1) return version_conflict("backfill " + id, (*stored)->version + 1);
        auto done =
            session.run(kUpdateBackfill, {static_cast<std::int64_t>(changed->status), null_or(changed->next_from), changed->dispatched,
                                          changed->skipped, changed->error, epoch_us(changed->updated_at), changed->version, model::key_of(id)});
        if (!done) return done.error();
        return {};
    };
    auto done = commit(work, [&](Session& session) -> Result<Happened> {
        if (!writer.traces().empty()) return look_for(session, writer.traces());
        auto stored = find_backfill(session, tenant, id, kLockBackfill);
        if (!stored) return stored.error();
        if (!*stored || (*stored)->version < step->backfill.version) return Happened::no;
        if ((*stored)->version > step->backfill.version) return Happened::unclear;
        return **stored == step->backfill ? Happened::yes : Happened::no;
    });
    if (!done) return done.error();
    return std::move(*step);
}

}  // namespace belfry::store::sql
