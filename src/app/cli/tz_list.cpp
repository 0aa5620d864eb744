// belfry tz list: lists the zones of the system's database, with their current time.
#include <boost/json/value.hpp>

#include "app/cli/commands.hpp"
#include "app/cli/moment_text.hpp"
#include "app/cli/output.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

struct ListOptions {
    std::string query;
    Format format = Format::table;
};

OutputRow row_of(const spec::Zone& zone, const std::string& canonical, Instant now) {
    OutputRow row;
    const auto offset = offset_text(zone.offset_at(now));
    const bool alias = canonical != zone.name();
    row.fields["name"] = zone.name();
    row.fields["offset"] = offset;
    row.fields["abbreviation"] = zone.abbreviation_at(now);
    row.fields["local"] = format_local(zone.to_local(now));
    if (alias) {
        row.fields["aliasOf"] = canonical;
    } else {
        row.fields["aliasOf"] = nullptr;
    }
    row.cells = {zone.name(), offset, local_text(now, zone), alias ? canonical : ""};
    return row;
}

ExitCode run(const ListOptions& options, const Console& console) {
    const auto now = console.now();
    const auto names = console.zones().search(options.query);
    std::vector<OutputRow> rows;
    for (const auto& name : names) {
        const auto zone = console.zones().find(name);
        if (!zone) return console.fail(zone.error());
        rows.push_back(row_of(**zone, console.zones().canonical(name), now));
    }
    print_rows(console, options.format, {"ZONE", "OFFSET", "NOW", "ALIAS OF"}, rows);
    if (rows.empty()) console.note("no zone's name contains " + in_quotes(options.query));
    return ExitCode::ok;
}

}  // namespace

void add_tz_list(CLI::App& parent, Chosen& chosen) {
    auto* const command = parent.add_subcommand("list", "List time zones whose name contains a text");
    command->footer(
        "  belfry tz list\n"
        "  belfry tz list berlin\n"
        "  belfry tz list \"new york\" -o json");
    const auto options = std::make_shared<ListOptions>();
    command->add_option("QUERY", options->query, "Part of a name, case-insensitive [all]")->type_name("");
    add_format(*command, options->format);
    command->callback(
        [options, &chosen] { chosen.action = [options](const Console& console) { return run(*options, console); }; });
}

}  // namespace belfry::app
