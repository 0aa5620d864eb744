// belfry completion: scripts that complete commands, flags and names in a shell.
#include "app/cli/completion.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <ostream>

#include "app/cli/commands.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

struct Shell {
    std::string_view name;
    const char* script;
};

// Each asks the program itself, with the words so far and the one that is being typed.
constexpr std::array kShells{
    Shell{"bash",
          "_belfry() {\n"
          "    local IFS=$'\\n'\n"
          "    COMPREPLY=($(belfry __complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null))\n"
          "}\n"
          "complete -o default -F _belfry belfry\n"},
    Shell{"zsh",
          "#compdef belfry\n"
          "_belfry() {\n"
          "    local -a found\n"
          "    found=(${(f)\"$(belfry __complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
          "    compadd -a found\n"
          "}\n"
          "compdef _belfry belfry\n"},
    Shell{"fish",
          "complete -c belfry -f -a "
          "'(belfry __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'\n"}};

std::vector<std::string> with_prefix(const std::vector<std::string>& all, const std::string& prefix) {
    std::vector<std::string> some;
    for (const auto& each : all) {
        if (each.starts_with(prefix)) some.push_back(each);
    }
    return some;
}

std::vector<std::string> names_of_options(const CLI::App* command) {
    std::vector<std::string> names;
    for (const auto* const option : command->get_options()) {
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

std::vector<const CLI::App*> inner_commands(const CLI::App* command) {
    return command->get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App* inner_command(const CLI::App* command, const std::string& name) {
    const auto inner = inner_commands(command);
    const auto found = std::ranges::find(inner, name, [](const auto* each) { return each->get_name(); });
    return found == inner.end() ? nullptr : *found;
}

bool takes_names(const CLI::App* command) {
    for (const auto* const option : command->get_options()) {
        if (option->get_positional()) return option->get_name(true) == "NAME" && command->get_name() != "create";
    }
    return false;
}

}  // namespace

std::vector<std::string> completions(const CLI::App& program, const std::vector<std::string>& words,
                                     const NamesOf& names_of) {
    const auto* command = &program;
    const CLI::App* parent = nullptr;
    const auto prefix = words.empty() ? std::string() : words.back();
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const auto* const inner = inner_command(command, words[i]);
        if (inner == nullptr) continue;
        parent = command;
        command = inner;
    }
    if (prefix.starts_with('-')) return with_prefix(names_of_options(command), prefix);
    std::vector<std::string> names;
    for (const auto* const inner : inner_commands(command)) names.push_back(inner->get_name());
    if (names.empty() && parent != nullptr && takes_names(command)) names = names_of(parent->get_name());
    return with_prefix(names, prefix);
}

void add_completion(CLI::App& program, Chosen& chosen) {
    auto* const command = program.add_subcommand("completion", "Print a script that completes commands in a shell");
    command->footer(
        "  source <(belfry completion bash)\n"
        "  belfry completion zsh > ~/.zfunc/_belfry\n"
        "  belfry completion fish > ~/.config/fish/completions/belfry.fish");
    const auto shell = std::make_shared<std::string>();
    command->add_option("SHELL", *shell, "bash, zsh or fish")->type_name("")->required();
    command->callback([shell, &chosen] {
        chosen.action = [shell](const Console& console) {
            const auto* const found = std::ranges::find(kShells, *shell, &Shell::name);
            if (found == kShells.end()) return console.fail(invalid(in_quotes(*shell) + ": use bash, zsh or fish"));
            console.out() << found->script;
            return ExitCode::ok;
        };
    });
}

}  // namespace belfry::app
