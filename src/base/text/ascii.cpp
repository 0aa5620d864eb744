#include "base/text/ascii.hpp"

#include <cstdio>

#include "base/text/control_characters.hpp"

namespace belfry {

namespace {
constexpr std::size_t kQuotedMax = 60;  // fits a terminal line together with the reason
}  // namespace

std::string visible(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const auto length = character_length(text.substr(i));
        if (length == 0) {
            char escaped[8];
            const auto byte = static_cast<unsigned>(static_cast<unsigned char>(text[i]));
            // JSON may contain a raw DEL but has no \x escape: \u keeps JSON text valid and unchanged in meaning.
            std::snprintf(escaped, sizeof escaped, byte == 0x7f ? "\\u%04x" : "\\x%02x", byte);
            result += escaped;
        } else {
            const auto escaped = escaped_control(text.substr(i));
            result += escaped.empty() ? text.substr(i, length) : std::string_view(escaped);
        }
        i += std::max<std::size_t>(length, 1);
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
