// Turns a task into the command's environment, and the command's exit into the task's result. Pure.
//
//   exit code   0        succeeded
//               75       failed, provider_error: EX_TEMPFAIL, a temporary failure of another system
//               64, 65   failed, contract_violated: EX_USAGE and EX_DATAERR, the command does not accept the input
//               other    failed, without a category; the same if a signal ended the command
//   timeout              timed_out, whatever the exit code
#pragma once

#include <string>
#include <string_view>

#include "app/worker/worker_api.hpp"
#include "base/process/process.hpp"

namespace belfry::app {

inline constexpr std::size_t kResultBytesMax = std::size_t{1} << 20U;  // half of the server's limit for one request

// The worker's own environment without its token, plus variables about the task. Omits values that an environment
// cannot hold.
[[nodiscard]] Environment command_environment(Environment own, const ClaimedTask& task, const std::string& tenant);

// The output as JSON if it is JSON, null if it is empty, otherwise {"output": text}, with "cut": true if it was
// truncated.
[[nodiscard]] Json result_of(const ProcessOutput& output);

// `errors` is the end of the command's standard error.
// REQUIRES: the command was not cancelled.
[[nodiscard]] AttemptReport report_of(const ProcessResult& ended, const ClaimedTask& task, std::string_view errors);

// `1.2 s`, `45 ms`.
[[nodiscard]] std::string short_time(std::chrono::microseconds time);

}  // namespace belfry::app
