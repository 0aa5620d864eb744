#include "api/http/percent.hpp"

#include <algorithm>
#include <optional>

#include "base/text/ascii.hpp"

namespace belfry::api {

namespace {

std::optional<unsigned> hex_digit(char c) {
    if (is_digit(c)) return static_cast<unsigned>(c - '0');
    const char lower = to_lower(c);
    if (lower >= 'a' && lower <= 'f') return static_cast<unsigned>(lower - 'a') + 10U;
    return std::nullopt;
}

}  // namespace

Result<std::string> percent_decode(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            result += text[i];
            continue;
        }
        const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
        const auto low = i + 2 < text.size() ? hex_digit(text[i + 2]) : std::nullopt;
        if (!high || !low)
            return invalid(in_quotes(text) +
                           " has a % that is not followed by two hexadecimal digits; write %25 for a percent sign");
        result += static_cast<char>(*high << 4U | *low);
        i += 2;
    }
    // NUL is valid UTF-8 but cannot be stored; no name contains it.
    if (result.find('\0') != std::string::npos)
        return invalid(in_quotes(text) + " contains the character U+0000; remove it");
    if (storable(result) != result) return invalid(in_quotes(text) + " is not UTF-8");
    return result;
}

Result<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query) {
    std::vector<std::pair<std::string, std::string>> result;
    while (!query.empty()) {
        const auto end = std::min(query.find('&'), query.size());
        std::string part(query.substr(0, end));
        query.remove_prefix(std::min(end + 1, query.size()));
        if (part.empty()) continue;
        if (result.size() == kQueryParametersMax)
            return invalid("more than " + std::to_string(kQueryParametersMax) + " query parameters; send fewer");
        std::ranges::replace(part, '+', ' ');
        const auto equals = std::min(part.find('='), part.size());
        auto name = percent_decode(std::string_view(part).substr(0, equals));
        if (!name) return name.error();
        auto value =
            percent_decode(equals < part.size() ? std::string_view(part).substr(equals + 1) : std::string_view());
        if (!value) return in_field(value.error(), '?' + *name);
        result.emplace_back(std::move(*name), std::move(*value));
    }
    return result;
}

}  // namespace belfry::api
