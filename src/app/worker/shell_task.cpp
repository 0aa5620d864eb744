#include "app/worker/shell_task.hpp"

#include <algorithm>
#include <boost/json/object.hpp>

#include "app/client/json_view.hpp"
#include "app/worker/worker_command.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace shell_task {

constexpr std::size_t kLastWordsMax = 2'000;  // bytes of the output that an error quotes

bool is_plain(const std::string& word) {
    return !word.empty() && std::ranges::all_of(word, [](char c) {
        return is_alpha(c) || is_digit(c) || std::string_view("-_./:=@%+,").find(c) != std::string_view::npos;
    });
}

// Environments and arguments cannot hold NUL.
bool has_nul(const std::string& text) { return text.find('\0') != std::string::npos; }

Result<std::string> text_member(const Json& input, const std::string& name) {
    const auto& found = member_at(input, "/" + name);
    if (!found.is_null() && !found.is_string()) return invalid("input/" + name + ": use a text");
    auto text = text_at(found, "");
    if (name != "stdin" && has_nul(text)) return invalid("input/" + name + ": remove the NUL character");
    return text;
}

Result<void> add_environment(const Json& input, Environment& environment) {
    const auto& env = member_at(input, "/env");
    if (env.is_null()) return {};
    if (kind_of(env) != JsonKind::object) return invalid("input/env: use an object of texts");
    for (const auto& [key, value] : env.get_object()) {
        const std::string name(key);
        const auto text = text_at(value, "");
        if (name.empty() || name.find('=') != std::string::npos || has_nul(name) || has_nul(text))
            return invalid("input/env: " + in_quotes(name) + " cannot be a variable");
        environment[name] = text;
    }
    return {};
}

std::string value_or(const Environment& environment, const std::string& name, const std::string& otherwise) {
    const auto found = environment.find(name);
    return found == environment.end() || found->second.empty() ? otherwise : found->second;
}

std::string last_words(const ProcessResult& ended) {
    const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
    auto text = trimmed(ended.errors.text, blank);
    if (text.empty()) text = trimmed(ended.output.text, blank);
    if (text.size() > kLastWordsMax) text.remove_prefix(text.size() - kLastWordsMax);
    return storable(text);
}

}  // namespace shell_task

Json shell_target(const ShellCommand& command, const std::string& queue) {
    boost::json::object input{{"command", command.command}};
    boost::json::object env;
    for (const auto& [name, value] : command.env) env[name] = value;
    if (!env.empty()) input["env"] = std::move(env);
    if (!command.cwd.empty()) input["cwd"] = command.cwd;
    if (!command.input.empty()) input["stdin"] = command.input;
    return boost::json::object{{"taskKind", kShellKind}, {"queue", queue}, {"input", std::move(input)}};
}

std::string shell_line(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) {
        std::string quoted = "'";
        for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
        text += (text.empty() ? "" : " ") + (shell_task::is_plain(word) ? word : quoted + "'");
    }
    return text;
}

Result<ProcessRequest> shell_request(const ClaimedTask& task, Environment own) {
    using namespace shell_task;
    if (task.kind != kShellKind)
        return invalid("this worker runs tasks of the kind shell only, not " + in_quotes(task.kind));
    if (kind_of(task.input) != JsonKind::object) return invalid("input: use an object with a command");
    const auto command = text_member(task.input, "command");
    if (!command) return command.error();
    if (command->empty()) return invalid("input/command: add the command");
    const auto cwd = text_member(task.input, "cwd");
    if (!cwd) return cwd.error();
    const auto input = text_member(task.input, "stdin");
    if (!input) return input.error();
    // The worker's own SHELL is the login shell of a person; cron does not use it either.
    own["SHELL"] = "/bin/sh";
    if (auto added = add_environment(task.input, own); !added) return added.error();
    const auto shell = value_or(own, "SHELL", "/bin/sh");
    if (!shell.starts_with('/')) return invalid("input/env: SHELL " + in_quotes(shell) + ": use an absolute path");
    ProcessRequest request;
    request.argv = {shell, "-c", *command};
    request.working_directory = cwd->empty() ? value_or(own, "HOME", "/") : *cwd;
    request.input = *input;
    request.output_max = kShellOutputMax;
    request.environment = std::move(own);
    return request;
}

AttemptReport shell_report(const ProcessResult& ended, const ClaimedTask& task) {
    auto report = report_of(ended, task, shell_task::last_words(ended));
    boost::json::object result{
        {"exitCode", nullptr}, {"stdout", storable(ended.output.text)}, {"stderr", storable(ended.errors.text)}};
    if (ended.exit_code) result["exitCode"] = *ended.exit_code;
    if (ended.output.cut || ended.errors.cut) result["cut"] = true;
    report.result = std::move(result);
    return report;
}

}  // namespace belfry::app
