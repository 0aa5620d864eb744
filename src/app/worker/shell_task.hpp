// Tasks of the kind `shell`: a command line for a worker that was started with --shell. Pure.
//
// The input is {"command", "env", "cwd", "stdin"}; only the command is needed. As with cron, SHELL in `env` chooses the
// shell, and without `cwd` the command starts in the home folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/worker/worker_api.hpp"
#include "base/process/process.hpp"

namespace belfry::app {

inline constexpr const char* kShellKind = "shell";
inline constexpr const char* kShellQueue = "shell";
inline constexpr std::size_t kShellOutputMax = std::size_t{64} << 10U;  // bytes of each output, as for server commands

struct ShellCommand {
    std::string command;
    std::map<std::string, std::string> env = {};
    std::string cwd = {};
    std::string input = {};
};

// The target of a schedule that runs the command.
[[nodiscard]] Json shell_target(const ShellCommand& command, const std::string& queue);

// Words as one line for a shell; quoted where needed.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& words);

// The process for a task. `own` is the worker's environment with the variables about the task. Rejects tasks of other
// kinds and inputs that are not such a command.
[[nodiscard]] Result<ProcessRequest> shell_request(const ClaimedTask& task, Environment own);

// {"exitCode", "stdout", "stderr"}, with "cut": true if one was truncated. The error quotes the end of what it printed.
[[nodiscard]] AttemptReport shell_report(const ProcessResult& ended, const ClaimedTask& task);

}  // namespace belfry::app
