// belfry cron explain: describes an expression in a sentence, with warnings about surprises.
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <ostream>

#include "app/cli/commands.hpp"
#include "app/cli/cron_options.hpp"
#include "app/cli/output.hpp"

namespace belfry::app {

namespace {

struct ExplainCommand : CronOptions {
    Format format = Format::table;
};

ExitCode run(const ExplainCommand& options, const Console& console) {
    const auto text = options.spec_text();
    if (!text) return console.fail(text.error());
    const auto spec = spec::Spec::compile(*text, console.zones());
    if (!spec)
        return console.fail(spec.error(),
                            spec.error().field.starts_with("/cron") ? options.expression() : options.timezone);
    warn_of_two_zones(options, console);
    const auto sentence = spec::explain(*text, console.zones(), options.explain_options());
    const auto remarks = spec::warnings(spec::parse_cron(options.expression()).value());
    if (options.format == Format::table) {
        console.out() << sentence << '\n';
        for (const auto& remark : remarks) console.note(remark);
        return ExitCode::ok;
    }
    print_record(console, options.format,
                 {{"expression", "", "", options.expression().c_str()},
                  {"description", "", "", sentence.c_str()},
                  {"warnings", "", "", boost::json::array(remarks.begin(), remarks.end())}});
    return ExitCode::ok;
}

}  // namespace

void add_cron_explain(CLI::App& parent, Chosen& chosen) {
    auto* const command = parent.add_subcommand("explain", "Describe in a sentence when a cron expression fires");
    command->footer(
        "  belfry cron explain \"0 9 * * 1-5\"\n"
        "  belfry cron explain \"*/45 * * * *\"\n"
        "  belfry cron explain \"0 18 LW * *\" --tz Europe/Paris --clock 24");
    const auto options = std::make_shared<ExplainCommand>();
    add_expression(*command, *options);
    add_zone(*command, *options);
    add_dst(*command, *options);
    add_clock(*command, *options);
    add_format(*command, options->format);
    command->callback(
        [options, &chosen] { chosen.action = [options](const Console& console) { return run(*options, console); }; });
}

}  // namespace belfry::app
