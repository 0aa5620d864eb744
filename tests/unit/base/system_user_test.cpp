#include "base/process/system_user.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace belfry {
namespace {

TEST(FindSystemUser, KnowsTheUsersOfTheMachine) {
    const auto root = find_system_user("root").value();
    EXPECT_EQ(root.user, 0U);
    EXPECT_EQ(root.group, 0U);
    EXPECT_EQ(std::ranges::count(root.groups, 0U), 1);
    const auto none = find_system_user("no-such-user");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::not_found);
    EXPECT_EQ(none.error().message, "this machine has no user no-such-user");
}

}  // namespace
}  // namespace belfry
