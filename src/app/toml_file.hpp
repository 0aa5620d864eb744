// What stands in a TOML file. The only user of the TOML library.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace belfry::app {

struct TomlEntry {
    std::string key;
    Result<std::string> value;  // as text; an error when it is a list, a table or a date
};

// The top of the file, in its order. The error names the file, and the line where there is one.
[[nodiscard]] Result<std::vector<TomlEntry>> read_toml(const std::string& path);

// A file with tables, as JSON; dates become texts.
struct TomlTree {
    Json root;
    std::map<std::string, std::size_t> lines;  // by JSON pointer

    // Of what the pointer leads to or, where that is missing, of what it would stand in.
    [[nodiscard]] std::size_t line_of(std::string pointer) const;
};
[[nodiscard]] Result<TomlTree> read_toml_tree(const std::string& path);
// An error about a member of it, with the file and the line.
[[nodiscard]] Error in_toml_file(const std::string& path, const TomlTree& tree, const Error& error);

}  // namespace belfry::app
