// A user of this machine, for a child process to run as. Linux.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.hpp"

namespace belfry {

struct SystemUser {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups = {};  // complete; the child has no other groups
    friend bool operator==(const SystemUser&, const SystemUser&) = default;
};

// `not_found` if the machine has no such user.
[[nodiscard]] Result<SystemUser> find_system_user(const std::string& name);

}  // namespace belfry
