#include "api/contract/shape.hpp"

#include "base/crypto/uuid.hpp"
#include "base/text/name.hpp"
#include "base/time/duration.hpp"
#include "base/time/instant.hpp"

namespace belfry::api {

namespace {

ShapePtr make(Shape shape) { return std::make_shared<const Shape>(std::move(shape)); }

std::optional<Error> check_uuid(std::string_view text) {
    if (parse_uuid(text)) return std::nullopt;
    return invalid("must be a UUID, for example 01234567-89ab-cdef-0123-456789abcdef");
}

}  // namespace

static_assert(kNameMax == kNameCharactersMax);
std::optional<Error> check_name(std::string_view name) { return name_error(name); }

ShapePtr anything(std::int64_t most_bytes) {
    static const auto shape = make({});
    return most_bytes == std::numeric_limits<std::int64_t>::max() ? shape : make({.most = most_bytes});
}
ShapePtr text(std::int64_t most_bytes) { return make({.kind = Shape::Kind::text, .least = 0, .most = most_bytes}); }
ShapePtr name_text() {
    static const auto shape = make(
        {.kind = Shape::Kind::text, .check = &check_name, .least = 1, .most = static_cast<std::int64_t>(kNameMax)});
    return shape;
}
ShapePtr checked_text(std::string format, TextCheck check) {
    return make({.kind = Shape::Kind::text, .format = std::move(format), .check = check});
}
ShapePtr instant() {
    static const auto shape = checked_text("date-time", &parses<&parse_instant>);
    return shape;
}
ShapePtr local_time() {
    static const auto shape = checked_text("local-date-time", nullptr);
    return shape;
}
// The format `duration` of JSON Schema has no fractions and no short forms, so the document does not name it.
ShapePtr duration() {
    static const auto shape = checked_text("", &parses<&parse_duration>);
    return shape;
}
ShapePtr uuid() {
    static const auto shape = checked_text("uuid", &check_uuid);
    return shape;
}
ShapePtr boolean() {
    static const auto shape = make({.kind = Shape::Kind::boolean});
    return shape;
}
ShapePtr integer(std::int64_t least, std::int64_t most) {
    return make({.kind = Shape::Kind::integer, .least = least, .most = most});
}
ShapePtr decimal() {
    static const auto shape = make({.kind = Shape::Kind::decimal, .least = 0});
    return shape;
}
ShapePtr one_of(std::vector<std::string> choices) { return one_of(std::move(choices), nullptr); }
ShapePtr one_of(std::vector<std::string> choices, TextCheck check) {
    return make({.kind = Shape::Kind::text, .choices = std::move(choices), .check = check});
}
ShapePtr list_of(ShapePtr element, std::int64_t most) {
    return make({.kind = Shape::Kind::list, .least = 0, .most = most, .of = std::move(element)});
}
ShapePtr map_of(ShapePtr value, std::int64_t most) {
    return make({.kind = Shape::Kind::map, .least = 0, .most = most, .of = std::move(value)});
}
ShapePtr record(std::string name, std::vector<Member> members) {
    return make({.kind = Shape::Kind::object, .name = std::move(name), .members = std::move(members)});
}
ShapePtr or_null(const ShapePtr& shape) {
    auto copy = *shape;
    copy.nullable = true;
    return make(std::move(copy));
}
ShapePtr with_needed(const ShapePtr& shape, Needed needed) {
    auto copy = *shape;
    copy.needed.push_back(std::move(needed));
    return make(std::move(copy));
}
ShapePtr with_example(const ShapePtr& shape, Json example) {
    auto copy = *shape;
    copy.example = std::move(example);
    return make(std::move(copy));
}
ShapePtr page_of(const ShapePtr& element) {
    return record(element->name.empty() ? std::string() : element->name + "Page",
                  {{"items", list_of(element), "Items of the page, in the order of the list.", Presence::required},
                   {"nextCursor", or_null(text()), "Cursor for the next page. Null if this is the last page.",
                    Presence::required}});
}

}  // namespace belfry::api
