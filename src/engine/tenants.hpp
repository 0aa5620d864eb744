// Tenants: make one, change what it may do. Nobody deletes one: its history would go with it. Thread-safe.
#pragma once

#include <functional>

#include "store/store.hpp"

namespace belfry::engine {

inline constexpr std::size_t kTenantNameMax = 63;  // what fits a label of a host name, a namespace and a metric alike

// The error when it is not 1 to kTenantNameMax of a-z, 0-9, `-`, `_` and `.`, or only dots. Older tenants may have other names.
[[nodiscard]] std::optional<Error> check_tenant_name(std::string_view name);

class Tenants {
public:
    // REQUIRES: it outlives this.
    explicit Tenants(store::Store& store) : store_(store) {}

    // Its version and the time of its making are given here.
    [[nodiscard]] Result<model::Tenant> create(model::Tenant tenant);

    // All but its name and its making becomes as given; with a version, a conflict when it is no longer that.
    [[nodiscard]] Result<model::Tenant> replace(model::Tenant tenant, std::optional<std::int64_t> version);

private:
    store::Store& store_;
};

}  // namespace belfry::engine
