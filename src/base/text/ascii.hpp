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

// The text without the blanks at both ends.
constexpr std::string_view trimmed(std::string_view text, bool (*blank)(char) = is_blank) {
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

inline std::string lower_case(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), to_lower);
    return result;
}

// Escapes control characters and invalid UTF-8, so that the text can be shown anywhere.
std::string visible(std::string_view text);

// The longest prefix of at most `most` bytes that does not end inside a UTF-8 character.
std::string_view whole_characters(std::string_view text, std::size_t most);

// The text in a form that every database accepts: NUL and invalid UTF-8 become U+FFFD.
std::string storable(std::string_view text);

// The text for a message: in quotes, with control characters escaped, truncated if long.
std::string in_quotes(std::string_view text);

}  // namespace belfry
