// belfry cron next: shows the next occurrences of an expression, and how clock changes affect them.
#include <boost/json/value.hpp>
#include <charconv>
#include <optional>

#include "app/cli/commands.hpp"
#include "app/cli/cron_options.hpp"
#include "app/cli/moment_text.hpp"
#include "app/cli/output.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

constexpr int kRowsMax = 10'000;

struct NextOptions : CronOptions {
    std::optional<std::string> after;  // empty: now
    int count = 5;
    bool seconds_ok = false;
    Format format = Format::table;
};

std::string whole_number_up_to_rows_max(const std::string& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool fits = error == std::errc{} && end == text.data() + text.size() && number >= 1 && number <= kRowsMax;
    return fits ? "" : in_quotes(text) + ": use a whole number from 1 to " + std::to_string(kRowsMax);
}

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
    if (!spec)
        return console.fail(spec.error(),
                            spec.error().field.starts_with("/cron") ? options.expression() : options.timezone);
    if (!options.seconds_ok) {
        if (auto error = spec->closer_than(kMinInterval)) {
            error->message += "; add --seconds-ok to show the times anyway";
            return console.fail(*error);
        }
    }
    warn_of_two_zones(options, console);
    auto after = console.now();
    if (options.after) {
        const auto given = parse_instant(*options.after);
        if (!given) return console.fail(given.error(), *options.after);
        after = *given;
    }
    std::vector<OutputRow> rows;
    auto previous = after;
    for (auto moment = spec->next(after); moment && rows.size() < static_cast<std::size_t>(options.count);
         moment = spec->next(*moment)) {
        previous = *moment;
        rows.push_back(row_of(*spec, *moment, options.after ? "" : relative_text(*moment - after)));
    }
    print_rows(console, options.format, {"OCCURRENCE", "LOCAL", "FROM NOW", "CLOCK CHANGE"}, rows);
    if (rows.size() < static_cast<std::size_t>(options.count)) {
        const auto last = rows.empty() ? std::chrono::floor<Seconds>(after) : previous;
        console.note((rows.empty() ? "no occurrence after " : "these are all: nothing after ") + format_instant(last) +
                     (spec::parse_cron(options.expression())->has_year ? ", when its years are over"
                                                                       : ", at the end of the year 9999"));
    }
    return ExitCode::ok;
}

}  // namespace

void add_cron_next(CLI::App& parent, Chosen& chosen) {
    auto* const command = parent.add_subcommand("next", "Show the next occurrences of a cron expression");
    command->footer(
        "  belfry cron next \"0 9 * * 1-5\" --tz Europe/Berlin\n"
        "  belfry cron next \"30 2 * * *\" --tz Asia/Gaza --after 2026-03-27T12:00:00Z -n 3\n"
        "  belfry cron next \"0 0 L * *\" -o json");
    const auto options = std::make_shared<NextOptions>();
    add_expression(*command, *options);
    add_zone(*command, *options);
    command->add_option("--after", options->after, "Show occurrences after this time, RFC 3339 [now]")
        ->type_name("TIME");
    command->add_option("-n,--count", options->count, "Number of occurrences, at most 10000 [5]")
        ->type_name("N")
        ->check(CLI::Validator(whole_number_up_to_rows_max, "", ""));
    add_dst(*command, *options);
    command->add_flag("--seconds-ok", options->seconds_ok, "Allow expressions that fire more than once a minute");
    add_format(*command, options->format);
    command->callback(
        [options, &chosen] { chosen.action = [options](const Console& console) { return run(*options, console); }; });
}

}  // namespace belfry::app
