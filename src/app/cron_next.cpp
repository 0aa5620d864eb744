// belfry cron next: the coming fire times of an expression, with the marks that clock changes leave.
#include <boost/json/value.hpp>
#include <ostream>

#include "app/commands.hpp"
#include "app/cron_options.hpp"
#include "app/moment_text.hpp"
#include "app/output.hpp"

namespace belfry::app {

namespace {

constexpr int kRowsMax = 10'000;

struct NextOptions : CronOptions {
    std::string after;  // empty: now
    int count = 5;
    bool seconds_ok = false;
    Format format = Format::table;
};

std::string_view mark_name(spec::DstMark::Kind kind) {
    using Kind = spec::DstMark::Kind;
    switch (kind) {
        case Kind::shifted: return "shifted";
        case Kind::first_pass: return "first_pass";
        case Kind::last_pass: return "last_pass";
        case Kind::both_first: return "both_first";
        case Kind::both_second: return "both_second";
    }
    return "";
}

OutputRow row_of(const spec::Spec& spec, Instant occurrence, const std::string& relative) {
    const auto& zone = spec.zone_of(occurrence);
    OutputRow row;
    row.fields["occurrence"] = format_instant(occurrence);
    row.fields["local"] = format_local(zone.to_local(occurrence));
    row.fields["timezone"] = zone.name();
    row.fields["offset"] = offset_text(zone.offset_at(occurrence));
    const auto mark = spec.mark(occurrence);
    const auto note = mark ? spec::describe(*mark, occurrence, zone) : "";
    if (mark) {
        row.fields["dst"] = mark_name(mark->kind);
        row.fields["note"] = note;
    } else {
        row.fields["dst"] = nullptr;
    }
    row.cells = {format_instant(occurrence), local_text(occurrence, zone), relative, note};
    return row;
}

ExitCode run(const NextOptions& options, const Console& console) {
    const auto text = options.spec_text();
    if (!text) return console.fail(text.error());
    const auto spec = spec::Spec::compile(*text, console.zones());
    if (!spec) return console.fail(spec.error(), spec.error().field.starts_with("/cron") ? options.expression() : options.timezone);
    if (!options.seconds_ok) {
        if (auto error = spec->closer_than(kMinInterval)) {
            error->message += "; add --seconds-ok to see the times all the same, and set min_interval on the server to run them";
            return console.fail(*error);
        }
    }
    auto after = console.now();
    if (!options.after.empty()) {
        const auto given = parse_instant(options.after);
        if (!given) return console.fail(given.error(), options.after);
        after = *given;
    }
    std::vector<OutputRow> rows;
    for (auto moment = spec->next(after); moment && rows.size() < static_cast<std::size_t>(options.count); moment = spec->next(*moment)) {
        rows.push_back(row_of(*spec, *moment, options.after.empty() ? relative_text(*moment - after) : ""));
    }
    print_rows(console, options.format, {"OCCURRENCE", "LOCAL", "IN", "CLOCK CHANGE"}, rows);
    if (rows.empty()) console.note("no occurrence after " + format_instant(std::chrono::floor<Seconds>(after)) + ": its years are over");
    return ExitCode::ok;
}

}  // namespace

void add_cron_next(CLI::App& parent, Chosen& chosen) {
    auto* const command = parent.add_subcommand("next", "Show the next times at which a cron expression fires");
    command->footer(
        "  belfry cron next \"0 9 * * 1-5\" --tz Europe/Berlin\n"
        "  belfry cron next \"30 2 * * *\" --tz America/New_York --after 2026-03-07T12:00:00Z -n 3\n"
        "  belfry cron next \"0 0 L * *\" -o json");
    const auto options = std::make_shared<NextOptions>();
    add_expression(*command, *options);
    add_zone(*command, *options);
    command->add_option("--after", options->after, "Start after this time, RFC 3339 [now]")->type_name("TIME");
    command->add_option("-n,--count", options->count, "How many times [5]")->type_name("N")->check(CLI::Range(1, kRowsMax).description(""));
    add_dst(*command, *options);
    command->add_flag("--seconds-ok", options->seconds_ok, "Allow expressions that fire more than once a minute");
    add_format(*command, options->format);
    command->callback([options, &chosen] { chosen.action = [options](const Console& console) { return run(*options, console); }; });
}

}  // namespace belfry::app
