#include "spec/zone/offset_text.hpp"

#include <algorithm>
#include <cstdio>

#include "base/text/ascii.hpp"
#include "base/text/parse_integer.hpp"

namespace belfry::spec {

namespace chrono = std::chrono;

std::string offset_text(Seconds offset) {
    const chrono::hh_mm_ss clock{chrono::abs(offset)};
    char out[32];
    std::snprintf(out, sizeof out, "%c%02d:%02d", offset < Seconds{0} ? '-' : '+',
                  static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()));
    std::string result = out;
    if (const auto seconds = clock.seconds().count(); seconds != 0) {
        std::snprintf(out, sizeof out, ":%02d", static_cast<int>(seconds));
        result += out;
    }
    return result;
}

std::optional<Seconds> parse_offset(std::string_view text) {
    for (const std::string_view prefix : {"utc", "gmt"}) {
        if (same_ignoring_case(text.substr(0, prefix.size()), prefix)) {
            text.remove_prefix(prefix.size());
            break;
        }
    }
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    if (text.size() < 2 || (text.front() != '+' && text.front() != '-')) return std::nullopt;
    const int sign = text.front() == '-' ? -1 : 1;
    text.remove_prefix(1);
    const auto colon = text.find(':');
    auto hours = text.substr(0, std::min(colon, text.size()));
    auto minutes = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    if (colon == std::string_view::npos && text.size() > 2) {
        hours = text.substr(0, text.size() - 2);
        minutes = text.substr(text.size() - 2);
    }
    if (colon != std::string_view::npos && minutes.empty()) return std::nullopt;
    if (!std::ranges::all_of(hours, is_digit) || !std::ranges::all_of(minutes, is_digit)) return std::nullopt;
    const auto h = parse_integer(hours);
    const auto m = minutes.empty() ? std::optional<std::int64_t>(0) : parse_integer(minutes);
    if (!h || !m || *h > 18 || *m > 59) return std::nullopt;
    return sign * (chrono::hours{*h} + chrono::minutes{*m});
}

}  // namespace belfry::spec
