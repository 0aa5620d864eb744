// Tenants: read one and its usage, create one, change its limits. A tenant cannot be deleted, because its history would
// be lost. Thread-safe.
#pragma once

#include <functional>

#include "store/tenant_store.hpp"

namespace belfry::engine {

inline constexpr std::size_t kTenantNameMax = 63;  // fits a host name label, a namespace and a metric label

// Returns an error unless the name is 1 to kTenantNameMax of a-z, 0-9, `-`, `_` and `.`, and not only dots. Older
// tenants may have other names.
[[nodiscard]] std::optional<Error> check_tenant_name(std::string_view name);

class Tenants {
public:
    // REQUIRES: the store outlives it.
    explicit Tenants(store::TenantStore& store) : store_(store) {}

    [[nodiscard]] Result<model::Tenant> get(const std::string& name) { return store_.tenant(name); }
    [[nodiscard]] Result<std::vector<model::Tenant>> list() { return store_.tenants(); }
    [[nodiscard]] Result<store::TenantUsage> usage(const std::string& name);

    // Sets the version and the creation time.
    [[nodiscard]] Result<model::Tenant> create(model::Tenant tenant);

    // Replaces everything but the name and the creation time. With a version, returns a conflict if the stored
    // version differs.
    [[nodiscard]] Result<model::Tenant> replace(model::Tenant tenant, std::optional<std::int64_t> version);

private:
    store::TenantStore& store_;
};

}  // namespace belfry::engine
