// belfry migrate: updates the schema of a store, or shows its state.
#include <filesystem>
#include <ostream>

#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "store/open.hpp"
#include "store/sql/schema/migrations.hpp"

namespace belfry::app {

namespace {

using store::sql::SchemaStatus;

struct MigrateOptions {
    std::string address;
    Format format = Format::table;
};

Result<SchemaStatus> status_of(const MigrateOptions& options) {
    // A status query must not create a file.
    constexpr std::string_view kSqlite = "sqlite:";
    if (options.address.starts_with(kSqlite) && !std::filesystem::exists(options.address.substr(kSqlite.size()))) {
        return Error{ErrorCode::not_found, "no such file: " + options.address.substr(kSqlite.size())};
    }
    auto database = store::open_database(options.address);
    if (!database) return database.error();
    return schema_status(**database);
}

ExitCode show_status(const MigrateOptions& options, const Console& console) {
    const auto status = status_of(options);
    if (!status) return console.fail(status.error());
    std::vector<OutputRow> rows;
    for (const auto& migration : store::sql::migrations()) {
        const auto at = static_cast<std::size_t>(migration.number - 1);
        const bool applied = at < status->applied.size();
        const auto when = applied ? format_instant(status->applied[at].applied_at) : std::string();
        rows.push_back({{{"number", migration.number},
                         {"name", migration.name},
                         {"appliedAt", applied ? Json(when) : Json(nullptr)}},
                        {std::to_string(migration.number), applied ? when : "not yet", std::string(migration.name)}});
    }
    print_rows(console, options.format, {"STEP", "APPLIED", "WHAT"}, rows);
    if (const auto error = check_schema(*status)) {
        console.note(error->message);
        return ExitCode::failed;
    }
    return ExitCode::ok;
}

ExitCode bring_up(const MigrateOptions& options, const Console& console) {
    auto database = store::open_database(options.address);
    if (!database) return console.fail(database.error());
    const auto count = migrate_up(**database, console.now());
    if (!count) return console.fail(count.error());
    console.note(*count == 0 ? "the schema is up to date"
                             : "applied " + std::to_string(*count) + (*count == 1 ? " step" : " steps"));
    return ExitCode::ok;
}

void add_one(CLI::App& parent, Chosen& chosen, const char* name, const char* description,
             ExitCode (*action)(const MigrateOptions&, const Console&)) {
    auto* const command = parent.add_subcommand(name, description);
    auto options = std::make_shared<MigrateOptions>();
    command->add_option("--store", options->address, "sqlite:PATH or postgres://…; also BELFRY_STORE")
        ->required()
        ->envname("BELFRY_STORE")
        ->type_name("STORE");
    if (std::string_view(name) == "status") add_format(*command, options->format);
    command->callback([options, action, &chosen] {
        chosen.action = [options, action](const Console& console) { return action(*options, console); };
    });
}

}  // namespace

void add_migrate(CLI::App& program, Chosen& chosen) {
    auto* const migrate = program.add_subcommand("migrate", "Manage the schema of a store: status, up");
    migrate->footer(
        "  belfry migrate status --store sqlite:belfry.db\n  belfry migrate up --store postgres://me@localhost/belfry");
    migrate->require_subcommand(1);
    add_one(*migrate, chosen, "status", "Show which migrations are applied and which are missing", &show_status);
    add_one(*migrate, chosen, "up", "Apply the missing migrations", &bring_up);
}

}  // namespace belfry::app
