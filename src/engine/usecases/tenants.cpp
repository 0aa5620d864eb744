#include "engine/usecases/tenants.hpp"

#include <algorithm>

#include "base/text/ascii.hpp"

namespace belfry::engine {

std::optional<Error> check_tenant_name(std::string_view name) {
    const auto is_allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_' || c == '.';
    };
    // `.` and `..` are path segments that many clients remove before they send a URL.
    const bool only_dots = std::ranges::all_of(name, [](char c) { return c == '.'; });
    if (!only_dots && name.size() <= kTenantNameMax && std::ranges::all_of(name, is_allowed)) return std::nullopt;
    return invalid("must be 1 to " + std::to_string(kTenantNameMax) +
                   " of a-z, 0-9, - _ and ., for example team-billing");
}

Result<store::TenantUsage> Tenants::usage(const std::string& name) {
    const auto now = store_.now();
    if (!now) return now.error();
    return store_.usage(name, *now);
}

Result<model::Tenant> Tenants::create(model::Tenant tenant) {
    if (const auto error = check_tenant_name(tenant.name)) return in_field(*error, "/name");
    const auto now = store_.now();
    if (!now) return now.error();
    tenant.version = 1;
    tenant.created_at = *now;
    auto put = store_.put_tenant(tenant);
    if (put) return tenant;
    if (put.error().code != ErrorCode::conflict) return put.error();
    return Error{ErrorCode::already_exists, "a tenant named " + tenant.name + " already exists", "/name"};
}

Result<model::Tenant> Tenants::replace(model::Tenant tenant, std::optional<std::int64_t> version) {
    const auto stored = store_.tenant(tenant.name);
    if (!stored) return stored;
    if (version && *version != stored->version) {
        return Error{ErrorCode::conflict, "the tenant has changed: it is at version " +
                                              std::to_string(stored->version) + ", not " + std::to_string(*version) +
                                              "; read it again"};
    }
    tenant.created_at = stored->created_at;
    tenant.version = stored->version + 1;
    if (auto put = store_.put_tenant(tenant); !put) return put.error();
    return tenant;
}

}  // namespace belfry::engine
