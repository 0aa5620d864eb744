// A table for people: aligned columns under a heading. Lines fit the screen: the last column wraps, or every row is cut
// to one line.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "app/cli/console.hpp"

namespace belfry::app {

enum class Fit : bool { wrap, cut };

class Table {
public:
    using Row = std::vector<std::string>;

    explicit Table(Row heading, Fit fit = Fit::wrap) : heading_(std::move(heading)), fit_(fit) {}

    // Escapes control characters in the cells. REQUIRES: as many cells as the heading has.
    void add(Row row);

    // Omits columns that are empty in every row. With Fit::cut, the widest columns are cut first, the first one last,
    // and words for states have colours.
    void print(std::ostream& out, const Screen& screen) const;

private:
    Row heading_;
    Fit fit_;
    std::vector<Row> rows_;
};

// The text with its colour if it is a word for a state, such as `failed`; unchanged on a screen without colours.
[[nodiscard]] std::string coloured(const std::string& text, const Screen& screen);
// In bold, on a screen with colours.
[[nodiscard]] std::string bold(const std::string& text, const Screen& screen);

}  // namespace belfry::app
