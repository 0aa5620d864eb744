#include "app/cli/cron_options.hpp"

#include "base/text/ascii.hpp"

namespace belfry::app {

std::string joined_words(const std::vector<std::string>& words) {
    std::string result;
    for (const auto& word : words) result += (result.empty() ? "" : " ") + word;
    return result;
}

std::string CronOptions::expression() const { return joined_words(words); }

Result<spec::SpecText> CronOptions::spec_text() const {
    const auto gap = spec::parse_gap_rule(dst_gap);
    if (!gap) return gap.error();
    const auto repeat = spec::parse_repeat_rule(dst_repeat);
    if (!repeat) return repeat.error();
    spec::SpecText text;
    text.cron = {expression()};
    text.timezone = timezone;
    text.dst = {*gap, *repeat};
    return text;
}

spec::ExplainOptions CronOptions::explain_options() const {
    return {.clock = clock == 24 ? spec::ClockStyle::hours_24 : spec::ClockStyle::hours_12};
}

void warn_of_two_zones(const CronOptions& options, const Console& console) {
    const auto expression = spec::parse_cron(options.expression());
    if (!expression || !expression->zone || options.timezone == "UTC" || *expression->zone == options.timezone) return;
    console.note("the expression's own zone " + *expression->zone + " wins over --tz " + options.timezone);
}

void add_expression(CLI::App& command, CronOptions& options) {
    command.add_option("EXPR", options.words, "Cron expression; quote it, or the shell expands *")
        ->required()
        ->type_name("");
}

void add_zone(CLI::App& command, CronOptions& options) {
    command.add_option("--tz", options.timezone, "IANA time zone [UTC]; CRON_TZ= in the expression takes precedence")
        ->type_name("ZONE");
}

void add_dst(CLI::App& command, CronOptions& options) {
    command.add_option("--dst-gap", options.dst_gap, "Rule for local times that do not exist: shift or skip [shift]")
        ->type_name("RULE");
    command
        .add_option("--dst-repeat", options.dst_repeat,
                    "Rule for local times that happen twice: auto, first, last or both [auto]")
        ->type_name("RULE");
}

void add_clock(CLI::App& command, CronOptions& options) {
    command.add_option("--clock", options.clock, "Clock format of the sentence: 12 or 24 [12]")
        ->type_name("12|24")
        ->check(CLI::IsMember({12, 24}).description(""));
}

}  // namespace belfry::app
