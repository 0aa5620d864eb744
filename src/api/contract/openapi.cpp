#include "api/contract/openapi.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>

#include "api/contract/problem.hpp"
#include "base/text/ascii.hpp"

namespace belfry::api {

namespace {

using boost::json::array;
using boost::json::object;

// Collects all named shapes that the routes use, directly or indirectly.
class Components {
public:
    void add(const ShapePtr& shape) {
        if (!shape) return;
        if (!shape->name.empty() && !definitions_.emplace(shape->name, definition_of(*shape)).second) return;
        add(shape->of);
        for (const auto& member : shape->members) add(member.shape);
    }
    [[nodiscard]] object take() {
        object all;
        for (auto& [name, definition] : definitions_) all[name] = std::move(definition);
        return all;
    }

private:
    std::map<std::string, Json> definitions_;
};

object parameter(const Member& member, const char* in) {
    return {{"name", member.name},
            {"in", in},
            {"required", member.presence == Presence::required},
            {"description", member.says},
            {"schema", schema_of(*member.shape)}};
}

std::string says_of_path(const std::string& name) {
    static const std::map<std::string, std::string> kSays{
        {"tenant", "Name of the tenant. `default` always exists."},
        {"schedule", "Unique identifier or current name of the schedule."},
        {"schedule_id", "Identifier of the schedule in the other scheduler's dialect, which is its name in Belfry."},
        {"run", "Unique identifier of the run."},
        {"backfill", "Unique identifier of the backfill."},
        {"calendar", "Name of the calendar."},
        {"webhook", "Unique identifier of the webhook."},
        {"position", "Position of the delivered event."},
        {"key", "Unique identifier of the API key."},
        {"function", "Name of the function."},
        {"zone", "IANA name of the time zone, with `%2F` for its slash."},
    };
    const auto found = kSays.find(name);
    return found == kSays.end() ? std::string() : found->second;
}

array parameters_of(const Route& route) {
    array all;
    for (std::size_t open = route.pattern.find('{'); open != std::string::npos;
         open = route.pattern.find('{', open + 1)) {
        const auto name = route.pattern.substr(open + 1, route.pattern.find('}', open) - open - 1);
        all.push_back(parameter({name, text(), says_of_path(name), Presence::required}, "path"));
    }
    for (const auto& member : route.query) all.push_back(parameter(member, "query"));
    if (route.dialect)
        all.push_back(parameter(
            {kTenantHeader, text(), "Name of the tenant. Defaults to `" + route.dialect->tenant + "`."}, "header"));
    for (const auto& member : route.headers) all.push_back(parameter(member, "header"));
    return all;
}

object content(const std::string& media, const ShapePtr& shape) {
    object type;
    if (shape) type["schema"] = schema_of(*shape);
    return {{media, std::move(type)}};
}

object responses_of(const Route& route) {
    object all;
    for (const auto& answer : route.answers) {
        // A second answer with the same status is another representation of the first.
        auto& response = all[std::to_string(answer.status)];
        if (response.is_null())
            response =
                object{{"description", answer.says.empty() ? std::string(reason_phrase(answer.status)) : answer.says}};
        if (!answer.shape && answer.media == kJsonMedia) continue;
        auto& media = response.get_object()["content"];
        if (media.is_null()) media = object{};
        for (auto& type : content(answer.media, answer.shape)) media.get_object().emplace(type.key(), type.value());
    }
    all["default"] = object{{"description", "Error response: what went wrong, and how to fix it."},
                            {"content", route.dialect ? content(kJsonMedia, route.dialect->refusal_shape)
                                                      : content("application/problem+json", problem_shape())}};
    return all;
}

object operation_of(const Route& route) {
    object operation{{"operationId", route.operation},
                     {"summary", route.summary},
                     {"tags", array{Json(route.dialect ? route.dialect->name : route.group)}},
                     {"x-permission", name_of(*route.permission)},
                     {"x-scope", in_tenant(route) ? "tenant" : "server"},
                     {"parameters", parameters_of(route)}};
    if (!route.details.empty()) operation["description"] = route.details;
    if (route.body) {
        operation["requestBody"] = object{{"required", route.body_presence == Presence::required},
                                          {"content", content(route.body_media, route.body)}};
    }
    operation["responses"] = responses_of(route);
    if (*route.permission == model::Permission::open) operation["security"] = array{};
    return operation;
}

}  // namespace

Json openapi_document(const Routes& routes, const std::string& version) {
    Components components;
    components.add(problem_shape());
    std::map<std::string, object> paths;
    for (const auto& route : routes) {
        paths[route.pattern][lower_case(route.method)] = operation_of(route);
        components.add(route.body);
        if (route.dialect) components.add(route.dialect->refusal_shape);
        for (const auto& answer : route.answers) components.add(answer.shape);
    }
    object all_paths;
    for (auto& [pattern, operations] : paths) all_paths[pattern] = std::move(operations);
    return object{
        {"openapi", "3.1.0"},
        {"info",
         object{{"title", "Belfry"},
                {"version", version},
                {"summary", "A durable scheduler: every occurrence has exactly one durable outcome, with a reason."},
                {"license", object{{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}}}},
        {"servers", array{object{{"url", "/"}}}},
        {"security", array{object{{"bearer", array{}}}, object{{"apiKey", array{}}},
                           object{{"clientCertificate", array{}}}, object{}}},
        {"paths", std::move(all_paths)},
        {"components",
         object{{"securitySchemes",
                 object{{"bearer", object{{"type", "http"}, {"scheme", "bearer"}, {"description", "API key or JWT."}}},
                        {"apiKey", object{{"type", "apiKey"}, {"in", "header"}, {"name", "X-API-Key"}}},
                        {"clientCertificate", object{{"type", "mutualTLS"}}}}},
                {"schemas", components.take()}}}};
}

}  // namespace belfry::api
