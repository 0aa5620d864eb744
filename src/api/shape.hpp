// What JSON looks like, as data: requests are checked against it, the OpenAPI document is written from it, and the tests hold
// every answer against it. So none of the three can say something else than the others. Pure.
//
//   const auto kPause = record("PauseRequest", {{"reason", text(), "Why; kept in the history."},
//                                               {"until", instant(), "When it goes on by itself."}});
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
#include "base/json.hpp"
#include "base/result.hpp"

namespace belfry::api {

struct Shape;
using ShapePtr = std::shared_ptr<const Shape>;

enum class Presence : std::uint8_t { optional, required };

// A member of an object, or a parameter of a query.
struct Member {
    std::string name;
    ShapePtr shape;
    std::string says;  // one sentence
    Presence presence = Presence::optional;
};

// What is wrong with a text, if anything.
using TextCheck = std::optional<Error> (*)(std::string_view text);

// Members of which an object has at least one.
struct Needed {
    std::vector<std::string> names;
    std::string missing;  // what to say about the first when none is there
};

struct Shape {
    enum class Kind : std::uint8_t { anything, text, integer, decimal, boolean, list, object, map };
    Kind kind = Kind::anything;
    std::string name = {};    // of a component of the document; empty: it is written out where it is used
    bool nullable = false;    // in an answer; in a request null always means absent
    std::string format = {};  // `date-time`, `duration`…
    std::vector<std::string> choices = {};
    TextCheck check = nullptr;
    std::int64_t least = std::numeric_limits<std::int64_t>::min();  // of a number, of characters or of elements
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::vector<Member> members = {};
    std::vector<Needed> needed = {};
    ShapePtr of = {};  // the elements of a list, the values of a map
    Json example = nullptr;
};

inline constexpr std::size_t kNameMax = 255;  // characters of a name

// The error when it is not 1 to kNameMax characters of storable UTF-8 without control characters.
[[nodiscard]] std::optional<Error> check_name(std::string_view name);

// -- Making them.

[[nodiscard]] ShapePtr anything();
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
// The canonical names are listed; whatever `check` accepts is taken.
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

// A parser as a check.
template <auto parse>
[[nodiscard]] std::optional<Error> parses(std::string_view text) {
    auto result = parse(text);
    if (result) return std::nullopt;
    return result.error();
}

// -- Using them.

inline constexpr std::size_t kErrorsMax = 50;  // told at once

enum class Side : std::uint8_t {
    request,  // null means absent
    answer,   // every member is there, and null only where the shape says so
};

// All that is wrong, in the order of the text; fields are pointers below `prefix`.
[[nodiscard]] std::vector<Error> check(const Json& json, const Shape& shape, Side side = Side::request, const std::string& prefix = {});

// What is wrong with a parameter of a query, which is a text whatever its shape.
[[nodiscard]] std::optional<Error> check_parameter(std::string_view text, const Shape& shape);

// As JSON Schema 2020-12; shapes with a name are references to `#/components/schemas/…`.
[[nodiscard]] Json schema_of(const Shape& shape);
// The same one level deep: what stands in the components.
[[nodiscard]] Json definition_of(const Shape& shape);

}  // namespace belfry::api
