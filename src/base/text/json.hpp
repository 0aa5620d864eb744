// Parses, writes and compares JSON, on top of Boost.JSON's values. Pure; nothing here throws.
//
// Numbers are decimals. A whole number that fits is an int64 or a uint64, in any spelling (`1`, `1.0`, `1e0`); any
// other is a double, and a double means its shortest decimal (0.1 is one tenth). JsonNumbers decides about numbers that
// a double cannot hold, such as 2.9999999999999999999.
#pragma once

#include <boost/json/value.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry {

// Json{x} makes an array: write Json(x).
using Json = boost::json::value;

inline constexpr std::size_t kJsonDepthMax = 32;                    // bounds recursion; deeper texts are attacks
inline constexpr std::size_t kJsonBytesMax = std::size_t{1} << 20;  // 1 MiB

enum class JsonNumbers : std::uint8_t {
    nearest,  // the nearest double, as RFC 8259 recommends; numbers beyond its range are rejected
    exact,    // keeps all digits. Boost.JSON sees an object: use kind_of and to_text
};

struct JsonLimits {
    std::size_t depth_max = kJsonDepthMax;
    std::size_t bytes_max = kJsonBytesMax;
    JsonNumbers numbers = JsonNumbers::nearest;
};

// Strict RFC 8259: no comments, trailing commas, NaN or Infinity, no invalid UTF-8, and no duplicate keys. `place` in
// the error counts bytes from the start of the text.
[[nodiscard]] Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

// Writes no blanks, keeps the order of keys, and writes numbers as JavaScript does. Equal numbers have the same text.
// NaN and infinities, which no parsed text contains, become null.
[[nodiscard]] std::string to_text(const Json& value);

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };
[[nodiscard]] JsonKind kind_of(const Json& value);

// Compares exact values of any numeric types; unordered unless both are numbers.
[[nodiscard]] std::partial_ordering compare_numbers(const Json& a, const Json& b);

// Equality of JSON: numbers by value, arrays in order, objects in any order of keys.
[[nodiscard]] bool same_json(const Json& a, const Json& b);

}  // namespace belfry
