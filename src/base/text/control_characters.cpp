#include "base/text/control_characters.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace belfry {

namespace {

// REQUIRES: character_length(text) == length.
char32_t code_point(std::string_view text, std::size_t length) {
    constexpr unsigned kLeadBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    char32_t code = static_cast<unsigned char>(text[0]) & kLeadBits[length];
    for (const char c : text.substr(1, length - 1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
    return code;
}

// Above ASCII: C1 controls and Unicode's Bidi_Control.
bool is_deceptive(char32_t code) {
    return (code >= 0x80 && code <= 0x9F) || code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

// Shows nothing: two names that look the same may differ by it. Unicode's Default_Ignorable_Code_Point, line and
// paragraph separators, and characters that fonts draw as empty space.
bool is_invisible(char32_t code) {
    constexpr std::pair<char32_t, char32_t> kRanges[] = {
        {0x00AD, 0x00AD},   {0x034F, 0x034F},   {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F},
        {0x200B, 0x200D},   {0x2028, 0x2029},   {0x2060, 0x2065}, {0x2800, 0x2800}, {0x3164, 0x3164},
        {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFF8}, {0x1BCA0, 0x1BCA3},
        {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
    };
    return std::ranges::any_of(kRanges,
                               [code](const auto& range) { return code >= range.first && code <= range.second; });
}

// Some scripts and emoji are written with joiners and variation selectors: texts that are no names are shown as they
// are.
bool is_joiner(char32_t code) { return code == 0x200C || code == 0x200D || (code >= 0xFE00 && code <= 0xFE0F); }

}  // namespace

std::size_t character_length(std::string_view text) {
    const auto byte = static_cast<unsigned char>(text[0]);
    if (byte < ' ' || byte == 0x7f) return 0;
    if (byte < 0x80) return 1;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    if (byte < 0xC2 || byte > 0xF4 || text.size() < length) return 0;
    // Rejects overlong forms, surrogates, and code points beyond Unicode.
    const auto second = static_cast<unsigned char>(text[1]);
    if ((byte == 0xE0 && second < 0xA0) || (byte == 0xED && second > 0x9F) || (byte == 0xF0 && second < 0x90) ||
        (byte == 0xF4 && second > 0x8F))
        return 0;
    for (const char c : text.substr(1, length - 1)) {
        if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) return 0;
    }
    return length;
}

std::optional<char32_t> control_character(std::string_view text) {
    while (!text.empty()) {
        const auto length = character_length(text);
        const auto byte = static_cast<unsigned char>(text[0]);
        if (length == 0) return byte < 0x80 ? char32_t{byte} : char32_t{0xFFFD};
        if (const auto code = code_point(text, length); is_deceptive(code) || is_invisible(code)) return code;
        text.remove_prefix(length);
    }
    return std::nullopt;
}

std::optional<Error> control_error(std::string_view text) {
    constexpr char32_t kBroken = 0xFFFD;
    const auto found = control_character(text);
    if (!found) return std::nullopt;
    if (*found == kBroken) return invalid("must be valid UTF-8");
    char name[16];
    std::snprintf(name, sizeof name, "U+%04X", static_cast<unsigned>(*found));
    const std::string kind = is_invisible(*found) ? "invisible" : "control";
    return invalid("must not contain the " + kind + " character " + name + "; remove it");
}

std::string escaped_control(std::string_view text) {
    const auto code = code_point(text, character_length(text));
    if (is_joiner(code) || !(is_deceptive(code) || is_invisible(code))) return {};
    char escaped[16];
    const auto beyond =
        static_cast<unsigned>(code) - 0x10000U;  // of the first 65,536: a pair of surrogates, as JSON has it
    if (code < 0x10000) {
        std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(code));
    } else {
        std::snprintf(escaped, sizeof escaped, "\\u%04x\\u%04x", 0xD800U + (beyond >> 10U),
                      0xDC00U + (beyond & 0x3FFU));
    }
    return escaped;
}

}  // namespace belfry
