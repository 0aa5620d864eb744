#include "base/ascii.hpp"

#include <cstdio>

namespace belfry {

namespace {
constexpr std::size_t kQuotedMax = 60;  // what still fits a terminal line beside the reason

// The bytes of the printable character at the start of the text; 0 for a control character or a byte that starts none.
std::size_t character_length(std::string_view text) {
    const auto byte = static_cast<unsigned char>(text[0]);
    if (byte < ' ' || byte == 0x7f) return 0;
    if (byte < 0x80) return 1;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    if (byte < 0xC2 || byte > 0xF4 || text.size() < length) return 0;
    // Forms that are too long, surrogates, and what lies beyond Unicode.
    const auto second = static_cast<unsigned char>(text[1]);
    if ((byte == 0xE0 && second < 0xA0) || (byte == 0xED && second > 0x9F) || (byte == 0xF0 && second < 0x90) || (byte == 0xF4 && second > 0x8F))
        return 0;
    for (const char c : text.substr(1, length - 1)) {
        if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) return 0;
    }
    return length;
}

}  // namespace

std::string visible(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const auto length = character_length(text.substr(i));
        if (length > 0) {
            result += text.substr(i, length);
            i += length;
        } else {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(text[i])));
            result += escaped;
            ++i;
        }
    }
    return result;
}

std::string in_quotes(std::string_view text) {
    return '"' + visible(whole_characters(text, kQuotedMax)) + (text.size() > kQuotedMax ? "…" : "") + '"';
}

std::string_view whole_characters(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
    return text.substr(0, most);
}

std::string storable(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const bool control = text[i] != '\0' && (static_cast<unsigned char>(text[i]) < ' ' || text[i] == 0x7f);
        const auto length = control ? 1 : character_length(text.substr(i));
        result += length > 0 ? text.substr(i, length) : "\xEF\xBF\xBD";
        i += std::max<std::size_t>(length, 1);
    }
    return result;
}

}  // namespace belfry
