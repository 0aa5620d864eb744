// Finds tenants by name.
#pragma once

#include "store/sql/read/rows.hpp"
#include "store/sql/statements/statements.hpp"

namespace belfry::store::sql {

// Nothing when there is no such tenant. `statement` selects the columns of a tenant, with or without a lock.
[[nodiscard]] inline Result<std::optional<model::Tenant>> find_tenant(Session& session, const std::string& name,
                                                                      const Statement& statement = kTenant) {
    std::optional<model::Tenant> tenant;
    auto read = session.run(statement, tenant_place(name), [&tenant](const Row& row) { tenant = read_tenant(row); });
    if (!read) return read.error();
    return tenant;
}

}  // namespace belfry::store::sql
