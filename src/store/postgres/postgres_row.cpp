#include "store/postgres/postgres_row.hpp"

#include <cstddef>

#include "store/postgres/postgres_oids.hpp"

namespace belfry::store::postgres {

namespace {

// A signed big-endian number of up to 8 bytes.
std::int64_t signed_number(std::string_view bytes) {
    if (bytes.empty() || bytes.size() > 8) return 0;
    auto number = (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0 ? ~std::uint64_t{0} : std::uint64_t{0};
    for (const char byte : bytes) number = number << 8U | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(number);
}

// The layout of numeric_send: four 16-bit numbers (digit count, weight, sign, scale), then the digits in base 10000.
// `weight` is the exponent of the first digit. Cuts off the fraction.
std::int64_t whole_part(std::string_view bytes) {
    const auto field = [&](std::size_t i) {
        return 2 * i + 2 <= bytes.size() ? signed_number(bytes.substr(2 * i, 2)) : 0;
    };
    constexpr std::int64_t kNegative = 0x4000;
    const auto digits = field(0);
    const auto weight = field(1);
    std::uint64_t number = 0;
    for (std::int64_t i = 0; i <= weight; ++i) {
        number = number * 10'000 + static_cast<std::uint64_t>(i < digits ? field(4 + static_cast<std::size_t>(i)) : 0);
    }
    return static_cast<std::int64_t>(field(2) == kNegative ? 0 - number : number);
}

}  // namespace

bool PostgresRow::is_null(int column) const { return PQgetisnull(&result_, row_, column) != 0; }

std::string_view PostgresRow::raw(int column) const {
    return {PQgetvalue(&result_, row_, column), static_cast<std::size_t>(PQgetlength(&result_, row_, column))};
}

std::int64_t PostgresRow::integer(int column) const {
    if (is_null(column)) return 0;
    switch (PQftype(&result_, column)) {
        case kBool:
        case kInt2:
        case kInt4:
        case kInt8: return signed_number(raw(column));
        case kNumeric: return whole_part(raw(column));
        default: return 0;
    }
}

std::string_view PostgresRow::text(int column) const {
    if (is_null(column)) return {};
    switch (PQftype(&result_, column)) {
        case kBool:
        case kInt2:
        case kInt4:
        case kInt8:
        case kNumeric: return {};
        default: return raw(column);
    }
}

}  // namespace belfry::store::postgres
