// Starts the child of run_process: fork and exec, safe in a program with many threads. Linux.
#pragma once

#include <string>

#include "base/process/descriptor.hpp"
#include "base/process/process.hpp"
#include "base/process/process_supervisor.hpp"

namespace belfry {

// A forked child, before or after its exec. No other code may wait for it. Our ends of all pipes are non-blocking.
struct StartedProcess {
    pid_t id = -1;        // of the supervisor if the child is sandboxed
    std::string program;  // the path that was found
    Descriptor ended;     // a pidfd, readable when it has ended; closed if the kernel has no pidfds
    Descriptor input;
    Descriptor output;
    Descriptor errors;
    Descriptor failure;  // gets a ChildFailure if exec fails; closed by the child on success
    Descriptor control;  // of the supervisor: kAskToEnd; closing it kills the child and all of its descendants
    Descriptor report;   // gets a SupervisorReport when the child has ended
};

[[nodiscard]] Result<StartedProcess> start_process(const ProcessRequest& request);

// The message for a failure that the child reported.
[[nodiscard]] Error start_error(const ChildFailure& failure, const ProcessRequest& request, const std::string& program);

}  // namespace belfry
