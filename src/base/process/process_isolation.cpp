#include "base/process/process_isolation.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

namespace belfry {

namespace {

unsigned long flags_of(Isolation isolation) {
    switch (isolation) {
        case Isolation::namespaces: return CLONE_NEWPID | CLONE_NEWNS;
        case Isolation::user_namespace: return CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS;
        case Isolation::subreaper: break;
    }
    return 0;
}

bool write_file(const char* path, const char* text, std::size_t size) {
    const int file = ::open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    const auto written = ::write(file, text, size);
    ::close(file);
    return written == static_cast<ssize_t>(size);
}

// Maps one id to itself.
std::string map_of(std::uint64_t id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; }

bool is_granted(Isolation isolation) {
    const IsolationPlan plan(isolation, {});
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t child = plan.fork();
    if (child == 0) ::_exit(plan.enter() ? 0 : 1);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (child < 0) return false;
    int status = 0;
    pid_t waited = 0;
    do waited = ::waitpid(child, &status, 0);
    while (waited < 0 && errno == EINTR);
    return waited == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

pid_t fork_bare(unsigned long flags) {
    return static_cast<pid_t>(::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, 0));
}

Isolation strongest_isolation() {
    static const Isolation strongest = [] {
        // Inside a user namespace with one user, root could not become another user.
        const auto wanted = ::geteuid() == 0 ? Isolation::namespaces : Isolation::user_namespace;
        return is_granted(wanted) ? wanted : Isolation::subreaper;
    }();
    return strongest;
}

IsolationPlan::IsolationPlan(Isolation isolation, const std::vector<std::string>& hidden)
    : isolation_(isolation), user_map_(map_of(::geteuid())), group_map_(map_of(::getegid())) {
    if (isolation == Isolation::subreaper) return;
    for (const auto& path : hidden) {
        std::error_code failed;
        if (std::filesystem::is_regular_file(path, failed)) hidden_.push_back(path);
    }
}

pid_t IsolationPlan::fork() const { return fork_bare(flags_of(isolation_)); }

bool IsolationPlan::enter() const {
    if (isolation_ == Isolation::subreaper) return ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
    return (isolation_ == Isolation::namespaces || map_users()) && mount_all();
}

// Root owns the /proc files of a process that is not dumpable, so it is made dumpable for these three writes.
bool IsolationPlan::map_users() const {
    constexpr std::string_view kDeny = "deny";
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    const bool mapped = write_file("/proc/self/setgroups", kDeny.data(), kDeny.size()) &&
                        write_file("/proc/self/uid_map", user_map_.data(), user_map_.size()) &&
                        write_file("/proc/self/gid_map", group_map_.data(), group_map_.size());
    const int error = errno;
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    errno = error;
    return mapped;
}

// Later mounts of the machine still appear in the namespace; mounts made here do not leave it.
bool IsolationPlan::mount_all() const {
    constexpr unsigned long kPlain = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    if (::mount(nullptr, "/", nullptr, MS_SLAVE | MS_REC, nullptr) != 0) return false;
    if (::mount("proc", "/proc", "proc", kPlain, nullptr) != 0) return false;
    for (const auto& file : hidden_) {
        if (::mount("/dev/null", file.c_str(), nullptr, MS_BIND, nullptr) != 0 && errno != ENOENT) return false;
    }
    return true;
}

}  // namespace belfry
