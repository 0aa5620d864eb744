// The statements of tenants, calendars, backfills and request keys.
#include "store/sql/statements.hpp"

namespace belfry::store::sql {

namespace {

const std::string kTenantColumns =
    "s.name, s.description, s.dispatch_enabled, s.schedules_max, s.runs_per_day, s.created_us, s.version, s.followed_us, s.webhooks";
const std::string kOfName = "s.tenant_key = :key AND s.name = :name::text ";  // sql/rows.hpp: tenant_place()
const std::string kBackfillColumns =
    "s.id, c.id, s.from_us, s.to_us, s.overlap, s.status, s.next_from_us, s.dispatched, s.skipped, s.error, s.created_by, s.created_us, "
    "s.updated_us, s.version, s.concurrency, s.rerun, s.schedule_key";
const std::string kBackfillTables = " FROM backfills s JOIN schedules c ON c.schedule_key = s.schedule_key ";

}  // namespace

const Statement kTenants("tenants", "SELECT " + kTenantColumns + " FROM tenants s ORDER BY s.name");
const Statement kTenantsAfter("tenants after", "SELECT s.name FROM tenants s WHERE s.name > :after::text ORDER BY s.name LIMIT :limit");
const Statement kTenant("tenant", "SELECT " + kTenantColumns + " FROM tenants s WHERE " + kOfName);
const Statement kLockTenant("lock tenant", "SELECT " + kTenantColumns + " FROM tenants s WHERE " + kOfName + "{for update}");
const Statement kShareTenant("share tenant", "SELECT " + kTenantColumns + " FROM tenants s WHERE " + kOfName + "{for share}");
const Statement kInsertTenant(
    "insert tenant",
    "INSERT INTO tenants (tenant_key, name, description, dispatch_enabled, schedules_max, runs_per_day, created_us, version) "
    "VALUES (:key, :name::text, :description::text, :enabled, :schedules_max, :runs_per_day, :created, :version)");
const Statement kUpdateTenant("update tenant",
                              "UPDATE tenants SET description = :description::text, dispatch_enabled = :enabled, schedules_max = :schedules_max, "
                              "runs_per_day = :runs_per_day, version = :version WHERE tenant_key = :key AND version = :version - 1");

const Statement kCalendars("calendars", "SELECT body, version FROM calendars WHERE tenant_key = :tenant ORDER BY name");
const Statement kCalendar("calendar", "SELECT s.body, s.version FROM calendars s WHERE s.tenant_key = :tenant AND s.name = :name::text");
const Statement kInsertCalendar("insert calendar",
                                "INSERT INTO calendars (tenant_key, name, body, version) VALUES (:tenant, :name::text, :body::text, :version)");
const Statement kUpdateCalendar("update calendar",
                                "UPDATE calendars SET body = :body::text, version = :version WHERE tenant_key = :tenant AND name = :name::text "
                                "AND version = :version - 1");
const Statement kDeleteCalendar("delete calendar", "DELETE FROM calendars WHERE tenant_key = :tenant AND name = :name::text");
const Statement kCalendarUser("user of a calendar",
                              "SELECT c.name FROM schedule_calendars u JOIN schedules c ON c.schedule_key = u.schedule_key "
                              "WHERE u.tenant_key = :tenant AND u.calendar = :name::text AND c.status <> 3 ORDER BY c.name LIMIT 1");

const Statement kBackfill("backfill", "SELECT " + kBackfillColumns + kBackfillTables + "WHERE s.backfill_key = :key AND c.tenant_key = :tenant");
const Statement kLockBackfill("lock backfill",
                              "SELECT " + kBackfillColumns + kBackfillTables + "WHERE s.backfill_key = :key AND c.tenant_key = :tenant {for update}");
const Statement kBackfillsOfSchedule("backfills of a schedule",
                                     "SELECT " + kBackfillColumns + kBackfillTables + "WHERE s.schedule_key = :key ORDER BY s.created_us DESC, s.id");
const Statement kBackfillExists("backfill exists", "SELECT id FROM backfills WHERE backfill_key = :key");
const Statement kBackfillNotOver("backfill that is not over", "SELECT id FROM backfills WHERE schedule_key = :key AND status < 2");
const Statement kRunningBackfills("running backfills", "SELECT " + kBackfillColumns + ", t.name" + kBackfillTables +
                                                           "JOIN tenants t ON t.tenant_key = c.tenant_key WHERE s.status = 0 "
                                                           "ORDER BY s.created_us, s.id LIMIT :limit");
const Statement kInsertBackfill(
    "insert backfill",
    "INSERT INTO backfills (backfill_key, id, schedule_key, from_us, to_us, overlap, status, next_from_us, dispatched, skipped, "
    "error, created_by, created_us, updated_us, version, concurrency, rerun) VALUES (:key, :id::text, :schedule, :from, :to, :overlap, :status, "
    ":next, :dispatched, :skipped, :error::text, :by::text, :created, :updated, :version, :concurrency, :rerun)");
const Statement kUpdateBackfill(
    "update backfill",
    "UPDATE backfills SET status = :status, next_from_us = :next, dispatched = :dispatched, skipped = :skipped, "
    "error = :error::text, updated_us = :updated, version = :version WHERE backfill_key = :key AND version = :version - 1");

const Statement kRequest("request",
                         "SELECT q.fingerprint, c.id, q.schedule_key, q.slot, b.id, q.created_us FROM requests q "
                         "JOIN schedules c ON c.schedule_key = q.schedule_key LEFT JOIN backfills b ON b.backfill_key = q.backfill_key "
                         "WHERE q.tenant_key = :tenant AND q.key = :request::text");
const Statement kOldRequests("old requests",
                             "SELECT tenant_key, key FROM requests WHERE created_us < :before ORDER BY created_us, tenant_key, key LIMIT :limit");
const Statement kDeleteRequests("delete requests",
                                "DELETE FROM requests {using rows} WHERE requests.tenant_key = :tenant AND requests.key = :request::text");

}  // namespace belfry::store::sql
