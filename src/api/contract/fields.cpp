#include "api/contract/fields.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/text/ascii.hpp"
#include "base/text/nearest.hpp"

namespace belfry::api {

namespace {

constexpr const char* kFields = "fields";
// For responses that the server wrote: they may be slightly deeper than requests, and an item may be larger than a
// page.
constexpr JsonLimits kAnswerLimits{
    .depth_max = 2 * kJsonDepthMax, .bytes_max = std::size_t{256} << 20U, .numbers = JsonNumbers::exact};

struct Shown {
    const Shape* shape = nullptr;  // of the response, or of an item of it
    bool page = false;
};

Shown shown_by(const Route& route) {
    const auto answer = std::ranges::find(route.answers, 200, &Answer::status);
    if (answer == route.answers.end() || !answer->shape || answer->media != kJsonMedia ||
        answer->shape->kind != Shape::Kind::object)
        return {};
    const auto& members = answer->shape->members;
    const auto items = std::ranges::find(members, "items", &Member::name);
    if (items == members.end()) return {answer->shape.get(), false};
    const auto& list = *items->shape;
    const bool objects = list.kind == Shape::Kind::list && list.of && list.of->kind == Shape::Kind::object;
    return objects ? Shown{list.of.get(), true} : Shown{};
}

void keep(Json& value, const FieldNames& wanted) {
    if (!value.is_object()) return;
    boost::json::object kept;
    for (auto& member : value.get_object()) {
        if (wanted.contains(std::string(member.key()))) kept.emplace(member.key(), std::move(member.value()));
    }
    value = std::move(kept);
}

}  // namespace

void add_fields_parameter(Routes& routes) {
    for (auto& route : routes) {
        if (route.method != "GET" || route.dialect) continue;
        const auto shown = shown_by(route);
        if (shown.shape == nullptr || shown.shape->members.empty()) continue;
        route.query.push_back(
            {kFields, text(),
             "Comma-separated names of members. The response, or each of its items, includes only these."});
    }
}

Result<std::optional<FieldNames>> read_fields(const Route& route, const Parameters& query) {
    const auto known = std::ranges::find(route.query, kFields, &Member::name) != route.query.end();
    const auto text = known ? query.text(kFields) : std::nullopt;
    if (!text) return std::optional<FieldNames>();
    std::vector<std::string> names;
    for (const auto& member : shown_by(route).shape->members) names.push_back(member.name);
    FieldNames wanted;
    for (std::string_view rest = *text; !rest.empty();) {
        const auto comma = std::min(rest.find(','), rest.size());
        std::string name(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        if (std::ranges::find(names, name) == names.end()) {
            const auto near = nearest(name, names);
            return in_field(invalid(in_quotes(name) + " is not a member of the response" +
                                    (near ? "; did you mean " + *near + "?" : std::string())),
                            std::string("?") + kFields);
        }
        wanted.insert(std::move(name));
    }
    return std::optional(std::move(wanted));
}

Response only_fields(const Route& route, const FieldNames& wanted, Response response) {
    if (response.status != 200 || response.body.empty()) return response;
    auto body = parse_json(response.body, kAnswerLimits);
    if (!body || !body->is_object()) return response;
    if (!shown_by(route).page) {
        keep(*body, wanted);
    } else if (auto* const items = body->get_object().if_contains("items"); items != nullptr && items->is_array()) {
        for (auto& item : items->get_array()) keep(item, wanted);
    }
    response.body = to_text(*body);
    return response;
}

}  // namespace belfry::api
