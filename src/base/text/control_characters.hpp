// Characters that deceive a terminal or a reader: C0 and C1 controls, DEL, what Unicode calls Bidi_Control (the marks,
// overrides and isolates that change the direction of text), and characters that show nothing (soft hyphen, zero width,
// line separators, tags). Refused in names; visible() in base/text/ascii.hpp escapes them, except the joiners U+200C
// and U+200D. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry {

// The first such character; invalid UTF-8 counts as U+FFFD. Empty if there is none.
[[nodiscard]] std::optional<char32_t> control_character(std::string_view text);

// The error if the text has such a character; it names the code point.
[[nodiscard]] std::optional<Error> control_error(std::string_view text);

// The length in bytes of the first character; 0 for a C0 control, DEL, or invalid UTF-8.
[[nodiscard]] std::size_t character_length(std::string_view text);

// `\u202e` if the text starts with such a character, otherwise empty. REQUIRES: character_length(text) is not 0.
[[nodiscard]] std::string escaped_control(std::string_view text);

}  // namespace belfry
