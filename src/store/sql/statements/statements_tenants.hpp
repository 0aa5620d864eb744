// Statements for tenants.
#pragma once

#include <string>

#include "model/tenant/tenant.hpp"
#include "store/sql/row.hpp"

namespace belfry::store::sql {

// Who follows the decisions of a tenant.
struct Followed {
    Instant until = {};
    std::int64_t webhooks = 0;
    [[nodiscard]] bool at(Instant now) const { return webhooks > 0 || until > now; }
};
[[nodiscard]] inline Followed read_followed(Columns& row) { return {row.instant(), row.integer()}; }
struct TenantRow {
    model::Tenant tenant;
    Followed followed;
};

// The parameters that find a tenant's row: its key, and its exact name.
[[nodiscard]] inline Batch tenant_place(const std::string& name) { return {model::tenant_key(name), name}; }
// A condition for rows of a tenant: the key finds them, and the name is compared, as `:tenant_name`, the last
// parameter.
[[nodiscard]] inline std::string of_tenant_named(const std::string& table) {
    return "AND EXISTS (SELECT 1 FROM tenants t WHERE t.tenant_key = " + table +
           ".tenant_key AND t.name = :tenant_name::text)";
}

extern const Query<TenantRow> kTenants;
extern const Query<std::string> kTenantsAfter;
extern const Query<TenantRow> kTenant;
extern const Query<TenantRow> kLockTenant;
extern const Query<TenantRow> kShareTenant;
extern const Statement kInsertTenant;
extern const Statement kUpdateTenant;

}  // namespace belfry::store::sql
