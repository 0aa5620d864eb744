// belfry tz show: shows one zone and its next clock change.
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "app/cli/commands.hpp"
#include "app/cli/moment_text.hpp"
#include "app/cli/output.hpp"

namespace belfry::app {

namespace {

struct ZoneOptions {
    std::string name;
    Format format = Format::table;
};

std::string joined(const std::vector<std::string>& names) {
    std::string result;
    for (const auto& name : names) result += (result.empty() ? "" : ", ") + name;
    return result;
}

// `-05:00 EST`, or only `+03:00` if the zone has no abbreviation.
std::string offset_and_name(const spec::Zone& zone, Instant at) {
    const auto name = zone.abbreviation_at(at);
    const auto offset = offset_text(zone.offset_at(at));
    return name.starts_with('+') || name.starts_with('-') ? offset : offset + " " + name;
}

// "Sun 14 Mar 2027, 03:00 EDT (in 118 d 19 h): -05:00 EST becomes -04:00 EDT"
OutputField transition_field(const spec::Zone& zone, Instant now) {
    const auto at = zone.next_transition(now);
    if (!at) return {"nextTransition", "next change", "none: the offset does not change", nullptr};
    const auto before = *at - Micros{1};
    const auto text = local_text(*at, zone) + " (" + relative_text(*at - now) + "): " + offset_and_name(zone, before) +
                      " becomes " + offset_and_name(zone, *at);
    return {"nextTransition",
            "next change",
            text,
            {{"at", format_instant(*at)},
             {"offsetBefore", offset_text(zone.offset_at(before))},
             {"offsetAfter", offset_text(zone.offset_at(*at))}}};
}

ExitCode run(const ZoneOptions& options, const Console& console) {
    const auto& zones = console.zones();
    const auto found = zones.find(options.name);
    if (!found) return console.fail(found.error(), options.name);
    const auto& zone = **found;
    const auto now = std::chrono::floor<Seconds>(console.now());
    const auto canonical = zones.canonical(zone.name());
    const auto aliases = zones.aliases_of(zone.name());
    const auto offset = offset_text(zone.offset_at(now));
    const bool alias = canonical != zone.name();
    print_record(console, options.format,
                 {{"name", "zone", zone.name(), zone.name().c_str()},
                  {"aliasOf", "alias of", alias ? canonical : "",
                   alias ? boost::json::value(canonical) : boost::json::value(nullptr)},
                  {"aliases", "aliases", joined(aliases), boost::json::array(aliases.begin(), aliases.end())},
                  {"local", "now there", local_text(now, zone), format_local(zone.to_local(now)).c_str()},
                  {"utc", "now in UTC", local_text(now, *spec::Zone::utc()), format_instant(now).c_str()},
                  {"offset", "offset", offset_and_name(zone, now), offset.c_str()},
                  {"abbreviation", "", "", zone.abbreviation_at(now).c_str()},
                  transition_field(zone, now),
                  {"version", "zone data", zones.version() + " in " + zones.folder(), zones.version().c_str()}});
    return ExitCode::ok;
}

}  // namespace

void add_tz_show(CLI::App& parent, Chosen& chosen) {
    auto* const command = parent.add_subcommand("show", "Show a time zone: current time, offset, next clock change");
    command->footer(
        "  belfry tz show Europe/Istanbul\n"
        "  belfry tz show America/New_York -o json");
    const auto options = std::make_shared<ZoneOptions>();
    command->add_option("ZONE", options->name, "IANA name, from belfry tz list")->required()->type_name("");
    add_format(*command, options->format);
    command->callback(
        [options, &chosen] { chosen.action = [options](const Console& console) { return run(*options, console); }; });
}

}  // namespace belfry::app
