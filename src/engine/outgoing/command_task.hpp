// A task of the kind `command`: a program that the operator has registered, run once in the sandbox. Thread-safe.
//
// Tenants name a command and give it an input. Only the operator decides which program that is, with which arguments,
// environment, user and limits. There is no shell. An argument may contain references, such as
// `--target=${input/target}`: an inserted value stays one argument and cannot turn an argument into an option. The
// program also gets the whole input as JSON on its standard input.
//
// All processes that the program started end with it, and with the server (base/process/process_supervisor.hpp).
//
// The environment has the variables that the command lists and, from the task, BELFRY_TENANT, BELFRY_SCHEDULE,
// BELFRY_RUN_ID, BELFRY_NODE, BELFRY_ATTEMPT, BELFRY_SCHEDULED_AT and BELFRY_IDEMPOTENCY_KEY, which is the same for
// every attempt.
//
// How the attempt ends (the exit codes are those of sysexits.h):
//
//   exit code 0                  succeeded
//   75 (try again later)         failed, provider_error
//   64, 65 (usage, data)         failed, contract_violated: the same input would fail again
//   any other, or a signal       failed, without a category
//   timeout                      timed_out, timeout
//   unknown command, rejected    failed, contract_violated
//     arguments
//
// The result is {"exitCode", "signal", "stdout", "stderr", "cut", "output"}; `output` is the standard output if it is
// JSON.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/process/process_sandbox.hpp"
#include "decide/run/attempt_end.hpp"
#include "model/run/task.hpp"

namespace belfry::engine {

inline constexpr std::size_t kCommandOutputMax = 65'536;  // bytes kept of each output
inline constexpr std::size_t kArgumentMax = 65'536;       // bytes of one, with inserted values; Linux allows twice that
inline constexpr std::size_t kArgumentsMax = 262'144;     // bytes of all of them

// As the operator registers it.
struct Command {
    std::string name;
    std::vector<std::string> argv;  // the first is an absolute path, without references
    std::vector<std::string> environment = {};
    std::chrono::milliseconds timeout{600'000};
    std::size_t output_max = kCommandOutputMax;
    std::string working_directory = "/";
    std::vector<std::string> tenants = {};  // that may use it; empty: all
    ProcessSandbox sandbox = {};
};

// Validates the command. Fields are JSON pointers into an object of its members.
[[nodiscard]] std::optional<Error> check_command(const Command& command);

// The arguments for this input. An error names the argument that cannot be used.
[[nodiscard]] Result<std::vector<std::string>> arguments_of(const Command& command, const model::Task& task,
                                                            const Json& input);

using Commands = std::map<std::string, Command>;  // by name; empty: command tasks are switched off

// Returns an error if the tenant cannot use a command of this name.
[[nodiscard]] std::optional<Error> check_command_name(const Commands& commands, const std::string& tenant,
                                                      const std::string& name);
// The same for the input of a command task.
[[nodiscard]] std::optional<Error> check_command_of(const Commands& commands, const std::string& tenant,
                                                    const Json& input);
// The same for all inputs of a schedule that runs commands. Fields are JSON pointers into the schedule.
[[nodiscard]] std::optional<Error> check_commands(const Commands& commands, const model::Schedule& schedule);

class CommandTask {
public:
    explicit CommandTask(Commands commands) : commands_(std::move(commands)) {}

    // Returns nothing if it was stopped before the end.
    [[nodiscard]] std::optional<decide::AttemptEnd> run(const model::Task& task,
                                                        const std::stop_token& stop = {}) const;

private:
    [[nodiscard]] Result<const Command*> find(const std::string& name, const std::string& tenant) const;

    const Commands commands_;
};

}  // namespace belfry::engine
