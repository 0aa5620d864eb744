// The command line as a whole: the command tree, help texts with examples first, and messages about usage errors.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "app/program.hpp"
#include "app/settings/argument_secrets.hpp"
#include "base/text/ascii.hpp"
#include "base/text/nearest.hpp"

namespace belfry::app {

namespace {

// Prints examples before the options, because people look for them first; CLI11 would print its footer last.
class HelpFormatter : public CLI::Formatter {
public:
    std::string make_description(const CLI::App* command) const override {
        std::string result = command->get_description() + "\n";
        if (const auto examples = command->get_footer(); !examples.empty()) result += "\nExamples:\n" + examples + "\n";
        return result + "\n";
    }
    std::string make_footer(const CLI::App* command) const override {
        if (command->get_parent() != nullptr) return "";
        return "\nData goes to standard output, messages to standard error. Exit codes: 0 ok, 1 failed, 2 usage error "
               "or invalid input.\n";
    }
};

// The command at which parsing ended: the deepest one that was chosen.
CLI::App* reached(CLI::App& program) {
    auto* command = &program;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
    return command;
}

std::string path_of(const CLI::App* command) {
    return command->get_parent() == nullptr ? command->get_name()
                                            : path_of(command->get_parent()) + " " + command->get_name();
}

std::vector<const CLI::App*> known_commands(const CLI::App* command) {
    return command->get_subcommands([](const CLI::App*) { return true; });
}

// The arguments after the command itself.
std::vector<std::string> words_after(const CLI::App* command, int argc, const char* const* argv) {
    int depth = 1;
    for (const auto* parent = command->get_parent(); parent != nullptr; parent = parent->get_parent()) ++depth;
    return {argv + std::min(depth, argc), argv + argc};
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
    const auto meant = nearest(word, names);
    return meant ? ": did you mean " + *meant + "?" : "";
}

// CLI11 reports an unknown command as an unexpected argument.
std::optional<std::string> unknown_command(const CLI::App* command, const std::vector<std::string>& words) {
    const auto known = known_commands(command);
    if (known.empty() || words.empty() || words.front().starts_with('-')) return std::nullopt;
    std::vector<std::string> names(known.size());
    std::ranges::transform(known, names.begin(), [](const auto* each) { return each->get_name(); });
    return "unknown command " + in_quotes(path_of(command) + " " + words.front()) + did_you_mean(words.front(), names);
}

std::optional<std::string> unknown_option(const CLI::App* command, const std::vector<std::string>& words) {
    std::vector<std::string> names;
    for (const auto* const option : command->get_options()) {
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
        for (const auto& name : option->get_snames()) names.push_back("-" + name);
    }
    for (const auto& word : words) {
        const auto name = word.substr(0, word.find('='));
        const bool is_option = name.size() > 1 && name.front() == '-' && !is_digit(name[1]);
        const bool is_short_with_value =
            name.size() > 2 && name[1] != '-' && command->get_option_no_throw(name.substr(0, 2)) != nullptr;
        if (!is_option || is_short_with_value || command->get_option_no_throw(name) != nullptr) continue;
        return "unknown option " + in_quotes(name) + did_you_mean(name, names);
    }
    return std::nullopt;
}

// Rewords CLI11's messages about the number of values.
std::string in_plain_words(const std::string& message) {
    const auto option = message.substr(0, message.find(':'));
    if (message.find("At Most 1 required") != std::string::npos) return option + " is given more than once";
    if (message.find("required") != std::string::npos && message.find("missing") != std::string::npos)
        return option + " needs a value";
    if (message.find("Could not convert") != std::string::npos)
        return message.substr(message.find(": ") + 2) + " is not a valid value for this option";
    return message;
}

std::string help_of(const CLI::App* command) {
    const auto path = path_of(command);
    return command->help(path.rfind(' ') == std::string::npos ? "" : path.substr(0, path.rfind(' ')));
}

// belfry help cron next
ExitCode show_help(const CLI::App& program, const std::vector<std::string>& words, const Console& console) {
    const auto* command = &program;
    for (auto word = words.begin(); word != words.end(); ++word) {
        const auto known = known_commands(command);
        const auto found = std::ranges::find(known, *word, [](const auto* each) { return each->get_name(); });
        if (found == known.end()) {
            const auto unknown = unknown_command(command, {word, words.end()});
            console.err() << "error: "
                          << unknown.value_or(path_of(command) + " has no commands: remove " + in_quotes(*word))
                          << "\nSee " << path_of(command) << " --help\n";
            return ExitCode::invalid;
        }
        command = *found;
    }
    console.out() << help_of(command);
    return ExitCode::ok;
}

ExitCode refuse(CLI::App& program, const CLI::ParseError& error, int argc, const char* const* argv,
                const Console& console) {
    auto* const command = reached(program);
    const auto path = path_of(command);
    const auto words = words_after(command, argc, argv);
    const bool asks_for_help = !words.empty() && words.front() == "help";
    if (asks_for_help && !known_commands(command).empty()) {
        console.out() << help_of(command);
        return ExitCode::ok;
    }
    std::optional<std::string> unknown;
    if (command != &program && argv[1][0] == '-') unknown = "put " + std::string(argv[1]) + " after the command";
    if (!unknown) unknown = unknown_option(command, words);
    if (!unknown) unknown = unknown_command(command, words);
    if (!unknown && !known_commands(command).empty()) {
        console.err() << help_of(command);
        return ExitCode::invalid;
    }
    console.err() << "error: " << unknown.value_or(in_plain_words(error.what())) << "\nSee " << path << " --help\n";
    return ExitCode::invalid;
}

// The arguments after the first `--` of `belfry worker run` are a program and its arguments. They are removed before
// parsing, because CLI11 would interpret some of them, such as `[a,b]`.
std::vector<std::string> take_program(int& argc, const char* const* argv) {
    const std::vector<std::string> words(argv, argv + argc);
    if (argc < 4 || words[1] != "worker" || words[2] != "run") return {};
    const auto mark = std::find(words.begin(), words.end(), "--");
    if (mark == words.end()) return {};
    argc = static_cast<int>(mark - words.begin());
    return {mark + 1, words.end()};
}

// Keeps a copy of the arguments and hides the passwords in the originals, which other users can see.
class Arguments {
public:
    Arguments(int argc, char** argv) : words_(argv, argv + argc) {
        for (int i = 1; i < argc; ++i) hidden_ = hide_passwords(argv[i]) || hidden_;
        for (const auto& word : words_) pointers_.push_back(word.c_str());
        pointers_.push_back(nullptr);
    }

