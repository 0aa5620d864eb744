// Finds tenants by name.
#pragma once

#include "store/errors.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/statements/statements_tenants.hpp"

namespace belfry::store::sql {

// Nothing when there is no such tenant. The query may lock its row.
[[nodiscard]] inline Result<std::optional<model::Tenant>> find_tenant(Session& session, const std::string& name,
                                                                      const Query<TenantRow>& query = kTenant) {
    auto found = read_one(session, query, tenant_place(name));
    if (!found) return found.error();
    return *found ? std::optional(std::move((*found)->tenant)) : std::nullopt;
}

// not_found if the tenant does not exist. The query may lock its row.
[[nodiscard]] inline Result<void> require_tenant(Session& session, const std::string& name,
                                                 const Query<TenantRow>& query = kTenant) {
    bool exists = false;
    auto read = session.run(query, tenant_place(name), [&exists](const Row&) { exists = true; });
    if (!read) return read.error();
    if (!exists) return tenant_not_found(name);
    return {};
}

}  // namespace belfry::store::sql
