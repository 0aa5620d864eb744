// Decimal numbers of any length, compared by value. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace belfry {

// 0.digits × 10^point. The digits neither start nor end with a zero, so each value has one Decimal; zero has no digits.
struct Decimal {
    bool negative = false;
    std::string digits = {};
    std::int64_t point = 0;

    [[nodiscard]] int sign() const { return digits.empty() ? 0 : negative ? -1 : 1; }
};

// Parses a JSON number. REQUIRES: well-formed.
[[nodiscard]] Decimal decimal_of(std::string_view literal);

// The shortest decimal that reads back as this double. REQUIRES: finite.
[[nodiscard]] Decimal decimal_of(double number);

[[nodiscard]] std::strong_ordering compare(const Decimal& a, const Decimal& b);

// As in ECMAScript: plain between 1e-6 and 1e21, otherwise with an exponent.
[[nodiscard]] std::string text_of(const Decimal& number);

}  // namespace belfry
