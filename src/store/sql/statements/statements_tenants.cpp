#include "store/sql/statements/statements_tenants.hpp"

namespace belfry::store::sql {

namespace {

const std::string kTenantColumns =
    "s.name, s.description, s.dispatch_enabled, s.schedules_max, s.runs_per_day, "
    "s.stored_bytes_max, s.created_us, s.version, s.followed_us, s.webhooks";
const std::string kOfName = "s.tenant_key = :key AND s.name = :name::text ";  // tenant_place()

TenantRow read_tenant(Columns& row) {
    return {{row.text(), row.text(), row.flag(), row.optional_integer(), row.optional_integer(), row.optional_integer(),
             row.instant(), row.integer()},
            read_followed(row)};
}

}  // namespace

const Query<TenantRow> kTenants("tenants", "SELECT " + kTenantColumns + " FROM tenants s ORDER BY s.name", read_tenant);
const Query<std::string> kTenantsAfter(
    "tenants after", "SELECT s.name FROM tenants s WHERE s.name > :after::text ORDER BY s.name LIMIT :limit",
    read_text);
const Query<TenantRow> kTenant("tenant", "SELECT " + kTenantColumns + " FROM tenants s WHERE " + kOfName, read_tenant);
const Query<TenantRow> kLockTenant("lock tenant",
                                   "SELECT " + kTenantColumns + " FROM tenants s WHERE " + kOfName + "{for update}",
                                   read_tenant);
const Query<TenantRow> kShareTenant("share tenant",
                                    "SELECT " + kTenantColumns + " FROM tenants s WHERE " + kOfName + "{for share}",
                                    read_tenant);
const Statement kInsertTenant("insert tenant",
                              "INSERT INTO tenants (tenant_key, name, description, dispatch_enabled, schedules_max, "
                              "runs_per_day, stored_bytes_max, "
                              "created_us, version) VALUES (:key, :name::text, :description::text, :enabled, "
                              ":schedules_max, :runs_per_day, :stored_bytes_max, :created, "
                              ":version)");
const Statement kUpdateTenant(
    "update tenant",
    "UPDATE tenants SET description = :description::text, dispatch_enabled = :enabled, schedules_max = :schedules_max, "
    "runs_per_day = :runs_per_day, stored_bytes_max = :stored_bytes_max, version = :version WHERE tenant_key = :key "
    "AND version = :version - 1");

}  // namespace belfry::store::sql
