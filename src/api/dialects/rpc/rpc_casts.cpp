// Matches the arguments of a call with those of a function, and casts them.
#include <algorithm>
#include <boost/json/object.hpp>

#include "api/dialects/rpc/rpc.hpp"
#include "base/crypto/uuid.hpp"
#include "base/text/ascii.hpp"
#include "base/text/parse_integer.hpp"

namespace belfry::api::rpc {

namespace {

// Matches by the names alone, as PostgREST does: a null argument counts as given.
bool takes(const Shape& arguments, const Json& body) {
    const auto& given = body.get_object();
    const auto is_given = [&given](const std::string& name) { return given.contains(name); };
    const auto is_known = [&](const auto& member) {
        return std::ranges::find(arguments.members, std::string_view(member.key()), &Member::name) !=
               arguments.members.end();
    };
    return std::ranges::all_of(given, is_known) &&
           std::ranges::all_of(
               arguments.members,
               [&](const Member& one) { return one.presence == Presence::optional || is_given(one.name); }) &&
           std::ranges::all_of(arguments.needed,
                               [&](const Needed& needed) { return std::ranges::any_of(needed.names, is_given); });
}

bool is_timestamp(const Shape& shape) { return shape.format == "date-time"; }

const char* sql_type(const Shape& shape) {
    switch (shape.kind) {
        case Shape::Kind::boolean: return "boolean";
        case Shape::Kind::integer: return "integer";
        case Shape::Kind::text:
            if (is_timestamp(shape)) return "timestamp with time zone";
            return shape.format == "uuid" ? "uuid" : "text";
        default: return "jsonb";
    }
}

bool has_sql_type(const Json& value, const Shape& shape) {
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    switch (shape.kind) {
        case Shape::Kind::boolean: return value.is_bool();
        case Shape::Kind::integer: return check(value, *integer(kLeast)).empty();
        case Shape::Kind::text:
            if (kind_of(value) != JsonKind::string) return false;
            if (is_timestamp(shape)) return parse_timestamp(value.get_string()).has_value();
            return shape.format != "uuid" || parse_uuid(value.get_string());
        case Shape::Kind::object:
        case Shape::Kind::map: return kind_of(value) == JsonKind::object;
        case Shape::Kind::list: return value.is_array();
        default: return true;
    }
}

// PostgreSQL reads the text of a value as a literal of the argument's type. A value that it cannot read stays as it is,
// and has_sql_type() rejects it.
void cast(Json& value, const Shape& shape) {
    const bool is_text = kind_of(value) == JsonKind::string;
    if (!is_text && kind_of(value) != JsonKind::number) return;
    const auto text = is_text ? std::string(value.get_string()) : to_text(value);
    if (shape.kind == Shape::Kind::boolean) {
        if (const auto truth = parse_boolean(text)) value = *truth;
    } else if (shape.kind == Shape::Kind::integer && is_text) {
        if (const auto number = parse_integer(trimmed(text))) value = *number;
    } else if (is_timestamp(shape) && is_text) {
        if (const auto instant = parse_timestamp(text)) value = format_instant(*instant);
    }
}

std::string in_camel_case(std::string_view name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool joins = name[i] == '_' && i > 0 && i + 1 < name.size();
        if (joins) ++i;
        out += joins && name[i] >= 'a' && name[i] <= 'z' ? static_cast<char>(name[i] - 'a' + 'A') : name[i];
    }
    return out;
}

// LenserFight's command line writes the members of policies in snake_case: requires_approval.
void rename_members(Json& value, const Shape& shape) {
    if (shape.kind != Shape::Kind::object || kind_of(value) != JsonKind::object) return;
    const auto is_known = [&shape](std::string_view name) {
        return std::ranges::find(shape.members, name, &Member::name) != shape.members.end();
    };
    boost::json::object renamed;
    for (const auto& member : value.get_object()) {
        const auto camel = in_camel_case(member.key());
        const bool changes = !is_known(member.key()) && is_known(camel) && !value.get_object().contains(camel);
        renamed[changes ? std::string_view(camel) : std::string_view(member.key())] = member.value();
    }
    value = std::move(renamed);
}

}  // namespace

std::optional<Refusal> read_arguments(const std::string& name, const Shape& arguments, Json& body) {
    if (!takes(arguments, body)) {
        std::vector<std::string> names;
        for (const auto& member : arguments.members) names.push_back(member.name);
        return no_such_function(name, body, signature(name, std::move(names)));
    }
    for (const auto& member : arguments.members) {
        auto* const value = body.get_object().if_contains(member.name);
        if (value == nullptr || value->is_null()) continue;
        cast(*value, *member.shape);
        rename_members(*value, *member.shape);
        if (has_sql_type(*value, *member.shape)) continue;
        const auto what =
            kind_of(*value) == JsonKind::string ? in_quotes(value->get_string()) : in_quotes(to_text(*value));
        return Refusal{400, "22P02", what + " is not of type " + std::string(sql_type(*member.shape)),
                       "argument " + member.name};
    }
    return std::nullopt;
}

}  // namespace belfry::api::rpc
