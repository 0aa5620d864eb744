// Finds a function by its name and the names of its arguments, and contains what all functions share.
#include <algorithm>
#include <boost/json/object.hpp>

#include "api/dialects/rpc/rpc.hpp"
#include "base/crypto/uuid.hpp"
#include "base/text/json_size.hpp"
#include "base/text/json_words.hpp"

namespace belfry::api::rpc {

namespace {

constexpr auto kAny = std::numeric_limits<std::int64_t>::min();

std::vector<std::string> names_in(const Json& body) {
    std::vector<std::string> names;
    for (const auto& member : body.get_object()) names.emplace_back(member.key());
    std::ranges::sort(names);
    return names;
}

std::string listed(const std::vector<std::string>& names) {
    std::string all;
    for (const auto& name : names) all += (all.empty() ? "" : ", ") + name;
    return all;
}

std::string signature(const std::string& name, const Shape& arguments) {
    std::vector<std::string> names;
    for (const auto& member : arguments.members) names.push_back(member.name);
    std::ranges::sort(names);
    return "public." + name + "(" + listed(names) + ")";
}

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

const char* sql_type(const Shape& shape) {
    switch (shape.kind) {
        case Shape::Kind::boolean: return "boolean";
        case Shape::Kind::integer: return "integer";
        case Shape::Kind::text: return shape.format == "uuid" ? "uuid" : "text";
        default: return "jsonb";
    }
}

bool has_sql_type(const Json& value, const Shape& shape) {
    switch (shape.kind) {
        case Shape::Kind::boolean: return value.is_bool();
        case Shape::Kind::integer: return check(value, *integer(kAny)).empty();
        case Shape::Kind::text:
            return kind_of(value) == JsonKind::string && (shape.format != "uuid" || parse_uuid(value.get_string()));
        case Shape::Kind::object:
        case Shape::Kind::map: return kind_of(value) == JsonKind::object;
        default: return true;
    }
}

}  // namespace

Refusal no_such_function(const std::string& name, const Json& body, const std::string& meant) {
    const auto called = "public." + name + "(" + listed(names_in(body)) + ")";
    return {404, "PGRST202", "there is no function " + called,
            "A function is known by its name and by the names of its arguments.",
            meant.empty() ? meant : "call " + meant};
}

std::optional<Refusal> check_arguments(const std::string& name, const Shape& arguments, const Json& body) {
    if (!takes(arguments, body)) return no_such_function(name, body, signature(name, arguments));
    for (const auto& member : arguments.members) {
        const auto* const value = body.get_object().if_contains(member.name);
        if (value == nullptr || value->is_null() || has_sql_type(*value, *member.shape)) continue;
        const auto what =
            kind_of(*value) == JsonKind::string ? in_quotes(value->get_string()) : in_quotes(to_text(*value));
        return Refusal{400, "22P02", what + " is not of type " + std::string(sql_type(*member.shape)),
                       "argument " + member.name};
    }
    return std::nullopt;
}

Route route_of(Function function, const std::shared_ptr<const Dialect>& dialect) {
    const auto call = [name = function.name, arguments = function.arguments,
                       handler = std::move(function.handler)](const Call& asked) -> Result<Response> {
        if (const auto refusal = check_arguments(name, *arguments, asked.body)) return response_of(*refusal);
        auto null_allowed = *arguments;  // the function decides what a null means
        for (auto& member : null_allowed.members) member.presence = Presence::optional;
        null_allowed.needed.clear();
        if (auto errors = check(asked.body, null_allowed); !errors.empty()) return combine_errors(std::move(errors));
        return handler(asked);
    };
    return {.method = "POST",
            .pattern = "/rpc/" + function.name,
            .operation = function.name,
            .summary = function.summary,
            .details = function.details,
            .permission = function.permission,
            .query = function.query,
            .body = function.arguments,
            .body_presence = Presence::optional,
            .handler_checks_body = true,
            .answers = {{200, function.answer, function.says},
                        {400, refusal_shape(), "An argument is invalid."},
                        {404, refusal_shape(), "There is no function with these arguments."}},
            .handler = call,
            .dialect = dialect,
            .alias = "/rest/v1/rpc/" + function.name};
}

Member schedule_argument() {
    return {"p_schedule_id", uuid(), "Unique identifier of the schedule.", Presence::required};
}

Member limit_argument(std::int64_t usual, std::int64_t most) {
    return {"p_limit", integer(kAny),
            "Maximum number of rows to return. Defaults to " + std::to_string(usual) + ". Values outside 1 to " +
                std::to_string(most) + " are clamped."};
}

std::optional<Error> RowBudget::add(const Json& row) {
    if (budget_.is_full()) return in_field(invalid("the rows have more than 4 MiB; request fewer of them"), "/p_limit");
    budget_.add(text_size(row));
    return std::nullopt;
}

std::size_t read_limit(const Values& arguments, std::int64_t usual, std::int64_t most) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(arguments.integer("p_limit").value_or(usual), 1, most));
}

Result<store::ScheduleRecord> schedule_of(store::StoreReader& reader, const Call& call, Deleted deleted) {
    const Error not_there{ErrorCode::not_found, "there is no such schedule"};
    const auto uuid = parse_uuid(Values(call.body).text("p_schedule_id").value_or(""));
    if (!uuid) return not_there;
    auto record = reader.schedule({.tenant = call.tenant(), .id = format_uuid(*uuid)});
    if (record && record->state.status == model::ScheduleStatus::deleted && deleted == Deleted::hidden)
        return not_there;
    return record;
}

}  // namespace belfry::api::rpc
