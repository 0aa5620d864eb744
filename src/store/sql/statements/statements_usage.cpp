#include "store/sql/statements/statements_usage.hpp"

namespace belfry::store::sql {

namespace {

std::string octets(const std::string& column) { return "COALESCE({octets}" + column + "{end octets}, 0)"; }

// A range of a table in key order: key, tenant and size of each row.
std::string stretch(const std::string& keys, const std::string& tenant, const std::string& bytes,
                    const std::string& tables) {
    return "SELECT " + keys + ", " + tenant + ", " + bytes + " FROM " + tables + " WHERE (" + keys +
           ") > (:first, :second) ORDER BY " + keys + " LIMIT :rows";
}

// The same for tables with a longer key: rows with the same prefix are summed up.
std::string grouped(const std::string& keys, const std::string& bytes, const std::string& table) {
    return "SELECT q.schedule_key, q.slot, c.tenant_key, q.bytes FROM (SELECT " + keys + ", CAST(sum(" + bytes +
           ") AS BIGINT) AS bytes FROM " + table + " WHERE (" + keys + ") > (:first, :second) GROUP BY " + keys +
           " ORDER BY " + keys +
           " LIMIT :rows) q JOIN schedules c ON c.schedule_key = q.schedule_key ORDER BY q.schedule_key, q.slot";
}

MeasuredRow read_measured(Columns& row) { return {{row.integer(), row.integer()}, row.integer(), row.integer()}; }

}  // namespace

const Query<MeasuredRow> kMeasureDefinitions(
    "measure definitions",
    stretch("d.schedule_key, d.version", "c.tenant_key", octets("d.body"),
            "definitions d JOIN schedules c ON c.schedule_key = d.schedule_key"),
    read_measured);
const Query<MeasuredRow> kMeasureRuns("measure runs",
                                      stretch("r.schedule_key, r.slot", "r.tenant_key",
                                              octets("r.input") + " + " + octets("r.result") + " + " +
                                                  octets("r.error"),
                                              "runs r"),
                                      read_measured);
const Query<MeasuredRow> kMeasureEvents("measure events",
                                        stretch("e.schedule_key, e.sequence", "c.tenant_key", octets("e.payload"),
                                                "events e JOIN schedules c ON c.schedule_key = e.schedule_key"),
                                        read_measured);
const Query<MeasuredRow> kMeasureNodes("measure nodes",
                                       grouped("schedule_key, slot",
                                               octets("input") + " + " + octets("result") + " + " + octets("error"),
                                               "run_nodes"),
                                       read_measured);
const Query<MeasuredRow> kMeasureRunEvents("measure events of runs",
                                           grouped("schedule_key, slot", octets("payload"), "run_events"),
                                           read_measured);
const Query<MeasuredRow> kMeasureWorkflows(
    "measure workflows",
    stretch("v.workflow_key, v.version", "w.tenant_key", octets("v.body"),
            "workflow_versions v JOIN workflows w ON w.workflow_key = v.workflow_key"),
    read_measured);
const Query<MeasuredRow> kMeasureCalendars(
    "measure calendars",
    "SELECT tenant_key, 0, tenant_key, CAST(sum(" + octets("body") +
        ") AS BIGINT) FROM calendars WHERE tenant_key > :first AND :second IS NOT NULL GROUP BY tenant_key "
        "ORDER BY tenant_key LIMIT :rows",
    read_measured);

const Statement kPutMeasured(
    "put measured bytes",
    "INSERT INTO tenant_usage (tenant_key, stored_bytes, measured_us) {values} :tenant, :bytes, :at {end values, rows} "
    "ON CONFLICT (tenant_key) DO UPDATE SET stored_bytes = excluded.stored_bytes, measured_us = excluded.measured_us");
const Statement kClearMeasured("clear measured bytes",
                               "UPDATE tenant_usage SET stored_bytes = 0, measured_us = :at WHERE measured_us < :at");
const Query<TenantUsage> kTenantUsage(
    "usage of a tenant",
    "SELECT COALESCE(n.schedules, 0), COALESCE(d.runs, 0), u.stored_bytes, u.measured_us FROM tenants s "
    "LEFT JOIN tenant_counts n ON n.tenant_key = s.tenant_key "
    "LEFT JOIN tenant_days d ON d.tenant_key = s.tenant_key AND d.day = :day "
    "LEFT JOIN tenant_usage u ON u.tenant_key = s.tenant_key WHERE s.tenant_key = :tenant",
    [](Columns& row) {
        return TenantUsage{row.integer(), row.integer(), row.optional_integer(), row.optional_instant()};
    });
const Query<TenantRuns> kTenantDays(
    "days of tenants",
    "SELECT d.tenant_key, d.runs FROM tenant_days d JOIN tenants s ON s.tenant_key = d.tenant_key {, rows} "
    "WHERE d.tenant_key = :tenant AND d.day = :day AND s.runs_per_day IS NULL",
    [](Columns& row) {
        return TenantRuns{row.integer(), row.integer()};
    });
const Query<TenantOverLimit> kTenantsOverBytes(
    "tenants over their bytes",
    "SELECT s.name, u.stored_bytes, COALESCE(s.stored_bytes_max, :default) FROM tenant_usage u "
    "JOIN tenants s ON s.tenant_key = u.tenant_key WHERE u.stored_bytes >= COALESCE(s.stored_bytes_max, :default) "
    "ORDER BY u.tenant_key",
    [](Columns& row) {
        return TenantOverLimit{row.text(), row.integer(), row.integer()};
    });

}  // namespace belfry::store::sql
