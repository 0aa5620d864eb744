#include "api/auth/authorize.hpp"

#include <gtest/gtest.h>

#include <array>

namespace belfry::api::auth {
namespace {

using model::Permission;
using model::Role;

TEST(Authorize, TheMatrixOfRolesAndPermissions) {
    constexpr std::array kPermissions{Permission::open,    Permission::read, Permission::write,     Permission::operate,
                                      Permission::approve, Permission::work, Permission::administer};
    struct Row {
        Role role;
        std::string may;  // one letter for each permission, in their order
    };
    const Row rows[] = {
        {Role::viewer, "or....."}, {Role::operator_, "orwp..."}, {Role::approver, "or..v.."},
        {Role::worker, "o....k."}, {Role::admin, "orwpvka"},
    };
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < kPermissions.size(); ++i) {
            const bool may = row.may[i] != '.';
            const model::Principal inside{"key:x", {{"acme", {row.role}}}};
            const model::Principal everywhere{"key:x", {{"*", {row.role}}}};
            const auto code = [&](const model::Principal& principal, const std::string& tenant) {
                const auto result = authorize(principal, tenant, kPermissions[i]);
                return result ? std::nullopt : std::optional(result.error().code);
            };
            const auto about = std::string(name_of(row.role)) + " " + std::string(name_of(kPermissions[i]));
            const auto expected = may ? std::nullopt : std::optional(ErrorCode::forbidden);
            const bool open = kPermissions[i] == Permission::open;
            EXPECT_EQ(code(inside, "acme"), expected) << about;
            EXPECT_EQ(code(everywhere, "acme"), expected) << about;
            EXPECT_EQ(code(everywhere, ""), expected) << about;
            EXPECT_EQ(code(inside, "other"), open ? std::nullopt : std::optional(ErrorCode::not_found)) << about;
            EXPECT_EQ(code(inside, ""), open ? std::nullopt : std::optional(ErrorCode::forbidden)) << about;
            EXPECT_EQ(code({}, "acme"), open ? std::nullopt : std::optional(ErrorCode::unauthenticated)) << about;
        }
    }
}

TEST(Authorize, TheRefusalNamesThePermissionAndTheRolesThatHaveIt) {
    const model::Principal viewer{"user:ada", {{"acme", {Role::viewer}}}};
    EXPECT_EQ(
        authorize(viewer, "acme", Permission::write).error().message,
        R"("user:ada" lacks the permission "write"; it requires the role operator or admin in the tenant "acme")");
    EXPECT_EQ(authorize(viewer, "", Permission::administer).error().message,
              R"("user:ada" lacks the permission "administer"; it requires the role admin on every tenant ("*"))");
    EXPECT_EQ(authorize({"key:w", {{"*", {Role::worker}}}}, "acme", Permission::read).error().message,
              R"("key:w" lacks the permission "read"; it requires the role viewer, operator, )"
              R"(approver or admin in the tenant "acme")");
}

TEST(Authorize, ATenantWithoutARoleLooksLikeOneThatDoesNotExist) {
    const model::Principal viewer{"user:ada", {{"acme", {Role::viewer}}, {"empty", {}}}};
    EXPECT_EQ(authorize(viewer, "other", Permission::read).error().message,
              R"(there is no tenant "other" that you have a role in)");
    EXPECT_EQ(authorize(viewer, "empty", Permission::read).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace belfry::api::auth
