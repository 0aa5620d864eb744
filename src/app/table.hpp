// A table for people: aligned columns under a heading, the last one wrapped so that lines fit the screen.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "app/console.hpp"

namespace belfry::app {

class Table {
public:
    using Row = std::vector<std::string>;

    explicit Table(Row heading) : heading_(std::move(heading)) {}

    // REQUIRES: as many cells as the heading has.
    void add(Row row) { rows_.push_back(std::move(row)); }

    // Columns without any text in the rows are left out.
    void print(std::ostream& out, const Screen& screen) const;

private:
    Row heading_;
    std::vector<Row> rows_;
};

}  // namespace belfry::app
