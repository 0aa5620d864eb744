// What a child process may not do. Linux.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/system_user.hpp"

namespace belfry {

// A limit that is not set stays as our own process has it; one above our own is lowered to ours. A sandboxed child always has
// no_new_privs (neither set-user-ID programs nor file capabilities raise it), dumps no core, and is killed when we die.
struct ProcessSandbox {
    std::optional<std::chrono::seconds> cpu_time = {};  // SIGXCPU, and SIGKILL a second later; per process
    std::optional<std::uint64_t> memory_bytes = {};     // of address space, per process
    std::optional<std::uint64_t> file_bytes = {};       // of each file that it writes; SIGXFSZ
    std::optional<std::uint64_t> open_files = {};
    std::optional<std::uint64_t> processes = {};  // and threads, of its user and not of itself: ours count when the user is ours. Not for root
    mode_t mask = 0077;                           // umask: what it writes is its own
    std::optional<SystemUser> run_as = {};        // only root may
};

// Why a child did not come as far as its program.
struct ChildFailure {
    enum class Step : std::uint8_t { streams, limits, user, confinement, folder, program };
    Step step = Step::streams;
    int error = 0;  // errno
};

// Called in the child, between fork and exec: async-signal-safe. `parent` is who forked it.
[[nodiscard]] std::optional<ChildFailure> enter_sandbox(const ProcessSandbox& sandbox, pid_t parent);

// The same for a child without a sandbox: it is killed when the thread that forked it ends. Errors are in errno.
[[nodiscard]] bool die_with(pid_t parent);

}  // namespace belfry
