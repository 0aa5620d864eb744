// How run_process starts its child: fork and exec, safe in a program with many threads. Linux.
#pragma once

#include <string>

#include "base/descriptor.hpp"
#include "base/process.hpp"

namespace belfry {

// A child that was forked and is on its way to its program, or in it. Nobody else may wait for it. All our ends are non-blocking.
struct StartedProcess {
    pid_t id = -1;
    std::string program;  // as it was found
    Descriptor ended;     // readable when it has ended (a pidfd); closed where the kernel has none
    Descriptor input;
    Descriptor output;
    Descriptor errors;
    Descriptor failure;  // a ChildFailure when it cannot become its program; closed by the child when it has
};

[[nodiscard]] Result<StartedProcess> start_process(const ProcessRequest& request);

// What a child wrote to `failure`, in words.
[[nodiscard]] Error start_error(const ChildFailure& failure, const ProcessRequest& request, const std::string& program);

}  // namespace belfry
