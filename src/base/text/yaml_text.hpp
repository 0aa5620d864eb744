// Writes JSON as YAML for people: one member per line, quotes only where YAML needs them. Pure.
#pragma once

#include <string>

#include "base/text/json.hpp"

namespace belfry {

// parse_yaml reads the same value back. Ends with a line end.
[[nodiscard]] std::string to_yaml(const Json& value);

}  // namespace belfry
