#include "app/client/printing.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <ostream>
#include <sstream>

#include "app/cli/text_width.hpp"
#include "base/text/ascii.hpp"
#include "base/text/yaml_text.hpp"

namespace belfry::app {

namespace {

constexpr std::size_t kTextColumns = 100;  // of a wrapped text, if the screen has no width

std::string cell_of(const Session& session, const Column& column, const Json& item) {
    return column.cell != nullptr ? column.cell(session, item) : text_at(item, column.pointer);
}

bool is_shown(const Session& session, const Column& column) { return !column.wide || session.format() == Format::wide; }

// The indented JSON that people read; lists and objects on several lines.
void pretty(std::ostream& out, const Json& value, std::size_t indent) {
    const std::string margin(indent + 2, ' ');
    const char* separator = "\n";
    if (value.is_array() && !value.get_array().empty()) {
        out << '[';
        for (const auto& each : value.get_array()) {
            out << separator << margin;
            pretty(out, each, indent + 2);
            separator = ",\n";
        }
        out << '\n' << std::string(indent, ' ') << ']';
    } else if (kind_of(value) == JsonKind::object && !value.get_object().empty()) {
        out << '{';
        for (const auto& [key, each] : value.get_object()) {
            out << separator << margin << to_text(Json(key)) << ": ";
            pretty(out, each, indent + 2);
            separator = ",\n";
        }
        out << '\n' << std::string(indent, ' ') << '}';
    } else {
        out << visible(to_text(value));
    }
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
    std::vector<std::string> lines(1);
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        auto& line = lines.back();
        if (line.empty()) {
            line = word;
        } else if (text_width(line) + 1 + text_width(word) <= width) {
            line += ' ' + word;
        } else {
            lines.push_back(word);
        }
    }
    return lines;
}

}  // namespace

void print_table(const Session& session, const Columns& columns, const boost::json::array& items, Heading heading) {
    Table::Row names;
    for (const auto& column : columns) {
        if (is_shown(session, column)) names.emplace_back(column.heading);
    }
    Table table(std::move(names), Fit::cut);
    for (const auto& item : items) {
        Table::Row row;
        for (const auto& column : columns) {
            if (is_shown(session, column)) row.push_back(cell_of(session, column, item));
        }
        table.add(std::move(row));
    }
    std::ostringstream text;
    table.print(text, session.console().screen());
    const auto all = text.str();
    session.out() << (heading == Heading::shown ? all : all.substr(all.find('\n') + 1));
}

void print_items(const Session& session, const boost::json::array& items, Heading heading) {
    auto& out = session.out();
    switch (session.format()) {
        case Format::json:
            pretty(out, Json(items), 0);
            out << '\n';
            break;
        case Format::jsonl:
            for (const auto& item : items) out << visible(to_text(item)) << '\n';
            break;
        case Format::yaml: out << to_yaml(Json(items)); break;
        case Format::name:
            for (const auto& item : items) out << visible(text_at(item, session.noun().key)) << '\n';
            break;
        default: print_table(session, *session.verb().columns, items, heading);
    }
}

bool print_for_programs(const Session& session, const Json& item) {
    auto& out = session.out();
    switch (session.format()) {
        case Format::json:
            pretty(out, item, 0);
            out << '\n';
            return true;
        case Format::jsonl: out << visible(to_text(item)) << '\n'; return true;
        case Format::yaml: out << to_yaml(item); return true;
        case Format::name: out << visible(text_at(item, session.noun().key)) << '\n'; return true;
        default: return false;
    }
}

void print_item(const Session& session, const Json& item) {
    if (print_for_programs(session, item)) return;
    std::vector<LabelledText> lines;
    for (const auto& column : *session.verb().columns) {
        std::string label = column.heading;
        std::transform(label.begin() + 1, label.end(), label.begin() + 1, to_lower);
        lines.push_back({std::move(label), cell_of(session, column, item)});
    }
    print_lines(session, lines);
}

void print_change(const Session& session, const Json& answer) {
    if (!answer.is_null() && print_for_programs(session, answer)) return;
    std::string message = session.verb().done;
    const auto begin = message.find('{');
    if (begin != std::string::npos) {
        const auto name = message.substr(begin + 1, message.find('}') - begin - 1);
        const auto value = name.starts_with('/') ? text_at(answer, name) : session.values().one(name);
        message.replace(begin, name.size() + 2, value);
    }
    if (!message.empty()) session.out() << visible(message) << '\n';
}

void print_lines(const Session& session, const std::vector<LabelledText>& lines) {
    std::size_t width = 0;
    for (const auto& line : lines) {
        if (!line.text.empty()) width = std::max(width, line.label.size());
    }
    const auto& screen = session.console().screen();
    const auto columns = screen.columns == 0 ? kTextColumns : screen.columns;
    const auto room = columns > width + 20 ? columns - width - 3 : columns;
    for (const auto& line : lines) {
        if (line.text.empty()) continue;
        auto label = line.label + ":" + std::string(width - line.label.size() + 2, ' ');
        for (const auto& part : wrapped(visible(line.text), room)) {
            session.out() << label << coloured(part, screen) << '\n';
            label.assign(width + 3, ' ');
        }
    }
}

void print_heading(const Session& session, const std::string& text) {
    session.out() << '\n' << bold(text, session.console().screen()) << '\n';
}

std::string when_text(const Session& session, const Json& item, std::string_view pointer, const std::string& zone) {
    const auto instant = instant_at(item, pointer);
    return instant ? relative_and_local(*instant, *session.zone(zone), session.now()) : "";
}

std::string age_cell(const Session& session, const Json& item) { return when_text(session, item, "/createdAt", "UTC"); }

}  // namespace belfry::app
