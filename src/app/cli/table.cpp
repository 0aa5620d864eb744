#include "app/cli/table.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>

#include "app/cli/text_width.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

constexpr std::size_t kGap = 3;             // blanks between columns
constexpr std::size_t kLastColumnMin = 24;  // if narrower, the last cell moves to its own line

// Wraps the text at blanks into lines of at most `width` columns; a longer word stays whole.
std::vector<std::string> wrap(const std::string& text, std::size_t width) {
    std::vector<std::string> lines(1);
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        auto& line = lines.back();
        if (line.empty()) {
            line = word;
        } else if (width == 0 || text_width(line) + 1 + text_width(word) <= width) {
            line += ' ' + word;
        } else {
            lines.push_back(word);
        }
    }
    return lines;
}

class Layout {
public:
    Layout(const Table::Row& heading, const std::vector<Table::Row>& rows, std::size_t columns)
        : screen_columns_(columns) {
        for (std::size_t i = 0; i < heading.size(); ++i) {
            std::size_t width = 0;
            for (const auto& row : rows) width = std::max(width, text_width(row[i]));
            if (width > 0) shown_.push_back({i, std::max(width, text_width(heading[i]))});
        }
    }

    void print(std::ostream& out, const Table::Row& row) const {
        std::string line;
        for (const auto& [index, width] : shown_) {
            if (index == shown_.back().index) break;
            line += row[index] + std::string(width - text_width(row[index]) + kGap, ' ');
        }
        print_last(out, line, shown_.empty() ? "" : row[shown_.back().index]);
    }

private:
    struct Column {
        std::size_t index;
        std::size_t width;
    };

    void print_last(std::ostream& out, std::string line, const std::string& cell) const {
        auto indent = text_width(line);
        if (cell.empty()) {
            out << trimmed(std::move(line)) << '\n';
            return;
        }
        if (screen_columns_ != 0 && indent + text_width(cell) > screen_columns_ &&
            indent + kLastColumnMin > screen_columns_) {
            out << trimmed(line) << '\n';
            indent = 2;
            line = "  ";
        }
        const auto width =
            screen_columns_ == 0 ? 0 : std::max(kLastColumnMin, screen_columns_ - std::min(screen_columns_, indent));
        for (const auto& part : wrap(cell, width)) {
            out << trimmed(line + part) << '\n';
            line.assign(indent, ' ');
        }
    }

    static std::string trimmed(std::string line) {
        line.erase(line.find_last_not_of(' ') + 1);
        return line;
    }

    std::vector<Column> shown_;
    std::size_t screen_columns_;
};

}  // namespace

void Table::add(Row row) {
    for (auto& cell : row) cell = visible(cell);
    rows_.push_back(std::move(row));
}

void Table::print(std::ostream& out, const Screen& screen) const {
    const Layout layout(heading_, rows_, screen.columns);
    if (rows_.empty()) return;
    std::ostringstream heading;
    layout.print(heading, heading_);
    auto text = heading.str();
    if (screen.colours) text = "\x1b[1m" + text.substr(0, text.size() - 1) + "\x1b[0m\n";
    out << text;
    for (const auto& row : rows_) layout.print(out, row);
}

}  // namespace belfry::app
