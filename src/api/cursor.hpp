// The store's cursors as texts that need no escaping anywhere: they may hold a schedule's name, which may hold anything. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry::api {

// Hexadecimal; empty stays empty.
[[nodiscard]] std::string cursor_text(std::string_view cursor);
[[nodiscard]] Result<std::string> parse_cursor(std::string_view text);

}  // namespace belfry::api
