// JSON as Belfry reads, writes and compares it, on top of Boost.JSON's values. Pure; nothing here throws.
//
// Numbers mean the decimals that they are written as. A whole number that fits is an int64 or a uint64, however it was
// written (`1`, `1.0`, `1e0`); any other is a double, and a double means its shortest decimal (0.1 is one tenth). What a
// double cannot hold, such as 2.9999999999999999999, is a matter of JsonNumbers.
#pragma once

#include <boost/json/value.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry {

// Braces around a Json make an array of it: write Json(x), not Json{x}.
using Json = boost::json::value;

inline constexpr std::size_t kJsonDepthMax = 32;                    // deeper texts are attacks; every walk here recurses
inline constexpr std::size_t kJsonBytesMax = std::size_t{1} << 20;  // 1 MiB

enum class JsonNumbers : std::uint8_t {
    nearest,  // the nearest double, as RFC 8259 leads people to expect; beyond its range the text is refused
    exact,    // an exact number keeps its digits. Boost.JSON takes it for an object: ask kind_of, write with to_text
};

struct JsonLimits {
    std::size_t depth_max = kJsonDepthMax;
    std::size_t bytes_max = kJsonBytesMax;
    JsonNumbers numbers = JsonNumbers::nearest;
};

// RFC 8259 and nothing more: no comments, trailing commas, NaN or Infinity, no invalid UTF-8, and no key twice in one
// object. `place` in the error counts bytes from the start of the text.
[[nodiscard]] Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

// The text without blanks, keys in the order given, numbers as JavaScript writes them. Equal numbers have one text. NaN and
// the infinities, which no parsed text yields, are written as null.
[[nodiscard]] std::string to_text(const Json& value);

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };
[[nodiscard]] JsonKind kind_of(const Json& value);

// By value and exactly, whatever their types; unordered unless both are numbers.
[[nodiscard]] std::partial_ordering compare_numbers(const Json& a, const Json& b);

// The same JSON: numbers by value, arrays in order, objects in any order of their keys.
[[nodiscard]] bool same_json(const Json& a, const Json& b);

}  // namespace belfry
