// One child process, from its start to its end: run_process returns when it is over. Linux. Thread-safe: any number of threads
// may run one each.
//
// No shell: the arguments arrive as they are. The child is the leader of its own session and process group, has the standard
// streams as its only descriptors, no signal ignored or blocked, and of our environment only what it is given.
//
// How it ends. The child exits, or it is asked to (SIGTERM to its group) because its time is up or somebody cancelled it, and
// after the grace it is killed (SIGKILL to its group). Once it has ended, whatever is left of its group is killed, and what is
// still in the pipes is read: until they are closed, and no longer than kLinger, as a descendant that left the group (setsid)
// may hold them open. Such a descendant is not hunted down.
//
// When our process dies the child lives on, unless it is sandboxed or asked to die with us; its own children may live on in any case.
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

#include "base/process_sandbox.hpp"
#include "base/result.hpp"

namespace belfry {

inline constexpr std::chrono::milliseconds kLinger{500};

using Environment = std::map<std::string, std::string>;

// Those of the names that our own environment has, and the pairs beside them, which win. REQUIRES: nobody changes our environment.
[[nodiscard]] Environment environment_from(const std::vector<std::string>& names, const Environment& more = {});

struct ProcessRequest {
    std::vector<std::string> argv;  // the first is the program: an absolute path, unless it is looked for in PATH
    bool look_in_path = false;      // in our PATH; with a slash in it, from our working directory
    Environment environment = {};   // the whole of it
    std::string working_directory = "/";
    std::string input = {};             // for its standard input, which is closed after it
    std::size_t output_max = 64 << 10;  // bytes that are kept of each output; the rest is read and thrown away
    // Called with each piece of its error output as it comes, whatever is kept of it. While this waits nothing else is read.
    std::function<void(std::string_view)> on_errors = {};
    std::optional<std::chrono::milliseconds> timeout = {};
    std::chrono::milliseconds grace{5000};  // between asking and killing
    std::optional<ProcessSandbox> sandbox = {};
    bool dies_with_us = false;  // without a sandbox, too
};

struct ProcessOutput {
    std::string text;  // the beginning; any bytes, and cut anywhere
    bool cut = false;
};

struct ProcessResult {
    enum class Ending : std::uint8_t { by_itself, timed_out, cancelled };
    Ending ending = Ending::by_itself;
    std::optional<int> exit_code = {};  // neither this nor a signal: it was cancelled before it was started
    std::optional<int> signal = {};     // that ended it
    ProcessOutput output = {};
    ProcessOutput errors = {};
    std::chrono::microseconds wall_time{0};
    std::chrono::microseconds cpu_time{0};  // with those of its children that it waited for
};

// Whether there is such a program, as far as can be told without starting it.
[[nodiscard]] Result<void> check_program(const ProcessRequest& request);

// An error: it did not start; the message names the program and the reason.
[[nodiscard]] Result<ProcessResult> run_process(const ProcessRequest& request, const std::stop_token& cancelled = {});

}  // namespace belfry
