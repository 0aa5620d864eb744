// Encodes the store's cursors as texts that need no escaping. A cursor may contain a schedule's name, and so any
// character. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry::api {

// Hexadecimal. An empty cursor stays empty.
[[nodiscard]] std::string cursor_text(std::string_view cursor);
[[nodiscard]] Result<std::string> parse_cursor(std::string_view text);

}  // namespace belfry::api
