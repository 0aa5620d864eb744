#include "app/cli/table.hpp"

#include <algorithm>
#include <array>
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

constexpr std::size_t kCutGap = 2;        // blanks between columns that are cut
constexpr std::size_t kCutColumnMin = 6;  // no column is cut further, except by the edge of the screen

std::string cut_to(const std::string& text, std::size_t width) {
    if (text_width(text) <= width) return text;
    if (width == 0) return "";
    std::size_t end = 0;
    for (std::size_t columns = 0; columns < width; ++end) {
        const bool begins = end + 1 >= text.size() || (static_cast<unsigned char>(text[end + 1]) & 0xC0) != 0x80;
        if (begins && ++columns == width - 1) {
            ++end;
            break;
        }
    }
    return (width == 1 ? "" : text.substr(0, end)) + "…";
}

// The widths of all columns, 0 for those without any text, made to fit the screen.
std::vector<std::size_t> fitting_widths(const Table::Row& heading, const std::vector<Table::Row>& rows,
                                        std::size_t screen) {
    std::vector<std::size_t> widths(heading.size(), 0);
    std::size_t total = 0;
    for (std::size_t i = 0; i < heading.size(); ++i) {
        for (const auto& row : rows) widths[i] = std::max(widths[i], text_width(row[i]));
        if (widths[i] == 0) continue;
        widths[i] = std::max(widths[i], text_width(heading[i]));
        total += widths[i] + kCutGap;
    }
    while (screen != 0 && total > screen + kCutGap) {
        auto widest = std::max_element(widths.begin() + (widths.size() > 1 ? 1 : 0), widths.end());
        if (*widest <= kCutColumnMin) widest = widths.begin();
        if (*widest <= kCutColumnMin) break;
        --*widest;
        --total;
    }
    return widths;
}

void print_cut(std::ostream& out, const Table::Row& row, const std::vector<std::size_t>& widths, const Screen& screen,
               bool is_heading) {
    std::string line;
    std::size_t blanks = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (widths[i] == 0) continue;
        const auto cell = cut_to(row[i], widths[i]);
        if (!cell.empty()) {
            line += std::string(blanks, ' ') + (is_heading ? bold(cell, screen) : coloured(cell, screen));
            blanks = 0;
        }
        blanks += widths[i] - text_width(cell) + kCutGap;
    }
    out << line << '\n';
}

}  // namespace

std::string coloured(const std::string& text, const Screen& screen) {
    struct Word {
        std::string_view text;
        const char* colour;
    };
    constexpr const char* kGreen = "\x1b[32m";
    constexpr const char* kRed = "\x1b[31m";
    constexpr const char* kYellow = "\x1b[33m";
    constexpr std::array kWords{Word{"active", kGreen},
                                Word{"succeeded", kGreen},
                                Word{"ok", kGreen},
                                Word{"delivered", kGreen},
                                Word{"approved", kGreen},
                                Word{"completed", kGreen},
                                Word{"failed", kRed},
                                Word{"timed_out", kRed},
                                Word{"down", kRed},
                                Word{"failing", kRed},
                                Word{"rejected", kRed},
                                Word{"terminated", kRed},
                                Word{"paused", kYellow},
                                Word{"skipped", kYellow},
                                Word{"buffered", kYellow},
                                Word{"cancelled", kYellow},
                                Word{"awaiting_approval", kYellow},
                                Word{"pending", kYellow},
                                Word{"warning", kYellow},
                                Word{"degraded", kYellow},
                                Word{"expired", kYellow}};
    const auto* const found = std::ranges::find(kWords, text, &Word::text);
    return screen.colours && found != kWords.end() ? found->colour + text + "\x1b[0m" : text;
}

std::string bold(const std::string& text, const Screen& screen) {
    return screen.colours ? "\x1b[1m" + text + "\x1b[0m" : text;
}

void Table::add(Row row) {
    for (auto& cell : row) cell = visible(cell);
    rows_.push_back(std::move(row));
}

void Table::print(std::ostream& out, const Screen& screen) const {
    if (fit_ == Fit::cut) {
        if (rows_.empty()) return;
        const auto widths = fitting_widths(heading_, rows_, screen.columns);
        print_cut(out, heading_, widths, screen, true);
        for (const auto& row : rows_) print_cut(out, row, widths, screen, false);
        return;
    }
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
