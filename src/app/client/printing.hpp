// Prints what the server returned, in the format of -o, with the columns of the verb.
#pragma once

#include <boost/json/array.hpp>

#include "app/client/session.hpp"

namespace belfry::app {

enum class Heading : bool { hidden, shown };

// A table of rows, a JSON array, JSON lines, YAML, or names.
void print_items(const Session& session, const boost::json::array& items, Heading heading);
void print_table(const Session& session, const Columns& columns, const boost::json::array& items,
                 Heading heading = Heading::shown);
// One resource: its columns as lines, or the whole as JSON or YAML.
void print_item(const Session& session, const Json& item);
// Only in the formats for programs; false if the format is for people.
[[nodiscard]] bool print_for_programs(const Session& session, const Json& item);
// After a change: the message of the verb, or the resource for programs.
void print_change(const Session& session, const Json& answer);

// Lines `Label:  text`; those without text are omitted. Long texts wrap.
struct LabelledText {
    std::string label;
    std::string text;
};
void print_lines(const Session& session, const std::vector<LabelledText>& lines);
void print_heading(const Session& session, const std::string& text);

// Cells of tables.
[[nodiscard]] std::string age_cell(const Session& session, const Json& item);  // of /createdAt
[[nodiscard]] std::string when_text(const Session& session, const Json& item, std::string_view pointer,
                                    const std::string& zone);  // relative and absolute

}  // namespace belfry::app
