#include "base/text/percent_encode.hpp"

#include "base/text/ascii.hpp"

namespace belfry {

std::string percent_encode(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string result;
    for (const char c : text) {
        if (is_alpha(c) || is_digit(c) || std::string_view("-._~").find(c) != std::string_view::npos) {
            result += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            result += '%';
            result += kDigits[byte >> 4U];
            result += kDigits[byte & 0xFU];
        }
    }
    return result;
}

}  // namespace belfry