    [[nodiscard]] const char* const* pointers() const { return pointers_.data(); }
    // `belfry serve` logs the warning itself.
    [[nodiscard]] bool need_note() const { return hidden_ && words_[1] != "serve"; }

private:
    std::vector<std::string> words_;
    std::vector<const char*> pointers_;
    bool hidden_ = false;
};

}  // namespace

ExitCode run(const CommandLine& line, int argc, const char* const* argv, const Console& console) {
    CLI::App program(line.description, line.name);
    program.formatter(std::make_shared<HelpFormatter>());
    program.footer(line.examples);
    program.set_version_flag("--version", line.name + " " BELFRY_VERSION);
    program.require_subcommand(1);
    Chosen chosen;
    chosen.program = take_program(argc, argv);
    line.add_commands(program, chosen);
    if (argc > 1 && std::string_view(argv[1]) == "help") return show_help(program, {argv + 2, argv + argc}, console);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0) return refuse(program, error, argc, argv, console);
        program.exit(error, console.out(), console.err());
        return ExitCode::ok;
    }
    return chosen.action(console);
}

int start(int argc, char** argv, const CommandLine& line) {
    const Arguments arguments(argc, argv);
    const auto zones = spec::ZoneDatabase::open(spec::ZoneDatabase::system_folder());
    if (!zones) {
        std::cerr << "error: " << zones.error().message << '\n';
        return static_cast<int>(ExitCode::failed);
    }
    const SystemClock clock;
    const Console console(std::cout, std::cerr, standard_screen(), clock, *zones);
    if (arguments.need_note()) console.note(kPasswordInArguments);
    const auto result = run(line, argc, arguments.pointers(), console);
    // A full disk or a closed pipe must not look like success.
    if (!std::cout.flush()) {
        std::cerr << "error: cannot write the output\n";
        return static_cast<int>(ExitCode::failed);
    }
    return static_cast<int>(result);
}

}  // namespace belfry::app
