#include "app/cli/output.hpp"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <ostream>

#include "base/text/ascii.hpp"

namespace belfry::app {

void add_format(CLI::App& command, Format& format, FormatChoice choice) {
    const bool all = choice == FormatChoice::resource;
    const std::string names = all ? "table, wide, json, jsonl, yaml or name" : "table, json or jsonl";
    // CLI11 reads an enum as a number, so the names are mapped here.
    const auto to_number = [all, names](std::string& text) -> std::string {
        constexpr std::array<std::string_view, 6> kNames{"table", "json", "jsonl", "wide", "yaml", "name"};
        const auto known = kNames.begin() + (all ? 6 : 3);
        const auto found = std::find(kNames.begin(), known, text);
        if (found == known) return in_quotes(text) + ": use " + names;
        text = std::to_string(found - kNames.begin());
        return {};
    };
    command.add_option("-o,--output", format, "Output format: " + names + " [table]")
        ->type_name("FORMAT")
        ->transform(CLI::Validator(to_number, "", ""));
}

void print_rows(const Console& console, Format format, Table::Row heading, const std::vector<OutputRow>& rows) {
    auto& out = console.out();
    if (format == Format::table) {
        Table table(std::move(heading));
        for (const auto& row : rows) table.add(row.cells);
        table.print(out, console.screen());
        return;
    }
    const bool array = format == Format::json;
    if (array) out << '[';
    const char* separator = array ? "\n" : "";
    for (const auto& row : rows) {
        out << separator << visible(boost::json::serialize(row.fields));
        if (array) {
            separator = ",\n";
        } else {
            out << '\n';
        }
    }
    if (array) out << (rows.empty() ? "]\n" : "\n]\n");
}

void print_record(const Console& console, Format format, const std::vector<OutputField>& fields) {
    if (format == Format::table) {
        std::size_t width = 0;
        for (const auto& field : fields) width = std::max(width, field.label.size());
        for (const auto& field : fields) {
            if (!field.text.empty())
                console.out() << field.label << std::string(width - field.label.size() + 2, ' ') << visible(field.text)
                              << '\n';
        }
        return;
    }
    boost::json::object object;
    for (const auto& field : fields) object[field.name] = field.value;
    console.out() << visible(boost::json::serialize(object)) << '\n';
}

}  // namespace belfry::app
