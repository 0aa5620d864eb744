// Prints rows of data in the format of -o: a table for people, JSON for programs.
#pragma once

#include <CLI/App.hpp>
#include <boost/json/object.hpp>
#include <vector>

#include "app/cli/table.hpp"

namespace belfry::app {

enum class Format : std::uint8_t { table, json, jsonl, wide, yaml, name };

// Which formats a command has. `resource` adds wide, yaml and name.
enum class FormatChoice : bool { rows, resource };

// Adds `-o, --output` to a command.
void add_format(CLI::App& command, Format& format, FormatChoice choice = FormatChoice::rows);

// One row for programs and the same row for people.
struct OutputRow {
    boost::json::object fields;
    Table::Row cells;
};

// Prints a table under `heading`, one JSON array, or one JSON object per line.
void print_rows(const Console& console, Format format, Table::Row heading, const std::vector<OutputRow>& rows);

// One field of a record: `table` prints one line per field, `json` one object.
struct OutputField {
    std::string name;   // as in JSON
    std::string label;  // for people
    std::string text;
    boost::json::value value;
};
void print_record(const Console& console, Format format, const std::vector<OutputField>& fields);

}  // namespace belfry::app
