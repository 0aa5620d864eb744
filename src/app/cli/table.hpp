// A table for people: aligned columns under a heading. The last column wraps so that lines fit the screen.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "app/cli/console.hpp"

namespace belfry::app {

class Table {
public:
    using Row = std::vector<std::string>;

    explicit Table(Row heading) : heading_(std::move(heading)) {}

    // Escapes control characters in the cells. REQUIRES: as many cells as the heading has.
    void add(Row row);

    // Omits columns that are empty in every row.
    void print(std::ostream& out, const Screen& screen) const;

private:
    Row heading_;
    std::vector<Row> rows_;
};

}  // namespace belfry::app
