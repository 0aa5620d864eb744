// ASCII letters and digits, independent of the locale. Pure.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace belfry {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr bool same_ignoring_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) { return to_lower(x) == to_lower(y); });
}

inline std::string lower_case(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), to_lower);
    return result;
}

// The text with control characters and broken UTF-8 made visible, so that it can be shown anywhere.
std::string visible(std::string_view text);

// The longest beginning of at most so many bytes that does not end inside a UTF-8 character.
std::string_view whole_characters(std::string_view text, std::size_t most);

// The text as every database keeps it: NUL and broken UTF-8 become U+FFFD, everything else stays.
std::string storable(std::string_view text);

// The text as it may stand in a message: in quotes, control characters made visible, long texts cut.
std::string in_quotes(std::string_view text);

}  // namespace belfry
