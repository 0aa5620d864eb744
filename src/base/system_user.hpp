// A user of this machine, as a child process becomes one. Linux.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.hpp"

namespace belfry {

struct SystemUser {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups = {};  // all of them; the child has no others
    friend bool operator==(const SystemUser&, const SystemUser&) = default;
};

// `not_found` when the machine has no user of that name.
[[nodiscard]] Result<SystemUser> find_system_user(const std::string& name);

}  // namespace belfry
