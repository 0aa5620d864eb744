#include "base/text/decimal.hpp"

#include <algorithm>
#include <charconv>

namespace belfry {

// number = ["-"] 1*DIGIT ["." 1*DIGIT] [("e" / "E") ["+" / "-"] 1*DIGIT]
Decimal decimal_of(std::string_view literal) {
    Decimal result;
    const auto exponent_at = std::min(literal.find_first_of("eE"), literal.size());
    auto exponent = literal.substr(std::min(exponent_at + 1, literal.size()));
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), result.point);

    auto mantissa = literal.substr(0, exponent_at);
    result.negative = mantissa.starts_with('-');
    if (result.negative) mantissa.remove_prefix(1);
    const auto whole = mantissa.substr(0, mantissa.find('.'));
    result.point += static_cast<std::int64_t>(whole.size());
    result.digits = whole;
    if (whole.size() < mantissa.size()) result.digits += mantissa.substr(whole.size() + 1);

    result.digits.erase(result.digits.find_last_not_of('0') + 1);
    const auto zeros = std::min(result.digits.find_first_not_of('0'), result.digits.size());
    result.digits.erase(0, zeros);
    result.point -= static_cast<std::int64_t>(zeros);
    return result.digits.empty() ? Decimal{} : result;
}

Decimal decimal_of(double number) {
    // Scientific, because to_chars may otherwise write more digits than needed.
    char out[32];  // the longest is -1.7976931348623157e+308
    const auto* const end = std::to_chars(out, out + sizeof out, number, std::chars_format::scientific).ptr;
    return decimal_of(std::string_view(out, static_cast<std::size_t>(end - out)));
}

std::strong_ordering compare(const Decimal& a, const Decimal& b) {
    if (a.sign() != b.sign()) return a.sign() <=> b.sign();
    const auto& smaller = a.negative ? b : a;
    const auto& larger = a.negative ? a : b;
    if (smaller.point != larger.point) return smaller.point <=> larger.point;
    return smaller.digits.compare(larger.digits) <=> 0;
}

std::string text_of(const Decimal& number) {
    if (number.sign() == 0) return "0";
    constexpr std::int64_t kPlainPointMin = -6;
    constexpr std::int64_t kPlainPointMax = 21;
    const std::string sign = number.negative ? "-" : "";
    const auto& digits = number.digits;
    if (number.point <= kPlainPointMin || number.point > kPlainPointMax) {
        const auto fraction = digits.size() > 1 ? "." + digits.substr(1) : "";
        return sign + digits[0] + fraction + (number.point > 0 ? "e+" : "e") + std::to_string(number.point - 1);
    }
    if (number.point <= 0) return sign + "0." + std::string(static_cast<std::size_t>(-number.point), '0') + digits;
    const auto whole = static_cast<std::size_t>(number.point);
    if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0');
    return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

}  // namespace belfry
