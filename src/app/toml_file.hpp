// Names and values from a TOML file. The only user of the TOML library.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace belfry::app {

struct TomlEntry {
    std::string key;
    Result<std::string> value;  // as text; an error when it is a list, a table or a date
};

// The top of the file, in its order. The error names the file, and the line where there is one.
[[nodiscard]] Result<std::vector<TomlEntry>> read_toml(const std::string& path);

}  // namespace belfry::app
