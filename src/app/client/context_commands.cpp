// belfry context: names servers, so that commands need no --url.
#include <ostream>

#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/cli/text_file.hpp"
#include "app/client/contexts.hpp"
#include "app/settings/settings_load.hpp"
#include "base/net/url.hpp"
#include "base/text/ascii.hpp"
#include "base/text/name.hpp"

namespace belfry::app {

namespace {

struct ContextOptions {
    std::string name;
    Context changed;
    std::string token_file;
    Format format = Format::table;
};

using ContextAction = Result<void> (*)(const ContextOptions& options, Contexts& contexts, const Console& console);

ExitCode with_contexts(const ContextOptions& options, const Console& console, ContextAction action) {
    auto contexts = load_contexts(contexts_path(process_environment()));
    if (!contexts) return console.fail(contexts.error());
    const auto done = action(options, *contexts, console);
    if (done) return ExitCode::ok;
    const auto usual = console.fail(done.error());
    return done.error().code == ErrorCode::not_found ? ExitCode::not_found : usual;
}

Result<void> save(const Contexts& contexts) { return save_contexts(contexts_path(process_environment()), contexts); }

Result<void> list_contexts(const ContextOptions& options, Contexts& contexts, const Console& console) {
    std::vector<OutputRow> rows;
    for (const auto& [name, context] : contexts.by_name) {
        OutputRow row;
        const bool current = name == contexts.current;
        row.fields = {{"name", name},
                      {"current", current},
                      {"url", context.url},
                      {"tenant", context.tenant.empty() ? "default" : context.tenant},
                      {"hasToken", !context.token.empty()}};
        row.cells = {current ? "*" : " ", name, context.url, context.tenant.empty() ? "default" : context.tenant,
                     context.token.empty() ? "" : "yes"};
        rows.push_back(std::move(row));
    }
    print_rows(console, options.format, {"", "NAME", "URL", "TENANT", "TOKEN"}, rows);
    if (rows.empty()) console.note("there are no contexts: add one with belfry context set NAME --server URL");
    return {};
}

Result<void> use_context(const ContextOptions& options, Contexts& contexts, const Console& console) {
    if (const auto known = choose_context(contexts, options.name); !known) return known.error();
    contexts.current = options.name;
    if (auto saved = save(contexts); !saved) return saved;
    console.out() << "Commands now use " << visible(options.name) << ": " << contexts.by_name[options.name].url << '\n';
    return {};
}

// Changes only what is given. The first context becomes the current one.
Result<void> set_context(const ContextOptions& options, Contexts& contexts, const Console& console) {
    if (const auto wrong = name_error(options.name)) return invalid("NAME: " + wrong->message);
    auto& context = contexts.by_name[options.name];
    if (!options.changed.url.empty()) context.url = options.changed.url;
    if (!options.changed.tenant.empty()) context.tenant = options.changed.tenant;
    if (!options.changed.authorities.empty()) context.authorities = options.changed.authorities;
    if (context.url.empty()) return invalid("a new context needs a server: add --server URL");
    if (const auto url = parse_url(context.url); !url)
        return invalid("--server " + in_quotes(context.url) + ": " + url.error().message);
    if (!options.token_file.empty()) {
        const auto token = read_text_file(options.token_file == "-" ? "/dev/stdin" : options.token_file);
        if (!token) return token.error();
        context.token = trimmed(*token, [](char c) { return is_blank(c) || c == '\n' || c == '\r'; });
    }
    if (contexts.current.empty()) contexts.current = options.name;
    if (auto saved = save(contexts); !saved) return saved;
    console.out() << "Saved " << visible(options.name) << ": " << context.url
                  << (contexts.current == options.name ? ", the current context" : "") << '\n';
    return {};
}

Result<void> delete_context(const ContextOptions& options, Contexts& contexts, const Console& console) {
    if (const auto known = choose_context(contexts, options.name); !known) return known.error();
    contexts.by_name.erase(options.name);
    if (contexts.current == options.name) contexts.current.clear();
    if (auto saved = save(contexts); !saved) return saved;
    console.out() << "Deleted " << visible(options.name) << '\n';
    return {};
}

struct ContextVerb {
    const char* name;
    const char* help;
    const char* examples;
    ContextAction action;
};

CLI::App* add_context_verb(CLI::App& parent, Chosen& chosen, const ContextVerb& verb,
                           const std::shared_ptr<ContextOptions>& options) {
    auto* const command = parent.add_subcommand(verb.name, verb.help);
    command->footer(verb.examples);
    if (verb.action != list_contexts)
        command->add_option("NAME", options->name, "Name of the context")->type_name("")->required();
    command->callback([options, &chosen, action = verb.action] {
        chosen.action = [options, action](const Console& console) { return with_contexts(*options, console, action); };
    });
    return command;
}

}  // namespace

void add_context(CLI::App& program, Chosen& chosen) {
    auto* const parent = program.add_subcommand("context", "Name servers for other commands: list, use, set, delete");
    parent->footer(
        "  belfry context set production --server https://belfry.example --token-file key\n"
        "  belfry context use production\n"
        "  belfry context list");
    parent->require_subcommand(1);
    const auto options = std::make_shared<ContextOptions>();
    auto* const list = add_context_verb(*parent, chosen,
                                        {"list", "List the contexts", "  belfry context list", list_contexts}, options);
    add_format(*list, options->format);
    add_context_verb(*parent, chosen,
                     {"use", "Choose the context that commands use", "  belfry context use production", use_context},
                     options);
    auto* const set =
        add_context_verb(*parent, chosen,
                         {"set", "Add or change a context, in a file that only you can read",
                          "  belfry context set local --server http://127.0.0.1:8642\n"
                          "  belfry context set production --server https://belfry.example --tenant billing\n"
                          "  belfry context set production --token-file - < key",
                          set_context},
                         options);
    set->add_option("--server", options->changed.url, "URL of the server")->type_name("URL");
    set->add_option("--tenant", options->changed.tenant, "Tenant [default]")->type_name("NAME");
    set->add_option("--token-file", options->token_file, "File with the API key; - is the standard input")
        ->type_name("FILE");
    set->add_option("--ca-file", options->changed.authorities, "PEM file with the authorities to trust")
        ->type_name("FILE");
    add_context_verb(*parent, chosen, {"delete", "Delete a context", "  belfry context delete local", delete_context},
                     options);
}

}  // namespace belfry::app
