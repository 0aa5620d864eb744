#include "engine/outgoing/command_task.hpp"

#include <algorithm>
#include <boost/json/object.hpp>

#include "base/errors.hpp"
#include "base/process/process.hpp"
#include "base/text/ascii.hpp"
#include "base/text/json_pointer.hpp"
#include "base/text/nearest.hpp"
#include "engine/outgoing/http_task.hpp"
#include "engine/outgoing/task_input.hpp"
#include "model/run/http_node.hpp"
#include "model/run/own_task.hpp"
#include "model/schedule/reference.hpp"

namespace belfry::engine {

namespace {

using decide::AttemptEnd;
using model::ExecutionStatus;
using model::FailureCategory;

constexpr std::chrono::milliseconds kGrace{2'000};  // shorter than the time that a shutdown allows
constexpr std::size_t kLastWordsMax = 500;          // bytes of the error output that an error quotes
constexpr int kUsage = 64;                          // EX_USAGE
constexpr int kDataError = 65;                      // EX_DATAERR
constexpr int kTryLater = 75;                       // EX_TEMPFAIL

Error at_argument(std::string message, std::size_t index) {
    return in_field(invalid(std::move(message)), "/argv/" + std::to_string(index));
}

std::string argument_text(const Json& value) {
    if (const auto* const text = value.if_string()) return std::string(std::string_view(*text));
    return to_text(value);
}

// A leading - makes an argument an option, so it must come from the operator.
bool is_made_an_option(const std::string& argument, const std::string& written) {
    return argument.starts_with('-') && !model::literal_start(written).value().starts_with('-');
}

AttemptEnd refusal(const Error& error) {
    return decide::failed_attempt(FailureCategory::contract_violated,
                                  error.field.empty() ? error.message : error.field + ": " + error.message);
}

Environment task_environment(const model::Task& task) {
    return {{"BELFRY_TENANT", task.tenant},
            {"BELFRY_SCHEDULE", task.schedule_name},
            {"BELFRY_RUN_ID", task.run_id},
            {"BELFRY_NODE", task.node},
            {"BELFRY_ATTEMPT", std::to_string(task.attempt)},
            {"BELFRY_SCHEDULED_AT", format_instant(task.slot.occurrence)},
            {"BELFRY_IDEMPOTENCY_KEY", task.idempotency_key}};
}

Json number_or_null(const std::optional<int>& number) { return number ? Json(*number) : Json(nullptr); }

Json parsed(const ProcessOutput& output) {
    if (output.cut) return nullptr;
    auto json = parse_json(output.text, {.depth_max = kTaskJsonDepthMax});
    return json ? std::move(*json) : Json(nullptr);
}

Json result_of(const ProcessResult& ended) {
    return boost::json::object{{"exitCode", number_or_null(ended.exit_code)}, {"signal", number_or_null(ended.signal)},
                               {"stdout", storable(ended.output.text)},       {"stderr", storable(ended.errors.text)},
                               {"cut", ended.output.cut || ended.errors.cut}, {"output", parsed(ended.output)}};
}

// The last line of the error output, because most programs end with the reason.
std::string last_words(const std::string& errors) {
    std::string_view text(errors);
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
    const auto line = text.substr(text.rfind('\n') + 1);
    if (line.empty()) return "";
    return ": " + visible(whole_characters(line, kLastWordsMax));
}

AttemptEnd end_of(const ProcessResult& ended, std::chrono::milliseconds timeout) {
    AttemptEnd end;
    if (ended.exit == ProcessResult::Exit::timed_out) {
        end = {.status = ExecutionStatus::timed_out,
               .category = FailureCategory::timeout,
               .error = "the command did not end within " + std::to_string(timeout.count()) + " ms"};
    } else if (ended.signal) {
        end = decide::failed_attempt(std::nullopt, "the command was ended by signal " + std::to_string(*ended.signal) +
                                                       last_words(ended.errors.text));
    } else if (ended.exit_code != 0) {
        std::optional<FailureCategory> category;
        if (ended.exit_code == kTryLater) category = FailureCategory::provider_error;
        if (ended.exit_code == kUsage || ended.exit_code == kDataError) category = FailureCategory::contract_violated;
        end = decide::failed_attempt(category, "the command ended with exit code " +
                                                   std::to_string(ended.exit_code.value_or(-1)) +
                                                   last_words(ended.errors.text));
    }
    end.result = result_of(ended);
    return end;
}

}  // namespace

std::optional<Error> check_command(const Command& command) {
    if (command.argv.empty() || !command.argv.front().starts_with('/')) {
        return in_field(invalid("must start with the absolute path of the program, such as /usr/bin/rsync"), "/argv");
    }
    for (std::size_t i = 0; i < command.argv.size(); ++i) {
        const auto& written = command.argv[i];
        if (written.find('\0') != std::string::npos) return at_argument("has a NUL character", i);
        if (written.size() > kArgumentMax)
            return at_argument("is longer than " + std::to_string(kArgumentMax) + " bytes", i);
        const auto references = model::references_in(Json(written));
        if (!references) return at_argument(references.error().message, i);
        if (i == 0 && !references->empty()) return at_argument("the program itself cannot contain a reference", i);
        for (const auto& reference : *references) {
            if (reference.source == model::Reference::Source::node) {
                return at_argument(model::text_of(reference) + ": a command accepts only ${input/…} and ${run.…}", i);
            }
        }
    }
    if (!command.working_directory.starts_with('/'))
        return in_field(invalid("must be an absolute path"), "/working_directory");
    return std::nullopt;
}

Result<std::vector<std::string>> arguments_of(const Command& command, const model::Task& task, const Json& input) {
    const auto values = run_values(task);
    const auto lookup = [&](const model::Reference& reference) -> const Json* {
        if (reference.source == model::Reference::Source::node) return nullptr;
        const auto pointer = JsonPointer::parse(reference.pointer);
        if (!pointer) return nullptr;
        if (reference.source == model::Reference::Source::input) return pointer->find(input);
        const auto found = values.find(reference.name);
        return found == values.end() ? nullptr : pointer->find(found->second);
    };
    std::vector<std::string> arguments;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < command.argv.size(); ++i) {
        const auto& written = command.argv[i];
        const auto resolved = model::resolve(Json(written), lookup);
        if (!resolved) return at_argument(resolved.error().message, i);
        auto argument = argument_text(*resolved);
        if (argument.find('\0') != std::string::npos)
            return at_argument("the value for " + in_quotes(written) + " has a NUL character", i);
        if (is_made_an_option(argument, written)) {
            return at_argument("the value for " + in_quotes(written) + " starts with -, which would make it an option",
                               i);
        }
        bytes += argument.size();
        if (argument.size() > kArgumentMax || bytes > kArgumentsMax) {
            return at_argument("with its values, it is longer than " + std::to_string(kArgumentMax) +
                                   " bytes, or all are longer than " + std::to_string(kArgumentsMax),
                               i);
        }
        arguments.push_back(std::move(argument));
    }
    return arguments;
}

// A command of another tenant looks like an unknown one, so that its name stays private.
std::optional<Error> check_command_name(const Commands& commands, const std::string& tenant, const std::string& name) {
    if (commands.empty())
        return invalid("command tasks are switched off: an operator can register commands with commands_file");
    std::vector<std::string> theirs;
    for (const auto& [other, command] : commands) {
        if (command.tenants.empty() || std::ranges::count(command.tenants, tenant) > 0) theirs.push_back(other);
    }
    if (std::ranges::count(theirs, name) > 0) return std::nullopt;
    const auto meant = nearest(name, theirs);
    const auto hint = meant ? "did you mean " + in_quotes(*meant) + "?"
                            : std::string("an operator can register it in the commands_file");
    return in_field(invalid("there is no command " + in_quotes(name) + "; " + hint), "/command");
}

std::optional<Error> check_command_of(const Commands& commands, const std::string& tenant, const Json& input) {
    if (!model::check_command_input(input).empty()) return std::nullopt;  // another check reports it
    auto error = check_command_name(commands, tenant, argument_text(input.get_object().at("command")));
    if (error) error->field = "/command";
    return error;
}

std::optional<Error> check_commands(const Commands& commands, const model::Schedule& schedule) {
    const auto check = [&](const Json& input) { return check_command_of(commands, schedule.tenant, input); };
    return together_if_any(model::check_inputs(schedule, model::NodeKind::command, check));
}

Result<const Command*> CommandTask::find(const std::string& name, const std::string& tenant) const {
    if (auto unknown = check_command_name(commands_, tenant, name)) return *unknown;
    return &commands_.at(name);
}

std::optional<AttemptEnd> CommandTask::run(const model::Task& task, const std::stop_token& stop) const {
    const auto input = task_input(task);
    if (!input) return refusal(input.error());
    if (auto errors = model::check_command_input(*input); !errors.empty()) return refusal(errors.front());
    const auto found = find(argument_text(input->get_object().at("command")), task.tenant);
    if (!found) return refusal(found.error());
    const auto& command = **found;
    auto arguments = arguments_of(command, task, *input);
    if (!arguments) return refusal(arguments.error());
    const auto timeout = std::min(command.timeout, task.timeout.value_or(command.timeout));
    const auto ended = run_process({.argv = std::move(*arguments),
                                    .environment = environment_from(command.environment, task_environment(task)),
                                    .working_directory = command.working_directory,
                                    .input = to_text(*input),
                                    .output_max = command.output_max,
                                    .timeout = timeout,
                                    .grace = kGrace,
                                    .sandbox = command.sandbox},
                                   stop);
    if (!ended) return decide::failed_attempt(std::nullopt, ended.error().message);
    if (ended->exit == ProcessResult::Exit::cancelled) return std::nullopt;
    return end_of(*ended, timeout);
}

}  // namespace belfry::engine
