// The command line as a whole: the tree of commands, help with examples first, and what is said when it cannot be read.
#include <CLI/CLI.hpp>
#include <ostream>

#include "app/commands.hpp"
#include "base/ascii.hpp"
#include "base/nearest.hpp"

namespace belfry::app {

namespace {

// Examples are what people look for, so they come before the options; CLI11 would print its footer last.
class HelpFormatter : public CLI::Formatter {
public:
    std::string make_description(const CLI::App* command) const override {
        std::string result = command->get_description() + "\n";
        if (const auto examples = command->get_footer(); !examples.empty()) result += "\nExamples:\n" + examples + "\n";
        return result + "\n";
    }
    std::string make_footer(const CLI::App* command) const override {
        if (command->get_parent() != nullptr) return "";
        return "\nData goes to the standard output, all else to the standard error. Exit codes: 0 ok, 1 failed, 2 usage or invalid input.\n";
    }
};

void add_commands(CLI::App& program, Chosen& chosen) {
    auto* const cron = program.add_subcommand("cron", "Cron expressions: next times, meaning, check");
    cron->footer("  belfry cron next \"0 9 * * 1-5\" --tz Europe/Berlin\n  belfry cron explain \"0 18 LW * *\"\n  belfry cron check \"60 * * * *\"");
    cron->require_subcommand(1);
    add_cron_next(*cron, chosen);
    add_cron_explain(*cron, chosen);
    add_cron_check(*cron, chosen);
    auto* const tz = program.add_subcommand("tz", "Time zones: list, show");
    tz->footer("  belfry tz list berlin\n  belfry tz show America/New_York");
    tz->require_subcommand(1);
    add_tz_list(*tz, chosen);
    add_tz_show(*tz, chosen);
    add_version(program, chosen);
}

// The command that was being read when parsing ended: the deepest one that was chosen.
CLI::App* reached(CLI::App& program) {
    auto* command = &program;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
    return command;
}

std::string path_of(const CLI::App* command) {
    return command->get_parent() == nullptr ? "belfry" : path_of(command->get_parent()) + " " + command->get_name();
}

// CLI11 counts an unknown verb as an unexpected argument; people meant a command.
std::optional<std::string> unknown_command(CLI::App* command, int argc, const char* const* argv) {
    const auto known = command->get_subcommands([](const CLI::App*) { return true; });
    if (known.empty()) return std::nullopt;
    std::vector<std::string> names;
    for (const auto* const sub : known) names.push_back(sub->get_name());
    int depth = 1;
    for (auto* parent = command->get_parent(); parent != nullptr; parent = parent->get_parent()) ++depth;
    if (depth >= argc || argv[depth][0] == '-') return std::nullopt;
    const std::string word = argv[depth];
    std::string message = "unknown command " + in_quotes(path_of(command) + " " + word);
    if (const auto meant = nearest(word, names)) return message + ": did you mean " + *meant + "?";
    return message;
}

ExitCode refuse(CLI::App& program, const CLI::ParseError& error, int argc, const char* const* argv, const Console& console) {
    auto* const command = reached(program);
    const auto path = path_of(command);
    if (const auto unknown = unknown_command(command, argc, argv)) {
        console.err() << "error: " << *unknown << '\n';
    } else if (error.get_name() == "RequiredError" && !command->get_subcommands([](const CLI::App*) { return true; }).empty()) {
        console.err() << command->help(path.substr(0, path.rfind(' ') == std::string::npos ? 0 : path.rfind(' ')));
        return ExitCode::invalid;
    } else {
        console.err() << "error: " << error.what() << '\n';
    }
    console.err() << "See " << path << " --help\n";
    return ExitCode::invalid;
}

}  // namespace

ExitCode run(int argc, const char* const* argv, const Console& console) {
    CLI::App program("Belfry keeps time for everyone else: cron, intervals and instants in any time zone.", "belfry");
    program.formatter(std::make_shared<HelpFormatter>());
    program.footer(
        "  belfry cron next \"30 2 * * *\" --tz America/New_York\n"
        "  belfry cron explain \"0 9 * * 1-5\"\n"
        "  belfry tz show Europe/Istanbul");
    program.set_version_flag("--version", "belfry " BELFRY_VERSION);
    program.require_subcommand(1);
    Chosen chosen;
    add_commands(program, chosen);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0) return refuse(program, error, argc, argv, console);
        program.exit(error, console.out(), console.err());
        return ExitCode::ok;
    }
    return chosen.action(console);
}

}  // namespace belfry::app
