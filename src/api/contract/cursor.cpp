#include "api/contract/cursor.hpp"

#include <charconv>

#include "base/text/ascii.hpp"

namespace belfry::api {

std::string cursor_text(std::string_view cursor) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const char c : cursor) {
        const auto byte = static_cast<unsigned char>(c);
        text += kDigits[byte >> 4U];
        text += kDigits[byte & 0xFU];
    }
    return text;
}

Result<std::string> parse_cursor(std::string_view text) {
    const auto refused = invalid("the cursor does not come from a list; send nextCursor unchanged");
    if (text.size() % 2 != 0) return refused;
    std::string cursor;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        unsigned byte = 0;
        const auto* const end = text.data() + i + 2;
        const auto [stop, error] = std::from_chars(text.data() + i, end, byte, 16);
        if (error != std::errc() || stop != end) return refused;
        cursor += static_cast<char>(byte);
    }
    if (storable(cursor) != cursor) return refused;  // some databases reject such a text with their own error
    return cursor;
}

}  // namespace belfry::api
