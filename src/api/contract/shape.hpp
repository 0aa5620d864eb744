// Describes JSON as data. The server validates requests against shapes, writes the OpenAPI document from them, and the
// tests check every response against them, so the three always agree. Pure.
//
//   const auto kPause = record("PauseRequest", {{"reason", text(), "Reason for the pause."},
//                                               {"until", instant(), "Time at which the schedule resumes."}});
//   for (const auto& error : check(json, *kPause)) …
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/result.hpp"
#include "base/text/json.hpp"

namespace belfry::api {

struct Shape;
using ShapePtr = std::shared_ptr<const Shape>;

enum class Presence : std::uint8_t { optional, required };

// A member of an object, or a query parameter.
struct Member {
    std::string name;
    ShapePtr shape;
    std::string says;  // the description
    Presence presence = Presence::optional;
};

// Returns the error in a text, if there is one.
using TextCheck = std::optional<Error> (*)(std::string_view text);

// Members of which an object needs at least one.
struct Needed {
    std::vector<std::string> names;
    std::string missing;  // the error message for the first when all are missing
};

struct Shape {
    enum class Kind : std::uint8_t { anything, text, integer, decimal, boolean, list, object, map };
    Kind kind = Kind::anything;
    std::string name = {};    // of a component of the document; empty: written inline
    bool nullable = false;    // in a response; in a request, null always means absent
    std::string format = {};  // `date-time`, `duration`…
    std::vector<std::string> choices = {};
    TextCheck check = nullptr;
    std::int64_t least = std::numeric_limits<std::int64_t>::min();  // of a value, characters, elements or bytes
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::vector<Member> members = {};
    std::vector<Needed> needed = {};
    ShapePtr of = {};  // the elements of a list, the values of a map
    Json example = nullptr;
};

inline constexpr std::size_t kNameMax = 255;  // characters of a name

// Returns an error unless the name has 1 to kNameMax characters of storable UTF-8 without control characters.
[[nodiscard]] std::optional<Error> check_name(std::string_view name);

// -- Construction.

[[nodiscard]] ShapePtr anything(std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max());  // as text
[[nodiscard]] ShapePtr text(std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max());
[[nodiscard]] ShapePtr name_text();   // 1 to 255 characters without control characters
[[nodiscard]] ShapePtr instant();     // RFC 3339
[[nodiscard]] ShapePtr local_time();  // without an offset
[[nodiscard]] ShapePtr duration();    // ISO 8601 or short: `PT5M`, `5m`
[[nodiscard]] ShapePtr uuid();
[[nodiscard]] ShapePtr boolean();
[[nodiscard]] ShapePtr integer(std::int64_t least = 0, std::int64_t most = std::numeric_limits<std::int64_t>::max());
[[nodiscard]] ShapePtr decimal();  // an amount of credits: at most six decimal places
[[nodiscard]] ShapePtr one_of(std::vector<std::string> choices);
// The document lists the canonical names; requests may have everything that `check` accepts.
[[nodiscard]] ShapePtr one_of(std::vector<std::string> choices, TextCheck check);
[[nodiscard]] ShapePtr checked_text(std::string format, TextCheck check);
[[nodiscard]] ShapePtr list_of(ShapePtr element, std::int64_t most = std::numeric_limits<std::int64_t>::max());
[[nodiscard]] ShapePtr map_of(ShapePtr value, std::int64_t most = std::numeric_limits<std::int64_t>::max());
[[nodiscard]] ShapePtr record(std::string name, std::vector<Member> members);
[[nodiscard]] ShapePtr or_null(const ShapePtr& shape);
[[nodiscard]] ShapePtr with_needed(const ShapePtr& shape, Needed needed);
[[nodiscard]] ShapePtr with_example(const ShapePtr& shape, Json example);
// {"items": […], "nextCursor": …}
[[nodiscard]] ShapePtr page_of(const ShapePtr& element);

// Turns a parser into a check.
template <auto parse>
[[nodiscard]] std::optional<Error> parses(std::string_view text) {
    auto result = parse(text);
    if (result) return std::nullopt;
    return result.error();
}

// -- Validation and schemas.

inline constexpr std::size_t kErrorsMax = 50;  // reported at once

enum class Side : std::uint8_t {
    request,  // null means absent
    answer,   // every member is required, and null is allowed only where the shape is nullable
};

// Returns all errors, in the order of the text. Their fields are pointers below `prefix`.
[[nodiscard]] std::vector<Error> check(const Json& json, const Shape& shape, Side side = Side::request,
                                       const std::string& prefix = {});

// Validates a query parameter, which is a text regardless of its shape.
[[nodiscard]] std::optional<Error> check_parameter(std::string_view text, const Shape& shape);

// Returns the JSON Schema (2020-12). Named shapes become references to `#/components/schemas/…`.
[[nodiscard]] Json schema_of(const Shape& shape);
// Returns the schema of a named shape itself, as in the components.
[[nodiscard]] Json definition_of(const Shape& shape);

}  // namespace belfry::api
