#include "base/process/process_sandbox.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace belfry {

namespace {

using Resource = decltype(RLIMIT_CPU);

// `spare`: how far the hard limit is above the soft one. Only root can raise a hard limit, so this never tries to.
bool limit_to(Resource resource, std::optional<std::uint64_t> wanted, rlim_t spare = 0) {
    if (!wanted) return true;
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0) return false;
    limit.rlim_max =
        std::min<rlim_t>(limit.rlim_max, *wanted > RLIM_INFINITY - spare ? RLIM_INFINITY : *wanted + spare);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, *wanted);
    return ::setrlimit(resource, &limit) == 0;
}

bool set_limits(const ProcessSandbox& sandbox) {
    std::optional<std::uint64_t> cpu;
    if (sandbox.cpu_time) cpu = static_cast<std::uint64_t>(std::max<std::int64_t>(sandbox.cpu_time->count(), 0));
    return limit_to(RLIMIT_CORE, 0) && limit_to(RLIMIT_CPU, cpu, 1) && limit_to(RLIMIT_AS, sandbox.memory_bytes) &&
           limit_to(RLIMIT_FSIZE, sandbox.file_bytes) && limit_to(RLIMIT_NOFILE, sandbox.open_files) &&
           limit_to(RLIMIT_NPROC, sandbox.processes);
}

// Uses the system calls directly: the library's functions would notify our other threads, which the child does not
// have.
bool become(const SystemUser& user) {
    return ::syscall(SYS_setgroups, user.groups.size(), user.groups.data()) == 0 &&
           ::syscall(SYS_setresgid, user.group, user.group, user.group) == 0 &&
           ::syscall(SYS_setresuid, user.user, user.user, user.user) == 0;
}

}  // namespace

// The kernel sends the signal when the forking thread ends, not the process; run_process stays in that thread until the
// child has ended. A change of user resets it, so call this after one. The parent's id shows whether it died before
// this call.
bool die_with(pid_t parent) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return false;
    if (::getppid() != parent) ::_exit(EXIT_FAILURE);
    return true;
}

std::optional<ChildFailure> enter_sandbox(const ProcessSandbox& sandbox, pid_t parent) {
    ::umask(sandbox.mask);
    if (!set_limits(sandbox)) return ChildFailure{ChildFailure::Step::limits, errno};
    if (sandbox.run_as && !become(*sandbox.run_as)) return ChildFailure{ChildFailure::Step::user, errno};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !die_with(parent))
        return ChildFailure{ChildFailure::Step::confinement, errno};
    return std::nullopt;
}

}  // namespace belfry
