// Statements for tenants.
#include "store/sql/statements/statements.hpp"

namespace belfry::store::sql {

namespace {

const std::string kTenantColumns =
    "s.name, s.description, s.dispatch_enabled, s.schedules_max, s.runs_per_day, s.created_us, s.version, "
    "s.followed_us, s.webhooks, "
    "s.stored_bytes_max";
const std::string kOfName = "s.tenant_key = :key AND s.name = :name::text ";  // sql/rows.hpp: tenant_place()

}  // namespace

const Statement kTenants("tenants", "SELECT " + kTenantColumns + " FROM tenants s ORDER BY s.name");
const Statement kTenantsAfter("tenants after",
                              "SELECT s.name FROM tenants s WHERE s.name > :after::text ORDER BY s.name LIMIT :limit");
const Statement kTenant("tenant", "SELECT " + kTenantColumns + " FROM tenants s WHERE " + kOfName);
const Statement kLockTenant("lock tenant",
                            "SELECT " + kTenantColumns + " FROM tenants s WHERE " + kOfName + "{for update}");
const Statement kShareTenant("share tenant",
                             "SELECT " + kTenantColumns + " FROM tenants s WHERE " + kOfName + "{for share}");
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
