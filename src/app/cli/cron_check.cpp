// belfry cron check: validates expressions, for people and for CI.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <ostream>

#include "app/cli/commands.hpp"
#include "app/cli/cron_options.hpp"
#include "app/cli/output.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

struct CheckOptions {
    std::vector<std::string> expressions;
    Format format = Format::table;
};

// Compiles the expression instead of only parsing it, so that its own zone is checked, too.
std::optional<Error> check(const std::string& expression, const Console& console) {
    spec::SpecText text;
    text.cron = {expression};
    const auto spec = spec::Spec::compile(text, console.zones());
    if (!spec) return spec.error();
    return std::nullopt;
}

OutputRow row_of(const std::string& expression, const std::optional<Error>& error) {
    OutputRow row;
    row.fields["expression"] = visible(expression);
    row.fields["valid"] = !error;
    if (error) {
        row.fields["error"] = {
            {"message", error->message}, {"column", error->place.column}, {"length", error->place.length}};
        row.cells = {"invalid", expression, error->message};
        return row;
    }
    const auto parsed = spec::parse_cron(expression).value();
    const auto remarks = spec::warnings(parsed);
    const auto sentence = spec::explain(parsed);
    row.fields["description"] = sentence;
    row.fields["warnings"] = boost::json::array(remarks.begin(), remarks.end());
    row.cells = {"ok", visible(expression), sentence};
    return row;
}

// `cron check 0 9 1 1 1` without quotes is one expression, not five.
bool looks_split(const std::vector<std::string>& words) {
    return words.size() >= 5 && std::ranges::none_of(words, [](const auto& word) {
               return word.find(' ') != std::string::npos || word.starts_with('@');
           });
}

ExitCode run(const CheckOptions& given, const Console& console) {
    auto options = given;
    if (looks_split(given.expressions)) options.expressions = {joined_words(given.expressions)};
    std::vector<OutputRow> rows;
    auto result = ExitCode::ok;
    for (const auto& expression : options.expressions) {
        const auto error = check(expression, console);
        if (error && options.format == Format::table) result = console.fail(*error, expression);
        if (error) result = ExitCode::invalid;
        if (!error || options.format != Format::table) rows.push_back(row_of(expression, error));
    }
    print_rows(console, options.format, {"CHECK", "EXPRESSION", "MEANING"}, rows);
    if (options.format == Format::table) {
        for (const auto& row : rows) {
            for (const auto& remark : row.fields.at("warnings").get_array())
                console.note(row.cells[1] + ": " + std::string(remark.get_string()));
        }
    }
    return result;
}

}  // namespace

void add_cron_check(CLI::App& parent, Chosen& chosen) {
    auto* const command = parent.add_subcommand("check", "Validate cron expressions; exits with 2 if one is invalid");
    command->footer(
        "  belfry cron check \"0 9 * * 1-5\" \"*/15 * * * *\"\n"
        "  belfry cron check \"60 * * * *\"          # points at the error, exits with 2\n"
        "  belfry cron check \"0 0 30 2 *\" -o json");
    const auto options = std::make_shared<CheckOptions>();
    command->add_option("EXPR", options->expressions, "Cron expressions, each in quotes")->required()->type_name("");
    add_format(*command, options->format);
    command->callback(
        [options, &chosen] { chosen.action = [options](const Console& console) { return run(*options, console); }; });
}

}  // namespace belfry::app
