// A task of the kind `command`: a program that the operator has registered, run once in the sandbox. Thread-safe.
//
// Tenants name a command and give it an input; which program that is, with which arguments, environment, user and limits, only
// the operator says. There is no shell. An argument may hold references, `--target=${input/target}`: what is put in stays one
// argument, and cannot make an option of one that is none. The whole input is there as JSON on the standard input, too.
//
// The environment has the variables that the command lists, and of the task BELFRY_TENANT, BELFRY_SCHEDULE, BELFRY_RUN_ID, BELFRY_NODE,
// BELFRY_ATTEMPT, BELFRY_SCHEDULED_AT and BELFRY_IDEMPOTENCY_KEY, which is the same at every attempt.
//
// How it ends (the numbers are those of sysexits.h):
//
//   exit code 0                  succeeded
//   75 (try again later)         failed, provider_error
//   64, 65 (usage, data)         failed, contract_violated: the same input would fail again
//   any other, or a signal       failed, without a category
//   its time is up               timed_out, timeout
//   no such command, arguments   failed, contract_violated
//     that are refused
//
// The result is {"exitCode", "signal", "stdout", "stderr", "cut", "output"}; `output` is the standard output when it is JSON.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/process_sandbox.hpp"
#include "decide/attempt_end.hpp"
#include "model/task.hpp"

namespace belfry::engine {

inline constexpr std::size_t kCommandOutputMax = 65'536;  // bytes that are kept of each output
inline constexpr std::size_t kArgumentMax = 65'536;       // bytes of one, with what is put in; Linux takes twice as many
inline constexpr std::size_t kArgumentsMax = 262'144;     // bytes of all of them

// As the operator registers it.
struct Command {
    std::string name;
    std::vector<std::string> argv;  // the first is an absolute path, without references
    std::vector<std::string> environment = {};
    std::chrono::milliseconds timeout{600'000};
    std::size_t output_max = kCommandOutputMax;
    std::string working_directory = "/";
    std::vector<std::string> tenants = {};  // whose it is; empty: everybody's
    ProcessSandbox sandbox = {};
};

// All that is wrong with how it is called; fields are pointers into an object of its members.
[[nodiscard]] std::optional<Error> check_command(const Command& command);

// The arguments for this input; an error says which of them cannot be used.
[[nodiscard]] Result<std::vector<std::string>> arguments_of(const Command& command, const model::Task& task, const Json& input);

using Commands = std::map<std::string, Command>;  // by name; empty: command tasks are switched off

// What is wrong with naming this command in the tenant; nothing: it is there.
[[nodiscard]] std::optional<Error> check_command_name(const Commands& commands, const std::string& tenant, const std::string& name);
// The same of an input of a command task.
[[nodiscard]] std::optional<Error> check_command_of(const Commands& commands, const std::string& tenant, const Json& input);
// And of all inputs of a schedule that runs commands; fields are pointers into it.
[[nodiscard]] std::optional<Error> check_commands(const Commands& commands, const model::Schedule& schedule);

class CommandTask {
public:
    explicit CommandTask(Commands commands) : commands_(std::move(commands)) {}

    // Nothing when it was stopped before its end.
    [[nodiscard]] std::optional<decide::AttemptEnd> run(const model::Task& task, const std::stop_token& stop = {}) const;

private:
    [[nodiscard]] Result<const Command*> find(const std::string& name, const std::string& tenant) const;

    const Commands commands_;
};

}  // namespace belfry::engine
