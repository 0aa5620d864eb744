// belfry config: shows the effective settings and their origins, or prints the table of all settings for the manual.
#include <ostream>

#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/settings/setting_flags.hpp"
#include "app/settings/setting_values.hpp"

namespace belfry::app {

namespace {

struct ShowOptions {
    SettingSources sources;
    Format format = Format::table;
};

ExitCode show(const ShowOptions& options, const Console& console) {
    const auto loaded = load_settings(options.sources);
    if (!loaded) return console.fail(loaded.error());
    for (const auto& warning : loaded->warnings) console.note(warning);
    std::vector<OutputRow> rows;
    for (const auto& each : loaded->effective) {
        const auto name = std::string(each.setting->name);
        const auto text = without_password(each.text);
        rows.push_back({{{"name", name}, {"value", text}, {"origin", each.origin}}, {name, text, each.origin}});
    }
    print_rows(console, options.format, {"SETTING", "VALUE", "ORIGIN"}, rows);
    return ExitCode::ok;
}

std::string in_code(std::string_view text) { return text.empty() ? "" : "`" + std::string(text) + "`"; }

ExitCode reference(const Console& console) {
    auto& out = console.out();
    out << "| TOML key | flag | environment | default | meaning |\n|---|---|---|---|---|\n";
    for (const auto& setting : settings_table()) {
        out << "| `" << setting.name << "` | `" << setting.flag() << " " << setting.value << "` | `"
            << setting.variable() << "` | " << in_code(setting.fallback) << " | " << setting.help
            << (setting.reloads ? ". Changed by SIGHUP" : "") << " |\n";
    }
    return ExitCode::ok;
}

}  // namespace

void add_config(CLI::App& program, Chosen& chosen) {
    auto* const config = program.add_subcommand("config", "Inspect the server's settings: show, reference");
    config->footer("  belfry config show\n  belfry config show --config /etc/belfry.toml -o json");
    config->require_subcommand(1);
    auto* const command = config->add_subcommand("show", "Show the effective value of every setting and its origin");
    command->footer("  belfry config show\n  BELFRY_TICK_MS=500 belfry config show --config /etc/belfry.toml -o json");
    const auto options = std::make_shared<ShowOptions>();
    add_setting_flags(*command, options->sources);
    add_format(*command, options->format);
    command->callback([options, &chosen] {
        chosen.action = [options](const Console& console) {
            options->sources.environment = process_environment();
            return show(*options, console);
        };
    });
    auto* const table = config->add_subcommand("reference", "Print the table of all settings in Markdown");
    table->footer("  belfry config reference");
    table->callback([&chosen] { chosen.action = &reference; });
}

}  // namespace belfry::app
