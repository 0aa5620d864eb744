#include "base/ascii.hpp"

#include <cstdio>

namespace belfry {

namespace {
constexpr std::size_t kQuotedMax = 60;  // what still fits a terminal line beside the reason
}

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (const char c : text.substr(0, kQuotedMax)) {
        if (c >= ' ' && c != '\x7f') {
            result += c;
        } else {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
            result += escaped;
        }
    }
    if (text.size() > kQuotedMax) result += "…";
    return result + '"';
}

}  // namespace belfry
