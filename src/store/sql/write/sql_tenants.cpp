// Tenants.
#include <algorithm>

#include "base/crypto/uuid.hpp"
#include "model/schedule/schedule_json.hpp"
#include "store/errors.hpp"
#include "store/rules/plan_notifications.hpp"
#include "store/sql/read/page_reader.hpp"
#include "store/sql/read/tenant_rows.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_tenants.hpp"
#include "store/sql/values.hpp"

namespace belfry::store::sql {

Result<void> SqlStore::put_tenant(const model::Tenant& tenant) {
    const auto key = model::tenant_key(tenant.name);
    const auto work = [&](Session& session) -> Result<void> {
        auto stored = find_tenant(session, tenant.name, kLockTenant);
        if (!stored) return stored.error();
        if (!*stored) {
            // A new tenant has no row to lock, so creations lock the row of the default tenant.
            if (auto alone = find_tenant(session, model::kDefaultTenant, kLockTenant); !alone) return alone.error();
        }
        const auto expected = *stored ? (*stored)->version + 1 : 1;
        if (tenant.version != expected) return version_conflict("tenant " + tenant.name, expected);
        const Value enabled = std::int64_t{tenant.dispatch_enabled};
        auto done = *stored ? session.run(kUpdateTenant, {tenant.description, enabled, null_or(tenant.schedules_max),
                                                          null_or(tenant.runs_per_day),
                                                          null_or(tenant.stored_bytes_max), tenant.version, key})
                            : session.run(kInsertTenant,
                                          {key, tenant.name, tenant.description, enabled, null_or(tenant.schedules_max),
                                           null_or(tenant.runs_per_day), null_or(tenant.stored_bytes_max),
                                           epoch_us(tenant.created_at), tenant.version});
        if (!done) return done.error();
        return switches_on(*stored, tenant) ? notify(session, {Resync{}}) : Result<void>();
    };
    return commit(work, [&](Session& session) -> Result<CommitOutcome> {
        if (tenant.version == 1) {
            if (auto alone = find_tenant(session, model::kDefaultTenant, kLockTenant); !alone) return alone.error();
        }
        auto stored = find_tenant(session, tenant.name, kLockTenant);
        if (!stored) return stored.error();
        if (!*stored || (*stored)->version < tenant.version) return CommitOutcome::no;
        if ((*stored)->version > tenant.version) return CommitOutcome::unclear;
        auto same = tenant;
        same.created_at = (*stored)->created_at;  // an update does not change it
        return **stored == same ? CommitOutcome::yes : CommitOutcome::no;
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
        auto read = session.run(kTenants, {}, [&all](TenantRow row) { all.push_back(std::move(row.tenant)); });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    return all;
}

}  // namespace belfry::store::sql
