#include "api/auth/authorize.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text/ascii.hpp"

namespace belfry::api::auth {

namespace {

using model::Role;

constexpr std::array kRoles{Role::viewer, Role::operator_, Role::approver, Role::worker, Role::admin};

bool has_role(const model::Roles& roles, const std::string& tenant) {
    const auto found = roles.find(tenant);
    return found != roles.end() && !found->second.empty();
}

// `the role admin`, `the role operator or admin`
std::string roles_with(model::Permission permission) {
    std::vector<std::string> names;
    for (const auto role : kRoles) {
        if (permits(role, permission)) names.emplace_back(name_of(role));
    }
    std::string text = "the role ";
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return text;
}

}  // namespace

Result<void> authorize(const model::Principal& principal, const std::string& tenant, model::Permission permission) {
    if (permission == model::Permission::open) return {};
    if (principal.name.empty())
        return Error{ErrorCode::unauthenticated,
                     "authentication required; send Authorization: Bearer with an API key or a token"};
    const std::string scope = tenant.empty() ? model::kEveryTenant : tenant;
    if (permits(principal.roles, scope, permission)) return {};
    if (!tenant.empty() && !has_role(principal.roles, tenant) && !has_role(principal.roles, model::kEveryTenant)) {
        return Error{ErrorCode::not_found, "there is no tenant " + in_quotes(tenant) + " that you have a role in"};
    }
    const auto where = tenant.empty() ? std::string("on every tenant (\"*\")") : "in the tenant " + in_quotes(tenant);
    return Error{ErrorCode::forbidden, in_quotes(principal.name) + " lacks the permission " +
                                           in_quotes(name_of(permission)) + "; it requires " + roles_with(permission) +
                                           " " + where};
}

}  // namespace belfry::api::auth
