#include "base/text/base64.hpp"

#include <array>
#include <cstdint>

namespace belfry {

namespace {

constexpr std::string_view kStandard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string encode(std::string_view bytes, std::string_view letters) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : bytes) {
        bits = bits << 8U | static_cast<unsigned char>(c);
        for (held += 8; held >= 6; held -= 6) text += letters[bits >> (held - 6) & 63U];
    }
    if (held > 0) text += letters[bits << (6 - held) & 63U];
    return text;
}

// Without padding.
std::optional<std::string> decode(std::string_view text, std::string_view letters) {
    if (text.size() % 4 == 1) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() * 3 / 4);
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : text) {
        const auto value = letters.find(c);
        if (value == std::string_view::npos) return std::nullopt;
        bits = bits << 6U | static_cast<std::uint32_t>(value);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes += static_cast<char>(bits >> held & 0xFFU);
    }
    // Leftover bits must be zero, or two texts would mean the same bytes.
    if ((bits & ((1U << held) - 1)) != 0) return std::nullopt;
    return bytes;
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
    auto text = encode(bytes, kStandard);
    text.append((4 - text.size() % 4) % 4, '=');
    return text;
}

std::string to_base64url(std::string_view bytes) { return encode(bytes, kUrl); }

std::optional<std::string> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
    return decode(text, kStandard);
}

std::optional<std::string> from_base64url(std::string_view text) { return decode(text, kUrl); }

std::optional<std::string> from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_value(text[i]);
        const int low = hex_value(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

}  // namespace belfry
