#include "app/client/verb.hpp"

#include "app/client/server_flags.hpp"
#include "app/client/session.hpp"

namespace belfry::app {

namespace {

struct Line {
    ServerFlags server;
    Format format = Format::table;
    Values values;
};

void add_argument(CLI::App& command, Values& values, const Argument& argument) {
    auto& place = values.given[argument.name];
    CLI::Option* option = nullptr;
    if (argument.count == Argument::many || argument.count == Argument::at_least_one) {
        option = command.add_option(argument.name, place, argument.help);
    } else {
        option = command.add_option_function<std::string>(
            argument.name, [&place](const std::string& text) { place = {text}; }, argument.help);
    }
    option->type_name("");
    if (argument.count == Argument::one || argument.count == Argument::at_least_one) option->required();
}

// CLI11 would split a value such as `[1,2]` of an option with extra arguments.
void add_flag(CLI::App& command, Values& values, const Flag& flag) {
    auto& place = values.given[long_name(flag.names)];
    CLI::Option* option = nullptr;
    if (flag.kind == Kind::yes || flag.kind == Kind::no) {
        option = command.add_flag_callback(
            flag.names, [&place] { place = {"true"}; }, flag.help);
    } else if (flag.kind == Kind::list || flag.kind == Kind::json_list || flag.kind == Kind::pairs) {
        option = command.add_option(flag.names, place, flag.help)->allow_extra_args(false)->type_name(flag.type);
    } else if (flag.kind == Kind::words) {
        option = command.add_option(flag.names, place, flag.help)->expected(1, 2)->type_name(flag.type);
    } else {
        option = command
                     .add_option_function<std::string>(
                         flag.names, [&place](const std::string& text) { place = {text}; }, flag.help)
                     ->type_name(flag.type);
    }
    if (*flag.group != '\0') option->group(flag.group);
}

ExitCode run_verb(const Noun& noun, const Verb& verb, const Line& line, const Console& console) {
    const auto server = connect(line.server, process_environment());
    if (!server) {
        [[maybe_unused]] const auto usual = console.fail(server.error());
        return exit_code_of(server.error());
    }
    Session session(console, **server, noun, verb, line.values, line.format);
    return session.run();
}

}  // namespace

bool Values::has(const std::string& name) const {
    const auto found = given.find(name);
    return found != given.end() && !found->second.empty();
}

std::string Values::one(const std::string& name) const { return has(name) ? given.at(name).front() : ""; }

std::vector<std::string> Values::all(const std::string& name) const {
    const auto found = given.find(name);
    return found == given.end() ? std::vector<std::string>() : found->second;
}

std::string long_name(const char* names) {
    const std::string all = names;
    return all.substr(all.find("--"));
}

void add_verb(CLI::App& parent, Chosen& chosen, const Noun& noun, const Verb& verb) {
    auto* const command = parent.add_subcommand(verb.name, verb.help);
    command->footer(verb.examples);
    const auto line = std::make_shared<Line>();
    for (const auto& argument : verb.arguments) add_argument(*command, line->values, argument);
    for (const auto& flag : verb.flags) add_flag(*command, line->values, flag);
    add_format(*command, line->format, FormatChoice::resource);
    add_server_flags(*command, line->server, verb.role);
    command->callback([line, &chosen, &noun, &verb] {
        line->values.program = chosen.program;
        chosen.action = [line, &noun, &verb](const Console& console) { return run_verb(noun, verb, *line, console); };
    });
}

void add_noun(CLI::App& parent, Chosen& chosen, const Noun& noun) {
    auto* const command = parent.add_subcommand(noun.name, noun.help);
    command->footer(noun.examples);
    command->require_subcommand(1);
    for (const auto& verb : noun.verbs) add_verb(*command, chosen, noun, verb);
    for (const auto& inner : noun.nouns) add_noun(*command, chosen, inner);
}

}  // namespace belfry::app
