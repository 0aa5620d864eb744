// Decimal numbers of any length, by value. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace belfry {

// 0.digits × 10^point. The digits neither begin nor end with a zero, so a value has one Decimal; zero has none at all.
struct Decimal {
    bool negative = false;
    std::string digits = {};
    std::int64_t point = 0;

    [[nodiscard]] int sign() const { return digits.empty() ? 0 : negative ? -1 : 1; }
};

// From the text of a number as JSON writes it. REQUIRES: well-formed.
[[nodiscard]] Decimal decimal_of(std::string_view literal);

// The shortest decimal that reads back as this double. REQUIRES: finite.
[[nodiscard]] Decimal decimal_of(double number);

[[nodiscard]] std::strong_ordering compare(const Decimal& a, const Decimal& b);

// As ECMAScript writes numbers: plainly between 1e-6 and 1e21, else with an exponent.
[[nodiscard]] std::string text_of(const Decimal& number);

}  // namespace belfry
