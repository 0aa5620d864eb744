// belfry token: creates, lists and revokes API keys directly in the store, even while a server uses it.
#include <ostream>

#include "api/auth/keys.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/server/store_opening.hpp"
#include "app/settings/setting_flags.hpp"
#include "base/text/ascii.hpp"
#include "base/time/duration.hpp"
#include "engine/usecases/tenants.hpp"
#include "store/registry.hpp"

namespace belfry::app {

namespace {

using api::auth::Keys;

struct TokenOptions {
    SettingSources sources;
    Format format = Format::table;
    std::string name;                // create
    std::vector<std::string> roles;  // create
    std::string tenant = model::kEveryTenant;
    std::string expires;
    std::string id;  // revoke
};

// Adapts the console's clock for the keys.
class ConsoleClock final : public Clock {
public:
    explicit ConsoleClock(const Console& console) : console_(console) {}
    [[nodiscard]] Instant now() const override { return console_.now(); }

private:
    const Console& console_;
};

using KeyAction = Result<ExitCode> (*)(Keys& keys, const TokenOptions& options, const Console& console);

// Opens the store and runs `action` on its keys.
ExitCode with_keys(const TokenOptions& options, const Console& console, KeyAction action) {
    const auto loaded = load_settings(options.sources);
    if (!loaded) return console.fail(loaded.error());
    for (const auto& warning : loaded->warnings) console.note(warning);
    const bool is_new = !exists(loaded->values);
    const auto store = open_store(loaded->values, console.zones());
    if (!store) return console.fail(store.error());
    const ConsoleClock clock(console);
    Keys keys((*store)->registry(), clock);
    const auto done = action(keys, options, console);
    if (!done) return console.fail(done.error());
    if (is_new) {
        console.note("created a new store, " + loaded->values.store +
                     "; for the store of a running server, pass the server's --store, --data-dir or --config");
    }
    return *done;
}

std::string roles_text(const model::Roles& roles) {
    std::string text;
    for (const auto& each : roles) {
        for (const auto role : each.second) {
            text += (text.empty() ? "" : ", ") + std::string(name_of(role));
            if (each.first != model::kEveryTenant) text += " in " + each.first;
        }
    }
    return text;
}

Result<api::auth::NewKey> wanted_key(const TokenOptions& options) {
    api::auth::NewKey wanted{.name = options.name, .roles = {}, .created_by = "cli"};
    if (options.tenant != model::kEveryTenant) {
        if (const auto error = engine::check_tenant_name(options.tenant))
            return invalid("--tenant: " + in_quotes(options.tenant) + " " + error->message);
    }
    for (const auto& name : options.roles) {
        const auto role = model::parse_role(name);
        if (!role) return invalid("--role: " + role.error().message);
        wanted.roles[options.tenant].insert(*role);
    }
    if (options.expires.empty()) return wanted;
    const auto lifetime = parse_duration(options.expires);
    if (!lifetime) return invalid("--expires: " + lifetime.error().message);
    wanted.lifetime = *lifetime;
    return wanted;
}

Result<ExitCode> create(Keys& keys, const TokenOptions& options, const Console& console) {
    const auto wanted = wanted_key(options);
    if (!wanted) return wanted.error();
    const auto made = keys.create(*wanted);
    if (!made) return made.error();
    const auto& key = made->key;
    const auto secret = std::string(made->secret.reveal());  // shown only here
    if (options.format != Format::table) {
        auto json = api::auth::to_json(key, console.now());
        json.get_object()["secret"] = secret;
        console.out() << to_text(json) << '\n';
        return ExitCode::ok;
    }
    console.out() << secret << '\n';
    console.note("the secret of " + key.id + " is shown only once: " + roles_text(key.roles) +
                 (key.expires_at ? ", expires at " + format_instant(*key.expires_at) : ", does not expire"));
    console.note(
        "to use it: curl -H \"Authorization: Bearer $BELFRY_TOKEN\" "
        "http://127.0.0.1:8642/api/tenants/default/schedules");
    return ExitCode::ok;
}

Result<ExitCode> list(Keys& keys, const TokenOptions& options, const Console& console) {
    const auto all = keys.list();
    if (!all) return all.error();
    std::vector<OutputRow> rows;
    const auto or_empty = [](const std::optional<Instant>& instant) {
        return instant ? format_instant(*instant) : std::string();
    };
    for (const auto& key : *all) {
        rows.push_back({api::auth::to_json(key, console.now()).get_object(),
                        {key.id, key.name, api::auth::state_of(key, console.now()), format_instant(key.created_at),
                         or_empty(key.expires_at), or_empty(key.revoked_at), roles_text(key.roles)}});
    }
    print_rows(console, options.format, {"ID", "NAME", "STATE", "CREATED", "EXPIRES", "REVOKED", "ROLES"}, rows);
    return ExitCode::ok;
}

Result<ExitCode> revoke(Keys& keys, const TokenOptions& options, const Console& console) {
    const auto revoked = keys.revoke(options.id);
    if (!revoked) return revoked.error();
    console.note("revoked the key " + revoked->id + " (" + revoked->name + "): the server rejects it from now on");
    return ExitCode::ok;
}

// Adds a subcommand with the flags that all of them share.
CLI::App* add_one(CLI::App& parent, Chosen& chosen, const char* name, const char* description,
                  const std::shared_ptr<TokenOptions>& options, KeyAction action) {
    auto* const command = parent.add_subcommand(name, description);
    add_setting_flags(*command, options->sources, {"store", "data_dir"});
    command->callback([options, action, &chosen] {
        chosen.action = [options, action](const Console& console) {
            options->sources.environment = process_environment();
            return with_keys(*options, console, action);
        };
    });
    return command;
}

}  // namespace

void add_token(CLI::App& program, Chosen& chosen) {
    auto* const token = program.add_subcommand("token", "Manage API keys for programs: create, list, revoke");
    token->footer(
        "  belfry token create ci --role operator --tenant acme --expires 90d\n"
        "  belfry token list\n"
        "  belfry token revoke 4q9r2mzk81vx");
    token->require_subcommand(1);
    const auto options = std::make_shared<TokenOptions>();

    auto* const creating =
        add_one(*token, chosen, "create", "Create an API key and show its secret once", options, &create);
    creating->footer(
        "  belfry token create admin --role admin\n"
        "  belfry token create ci --role operator --tenant acme --expires 90d -o json");
    creating->add_option("NAME", options->name, "Name of the key; unique among the keys that are not revoked")
        ->required();
    creating
        ->add_option("--role", options->roles,
                     "viewer, operator, approver, worker or admin; repeat it for several roles")
        ->required()
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("ROLE");
    creating->add_option("--tenant", options->tenant, "Tenant for which the roles apply [* for all tenants]")
        ->type_name("TENANT");
    creating->add_option("--expires", options->expires, "Time until the key expires, such as 90d [never]")
        ->type_name("DURATION");
    add_format(*creating, options->format);

    auto* const listing =
        add_one(*token, chosen, "list", "List all keys, including revoked and expired ones; never shows secrets",
                options, &list);
    listing->footer("  belfry token list\n  belfry token list -o json");
    add_format(*listing, options->format);

    auto* const revoking = add_one(*token, chosen, "revoke",
                                   "Revoke a key; the server rejects it from the next request on", options, &revoke);
    revoking->footer("  belfry token revoke 4q9r2mzk81vx");
    revoking->add_option("ID", options->id, "Id of the key, from belfry token list")->required();
}

}  // namespace belfry::app
