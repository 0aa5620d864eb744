// What a task is to a command, and what the command's end is to the task. Pure.
//
//   exit code   0        succeeded
//               75       failed, provider_error: EX_TEMPFAIL, somebody else's trouble that may pass
//               64, 65   failed, contract_violated: EX_USAGE and EX_DATAERR, the input is not what the command takes
//               other    failed, without a category; and so is a command that a signal ended
//   its time is over     timed_out, however it left then
#pragma once

#include <string>
#include <string_view>

#include "app/worker_api.hpp"
#include "base/process.hpp"

namespace belfry::app {

inline constexpr std::size_t kResultBytesMax = std::size_t{1} << 20U;  // half of what the server takes in one request

// The worker's own environment without its token, and what the task is about. Values that no environment can hold are left out.
[[nodiscard]] Environment command_environment(Environment own, const ClaimedTask& task, const std::string& tenant);

// The output as JSON when it is JSON, null when there is none, else {"output": text}, with "cut": true when there was more.
[[nodiscard]] Json result_of(const ProcessOutput& output);

// `errors` is the end of what the command wrote to its standard error.
// REQUIRES: it was not cancelled.
[[nodiscard]] AttemptReport report_of(const ProcessResult& ended, const ClaimedTask& task, std::string_view errors);

// `1.2 s`, `45 ms`.
[[nodiscard]] std::string short_time(std::chrono::microseconds time);

}  // namespace belfry::app
