#include "model/tenant/access.hpp"

#include <array>

#include "base/text/enum_names.hpp"

namespace belfry::model {

namespace {

constexpr std::array kPermissionNames{
    EnumName{Permission::open, "open"},
    EnumName{Permission::read, "read"},
    EnumName{Permission::write, "write"},
    EnumName{Permission::operate, "operate"},
    EnumName{Permission::approve, "approve"},
    EnumName{Permission::work, "work"},
    EnumName{Permission::administer, "administer"},
};

constexpr std::array kRoleNames{EnumName{Role::viewer, "viewer"}, EnumName{Role::operator_, "operator"},
                                EnumName{Role::approver, "approver"}, EnumName{Role::worker, "worker"},
                                EnumName{Role::admin, "admin"}};

bool any_permits(const Roles& roles, const std::string& tenant, Permission permission) {
    const auto found = roles.find(tenant);
    return found != roles.end() &&
           std::ranges::any_of(found->second, [&](Role role) { return permits(role, permission); });
}

}  // namespace

std::string_view name_of(Permission permission) { return canonical_name<Permission>(kPermissionNames, permission); }
std::string_view name_of(Role role) { return canonical_name<Role>(kRoleNames, role); }
Result<Role> parse_role(std::string_view text) { return parse_name<Role>(kRoleNames, "role", text); }

bool permits(Role role, Permission permission) {
    switch (permission) {
        case Permission::open: return true;
        case Permission::read: return role != Role::worker;
        case Permission::write:
        case Permission::operate: return role == Role::operator_ || role == Role::admin;
        case Permission::approve: return role == Role::approver || role == Role::admin;
        case Permission::work: return role == Role::worker || role == Role::admin;
        case Permission::administer: return role == Role::admin;
    }
    return false;
}

bool permits(const Roles& roles, const std::string& tenant, Permission permission) {
    return permission == Permission::open || any_permits(roles, tenant, permission) ||
           any_permits(roles, kEveryTenant, permission);
}

}  // namespace belfry::model
