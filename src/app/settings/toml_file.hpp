// Reads TOML files. The only user of the TOML library.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/text/json.hpp"

namespace belfry::app {

struct TomlEntry {
    std::string key;
    Result<std::string> value;  // as text; an error if it is a list, a table or a date
};

// The top-level entries of the file, in order. The error names the file, and the line if it is known.
[[nodiscard]] Result<std::vector<TomlEntry>> read_toml(const std::string& path);

// A file with tables, as JSON; dates become strings.
struct TomlTree {
    Json root;
    std::map<std::string, std::size_t> lines;  // by JSON pointer

    // The line of the member that the pointer names or, if it is missing, of the nearest existing parent.
    [[nodiscard]] std::size_t line_of(std::string pointer) const;
};
[[nodiscard]] Result<TomlTree> read_toml_tree(const std::string& path);
// Adds the file and the line to an error about one of its members.
[[nodiscard]] Error in_toml_file(const std::string& path, const TomlTree& tree, const Error& error);

}  // namespace belfry::app
