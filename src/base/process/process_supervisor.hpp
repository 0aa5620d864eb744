// The process between us and a sandboxed child. It outlives the child until it has ended all of the child's
// descendants, including those that left the session (setsid) or whose parents ended (a double fork). Linux.
//
// It ends them when the child has ended, when we close its control pipe, and when we die, which closes the pipe, too.
// In a pid namespace the kernel does the work. Otherwise the supervisor is a subreaper: it kills its children and
// adopted orphans until none is left. It gives up on a child that forks without pause after kKillRoundsMax.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "base/process/process_isolation.hpp"

namespace belfry {

inline constexpr char kAskToEnd = 'T';  // on the control pipe: send SIGTERM to the child's group

// Written to the report pipe when the child has ended.
struct SupervisorReport {
    int status = 0;  // from wait4
    rusage used{};
};

struct Supervised {
    pid_t child = -1;  // leads its group, or is about to
    int control = -1;
    int report = -1;
    Isolation isolation = Isolation::subreaper;
};

// Async-signal-safe. REQUIRES: all signals are blocked.
[[noreturn]] void supervise(const Supervised& supervised);

}  // namespace belfry
