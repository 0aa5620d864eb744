// The restrictions of a child process. Linux.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/process/process_isolation.hpp"
#include "base/process/system_user.hpp"

namespace belfry {

// A limit that is not set stays as in our own process; one above our own is lowered to it. A sandboxed child always has
// no_new_privs (set-user-ID programs and file capabilities have no effect), dumps no core, and ends with all of its
// descendants when it exits or our process dies.
struct ProcessSandbox {
    std::optional<std::chrono::seconds> cpu_time = {};  // SIGXCPU, and SIGKILL a second later; per process
    std::optional<std::uint64_t> memory_bytes = {};     // address space, per process
    std::optional<std::uint64_t> file_bytes = {};       // size of each file that it writes; SIGXFSZ
    std::optional<std::uint64_t> open_files = {};
    // Processes and threads of its user, not only its own: other children of this user count, and ours if the user is
    // the same, except in a user namespace. The kernel does not enforce it for root.
    std::optional<std::uint64_t> processes = {};
    mode_t mask = 0077;                       // umask: other users cannot read its files
    std::optional<SystemUser> run_as = {};    // requires root
    std::optional<Isolation> isolation = {};  // default: the strongest
    std::vector<std::string> hidden = {};     // files that appear empty; not with a subreaper
};

// Why a child failed before it became its program.
struct ChildFailure {
    enum class Step : std::uint8_t { streams, isolation, limits, user, confinement, folder, program };
    Step step = Step::streams;
    int error = 0;  // errno
};

// Called in the child between fork and exec: async-signal-safe. `parent` is the process that forked it.
[[nodiscard]] std::optional<ChildFailure> enter_sandbox(const ProcessSandbox& sandbox, pid_t parent);

// For a child without a sandbox: the kernel kills it when the thread that forked it ends. Sets errno on failure.
[[nodiscard]] bool die_with(pid_t parent);

}  // namespace belfry
