// Isolates a sandboxed child from the rest of the machine, so that all of its descendants end with it. Linux.
//
//   namespaces      its own process ids and mounts; needs root with CAP_SYS_ADMIN
//   user_namespace  the same inside a user namespace, for other users: users other than its own appear as "nobody"
//   subreaper       neither: the supervisor adopts orphans and kills them one by one
//
// With the first two, the kernel kills every descendant when the supervisor ends, /proc shows only the child's
// processes, and files can be hidden from it. With the third, a child of the same user could kill its supervisor, and
// no file is hidden.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace belfry {

enum class Isolation : std::uint8_t { namespaces, user_namespace, subreaper };

// The strongest one that this machine grants to this process. Tested once, with a child process.
[[nodiscard]] Isolation strongest_isolation();

// The data that enter() needs. Prepared before the fork, because the child must not allocate memory.
class IsolationPlan {
public:
    // `hidden`: files to hide; missing ones are ignored.
    IsolationPlan(Isolation isolation, const std::vector<std::string>& hidden);

    [[nodiscard]] Isolation isolation() const { return isolation_; }
    // Like fork, but the child may call only async-signal-safe functions: it runs no fork handlers and repairs no
    // locks.
    [[nodiscard]] pid_t fork() const;
    // Called in that child. Sets errno on failure.
    [[nodiscard]] bool enter() const;

private:
    [[nodiscard]] bool map_users() const;
    [[nodiscard]] bool mount_all() const;

    Isolation isolation_;
    std::string user_map_;
    std::string group_map_;
    std::vector<std::string> hidden_;
};

// Like fork, with the same restriction.
[[nodiscard]] pid_t fork_bare(unsigned long flags = 0);

}  // namespace belfry
