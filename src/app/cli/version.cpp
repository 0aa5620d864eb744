// belfry version: shows the versions of the program and of the zone data.
#include <boost/json/value.hpp>

#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"

namespace belfry::app {

void add_version(CLI::App& parent, Chosen& chosen) {
    auto* const command =
        parent.add_subcommand("version", "Show the versions of the program and of its time zone data");
    command->footer("  belfry version\n  belfry version -o json");
    const auto format = std::make_shared<Format>(Format::table);
    add_format(*command, *format);
    command->callback([format, &chosen] {
        chosen.action = [format](const Console& console) {
            const auto& zones = console.zones().version();
            print_record(
                console, *format,
                {{"version", "belfry", BELFRY_VERSION, BELFRY_VERSION}, {"tzdata", "zone data", zones, zones.c_str()}});
            return ExitCode::ok;
        };
    });
}

}  // namespace belfry::app
