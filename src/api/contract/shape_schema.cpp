#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <limits>

#include "api/contract/json_values.hpp"
#include "api/contract/shape.hpp"

namespace belfry::api {

namespace {

using boost::json::object;
using Kind = Shape::Kind;

const char* type_name(Kind kind) {
    switch (kind) {
        case Kind::text: return "string";
        case Kind::integer: return "integer";
        case Kind::decimal: return "number";
        case Kind::boolean: return "boolean";
        case Kind::list: return "array";
        default: return "object";
    }
}

void set_bounds(object& out, const Shape& shape, const char* least, const char* most) {
    if (shape.least != std::numeric_limits<std::int64_t>::min() &&
        (shape.least != 0 || shape.kind == Kind::integer || shape.kind == Kind::decimal))
        out[least] = shape.least;
    if (shape.most != std::numeric_limits<std::int64_t>::max()) out[most] = shape.most;
}

void set_members(object& out, const Shape& shape) {
    object properties;
    boost::json::array required;
    for (const auto& member : shape.members) {
        auto schema = schema_of(*member.shape);
        if (!member.says.empty() && schema.is_object()) schema.get_object()["description"] = member.says;
        properties[member.name] = std::move(schema);
        if (member.presence == Presence::required) required.push_back(Json(member.name));
    }
    out["properties"] = std::move(properties);
    if (!required.empty()) out["required"] = std::move(required);
    for (const auto& needed : shape.needed) {
        boost::json::array any;
        for (const auto& name : needed.names) any.push_back(object{{"required", boost::json::array{Json(name)}}});
        out["anyOf"] = std::move(any);
    }
    out["additionalProperties"] = false;
}

object written_out(const Shape& shape) {
    object out;
    if (shape.kind == Kind::anything) return out;
    out["type"] =
        shape.nullable ? Json(boost::json::array{type_name(shape.kind), "null"}) : Json(type_name(shape.kind));
    if (!shape.format.empty()) out["format"] = shape.format;
    if (!shape.choices.empty()) {
        out["enum"] = array_of(shape.choices);
        if (shape.nullable) out["enum"].get_array().push_back(nullptr);
    }
    switch (shape.kind) {
        case Kind::text: set_bounds(out, shape, "minLength", "maxLength"); break;
        case Kind::integer:
        case Kind::decimal: set_bounds(out, shape, "minimum", "maximum"); break;
        case Kind::list:
            out["items"] = schema_of(*shape.of);
            set_bounds(out, shape, "minItems", "maxItems");
            break;
        case Kind::map:
            out["additionalProperties"] = schema_of(*shape.of);
            set_bounds(out, shape, "minProperties", "maxProperties");
            break;
        case Kind::object: set_members(out, shape); break;
        default: break;
    }
    if (!shape.example.is_null()) out["examples"] = boost::json::array{shape.example};
    return out;
}

}  // namespace

Json definition_of(const Shape& shape) {
    auto plain = shape;
    plain.nullable = false;
    return written_out(plain);
}

Json schema_of(const Shape& shape) {
    if (shape.name.empty()) return written_out(shape);
    object reference{{"$ref", "#/components/schemas/" + shape.name}};
    if (!shape.nullable) return reference;
    return object{{"anyOf", boost::json::array{std::move(reference), object{{"type", "null"}}}}};
}

}  // namespace belfry::api
