#include "base/process/system_user.hpp"

#include <grp.h>
#include <pwd.h>

#include <cerrno>
#include <system_error>

namespace belfry {

Result<SystemUser> find_system_user(const std::string& name) {
    constexpr std::size_t kEntryBytesMax = std::size_t{1} << 20U;  // one entry of the user database with all its texts
    passwd entry{};
    passwd* found = nullptr;
    std::vector<char> texts(1024);
    int failed = ::getpwnam_r(name.c_str(), &entry, texts.data(), texts.size(), &found);
    while (failed == ERANGE && texts.size() < kEntryBytesMax) {
        texts.resize(texts.size() * 2);
        failed = ::getpwnam_r(name.c_str(), &entry, texts.data(), texts.size(), &found);
    }
    if (found == nullptr && failed != 0 && failed != ENOENT) {
        return Error{ErrorCode::unavailable,
                     "cannot look up the user " + name + ": " + std::generic_category().message(failed)};
    }
    if (found == nullptr) return Error{ErrorCode::not_found, "this machine has no user " + name};
    SystemUser user{entry.pw_uid, entry.pw_gid, {}};
    // Without a buffer, the first call returns only the count.
    int count = 0;
    ::getgrouplist(entry.pw_name, entry.pw_gid, nullptr, &count);
    user.groups.resize(static_cast<std::size_t>(count));
    if (::getgrouplist(entry.pw_name, entry.pw_gid, user.groups.data(), &count) < 0) {
        return Error{ErrorCode::unavailable, "the groups of the user " + name + " changed while they were read"};
    }
    user.groups.resize(static_cast<std::size_t>(count));
    return user;
}

}  // namespace belfry
