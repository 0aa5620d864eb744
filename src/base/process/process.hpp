// Runs one child process: run_process returns when the child has ended. Linux. Thread-safe: any number of threads may
// run one child each.
//
// No shell: the child gets its arguments unchanged. The child leads its own session and process group, has only the
// standard streams as descriptors, no ignored or blocked signals, and only the given environment.
//
// How it ends: the child exits, or it gets SIGTERM (with its group) because of a timeout or a cancellation, and SIGKILL
// after the grace period. When it has ended, the rest of its group is killed, and its pipes are read until they are
// closed, for kLinger at most.
//
// A sandboxed child has a supervisor (process_supervisor.hpp): when the child ends or our process dies, all of its
// descendants end, including those that left its group. Without a sandbox, a descendant that left the group (setsid)
// continues, and so does the child when our process dies, unless dies_with_us is set.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/process_sandbox.hpp"
#include "base/result.hpp"

namespace belfry {

inline constexpr std::chrono::milliseconds kLinger{500};

using Environment = std::map<std::string, std::string>;

// The named variables of our environment, plus `more`, which takes precedence. REQUIRES: no thread changes our
// environment.
[[nodiscard]] Environment environment_from(const std::vector<std::string>& names, const Environment& more = {});

struct ProcessRequest {
    std::vector<std::string> argv;  // the program first: an absolute path, unless look_in_path is set
    bool look_in_path = false;      // search our PATH; a name with a slash is relative to our working directory
    Environment environment = {};   // the complete environment
    std::string working_directory = "/";
    std::string input = {};             // written to its standard input, which is then closed
    std::size_t output_max = 64 << 10;  // bytes to keep of each output; the rest is read and discarded
    // Called with each piece of its standard error as it arrives, beyond output_max, too. It blocks all other reading.
    std::function<void(std::string_view)> on_errors = {};
    std::optional<std::chrono::milliseconds> timeout = {};
    std::chrono::milliseconds grace{5000};  // between SIGTERM and SIGKILL
    std::optional<ProcessSandbox> sandbox = {};
    bool dies_with_us = false;  // even without a sandbox
};

struct ProcessOutput {
    std::string text;  // the beginning; any bytes, truncated anywhere
    bool cut = false;
};

struct ProcessResult {
    enum class Exit : std::uint8_t { by_itself, timed_out, cancelled };
    Exit exit = Exit::by_itself;
    std::optional<int> exit_code = {};  // if neither this nor a signal is set, it was cancelled before its start
    std::optional<int> signal = {};     // the signal that ended it
    ProcessOutput output = {};
    ProcessOutput errors = {};
    std::chrono::microseconds wall_time{0};
    std::chrono::microseconds cpu_time{0};  // including the children that it waited for
};

// Whether the program exists, as far as that is known without starting it.
[[nodiscard]] Result<void> check_program(const ProcessRequest& request);

// Returns an error if the child did not start; the message names the program and the reason.
[[nodiscard]] Result<ProcessResult> run_process(const ProcessRequest& request, const std::stop_token& cancelled = {});

}  // namespace belfry
