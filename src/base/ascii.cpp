#include "base/ascii.hpp"

#include <cstdio>

namespace belfry {

namespace {
constexpr std::size_t kQuotedMax = 60;  // what still fits a terminal line beside the reason

// The longest beginning of at most `most` bytes that does not end inside a UTF-8 character.
std::string_view beginning(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
    return text.substr(0, most);
}

}  // namespace

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (const char c : beginning(text, kQuotedMax)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= ' ' && byte != 0x7f) {
            result += c;
        } else {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned>(byte));
            result += escaped;
        }
    }
    if (text.size() > kQuotedMax) result += "…";
    return result + '"';
}

}  // namespace belfry
