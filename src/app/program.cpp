// The command line as a whole: the command tree, help texts with examples first, and messages about usage errors.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <sstream>

#include "app/cli/completion.hpp"
#include "app/cli/short_forms.hpp"
#include "app/program.hpp"
#include "app/settings/argument_secrets.hpp"
#include "base/text/ascii.hpp"
#include "base/text/nearest.hpp"

namespace belfry::app {

namespace {

// Prints examples before the options, because people look for them first; CLI11 would print its footer last.
// Help texts fit a terminal of 80 columns.
class HelpFormatter : public CLI::Formatter {
public:
    HelpFormatter() { column_width(kNameColumns); }
    std::string make_description(const CLI::App* command) const override {
        std::string result = wrapped(command->get_description(), 80) + "\n";
        if (const auto examples = command->get_footer(); !examples.empty()) result += "\nExamples:\n" + examples + "\n";
        return result + "\n";
    }
    std::string make_footer(const CLI::App* command) const override {
        if (command->get_parent() != nullptr) return "";
        return "\nData goes to standard output, messages to standard error. Exit codes: 0 ok,\n"
               "1 failed, 2 usage error or invalid input, 3 differences or degraded, 4 not\n"
               "allowed, 5 not found, 6 conflict, 7 timed out waiting, 8 the run failed,\n"
               "9 partly failed, 10 the server is unreachable.\n";
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        return wrapped(CLI::Formatter::make_option_desc(option), kTextColumns);
    }
    std::string make_subcommand(const CLI::App* command) const override {
        std::ostringstream out;
        CLI::detail::format_help(out, command->get_name(), wrapped(command->get_description(), kTextColumns),
                                 kNameColumns);
        return out.str();
    }

private:
    static constexpr std::size_t kNameColumns = 30;
    static constexpr std::size_t kTextColumns = 80 - kNameColumns;

    static std::string wrapped(const std::string& text, std::size_t columns) {
        std::string result;
        std::size_t column = 0;
        std::istringstream words(text);
        for (std::string word; words >> word;) {
            const bool fits = column == 0 || column + 1 + word.size() <= columns;
            if (column != 0) result += fits ? " " : "\n";
            column = fits && column != 0 ? column + 1 + word.size() : word.size();
            result += word;
        }
        return result;
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

void print_markdown(const CLI::App* command, std::ostream& out) {
    const auto inner = known_commands(command);
    out << "\n## `" << path_of(command) << "`\n\n```\n" << help_of(command) << "```\n";
    for (const auto* const each : inner) print_markdown(each, out);
}

// belfry help --markdown: the whole reference, docs/reference/cli.md.
ExitCode show_reference(const CLI::App& program, const Console& console) {
    console.out() << "# Command line\n\n"
                     "This page shows the help of every command. `belfry help --markdown` writes it, and a test\n"
                     "compares the two.\n";
    print_markdown(&program, console.out());
    return ExitCode::ok;
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

// The arguments after the first `--` of some commands are a program and its arguments. They are removed before
// parsing, because CLI11 would interpret some of them, such as `[a,b]`.
std::vector<std::string> take_program(int& argc, const char* const* argv) {
    const std::vector<std::string> words(argv, argv + argc);
    if (argc < 4) return {};
    const auto command = words[1] + " " + words[2];
    if (command != "worker run" && command != "schedule create" && command != "schedule update") return {};
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

ExitCode run_words(const CommandLine& line, int argc, const char* const* argv, const Console& console);

// Names come from the same command that people use: belfry NOUN list -o name.
std::vector<std::string> listed_names(const CommandLine& line, const std::string& noun, const Console& console) {
    std::ostringstream out;
    std::ostringstream err;
    const std::array<const char*, 6> words{line.name.c_str(), noun.c_str(), "list", "-o", "name", nullptr};
    if (run_words(line, 5, words.data(), console.with_streams(out, err)) != ExitCode::ok) return {};
    std::vector<std::string> names;
    std::istringstream lines(out.str());
    for (std::string name; std::getline(lines, name);) names.push_back(name);
    return names;
}

ExitCode complete(const CommandLine& line, const CLI::App& program, const std::vector<std::string>& words,
                  const Console& console) {
    const auto names_of = [&](const std::string& noun) { return listed_names(line, noun, console); };
    for (const auto& each : completions(program, words, names_of)) console.out() << each << '\n';
    return ExitCode::ok;
}

ExitCode run_words(const CommandLine& line, int argc, const char* const* argv, const Console& console) {
    CLI::App program(line.description, line.name);
    program.formatter(std::make_shared<HelpFormatter>());
    program.footer(line.examples);
    program.set_version_flag("--version", line.name + " " BELFRY_VERSION);
    program.require_subcommand(1);
    Chosen chosen;
    chosen.program = take_program(argc, argv);
    line.add_commands(program, chosen);
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (first == "__complete") return complete(line, program, {argv + 2, argv + argc}, console);
    if (first == "help" && argc == 3 && std::string_view(argv[2]) == "--markdown")
        return show_reference(program, console);
    if (first == "help") return show_help(program, {argv + 2, argv + argc}, console);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0) return refuse(program, error, argc, argv, console);
        program.exit(error, console.out(), console.err());
        return ExitCode::ok;
    }
    return chosen.action(console);
}

}  // namespace

ExitCode run(const CommandLine& line, int argc, const char* const* argv, const Console& console) {
    std::vector<std::string> words(argv, argv + argc);
    if (line.has_short_forms) words = in_usual_form(std::move(words));
    std::vector<const char*> pointers;
    for (const auto& word : words) pointers.push_back(word.c_str());
    pointers.push_back(nullptr);
    return run_words(line, static_cast<int>(words.size()), pointers.data(), console);
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
