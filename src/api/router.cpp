#include "api/router.hpp"

#include <algorithm>
#include <cassert>

#include "api/percent.hpp"
#include "api/problem.hpp"
#include "model/schedule_json.hpp"

namespace belfry::api {

namespace {

template <typename Text>
std::vector<Text> split_path(std::string_view path) {
    std::vector<Text> segments;
    for (std::size_t begin = 1; begin <= path.size();) {
        const auto end = std::min(path.find('/', begin), path.size());
        segments.emplace_back(path.substr(begin, end - begin));
        begin = end + 1;
    }
    return segments;
}

bool is_variable(std::string_view segment) { return segment.starts_with('{'); }

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string_view>& segments) {
    return std::ranges::equal(pattern, segments,
                              [](std::string_view part, std::string_view segment) { return is_variable(part) ? !segment.empty() : part == segment; });
}

bool is_json(std::string_view content_type) {
    auto type = lower_case(content_type.substr(0, std::min(content_type.find(';'), content_type.size())));
    while (!type.empty() && is_blank(type.back())) type.pop_back();
    return type == "application/json" || (type.starts_with("application/") && type.ends_with("+json"));
}

// The body of the call, or the problem with it.
std::optional<Problem> read_body(const Route& route, const Request& request, Json& out) {
    if (route.body == Body::none) return std::nullopt;
    if (request.body.empty()) {
        if (route.body == Body::optional) return std::nullopt;
        return Problem{400, "malformed_json", "a body is needed: send a JSON object", {}};
    }
    if (const auto type = request.header("Content-Type"); !is_json(type)) {
        const auto sent = type.empty() ? std::string("nothing") : in_quotes(type);
        return Problem{415, "unsupported_media_type", "Content-Type says " + sent + "; send JSON and say Content-Type: application/json", {}};
    }
    // Numbers keep their digits: what a person writes into an input comes back as it was.
    auto json = parse_json(request.body, {.depth_max = kJsonDepthMax, .bytes_max = kJsonBodyMax, .numbers = JsonNumbers::exact});
    if (!json) {
        const auto column = json.error().place.column;
        return Problem{400, "malformed_json", json.error().message + (column > 0 ? " (at byte " + std::to_string(column) + ")" : ""), {}};
    }
    if (!json->is_object() || kind_of(*json) != JsonKind::object) return Problem{422, "invalid_argument", "the body must be a JSON object", {}};
    out = std::move(*json);
    return std::nullopt;
}

// Headers may hold any byte; the audit and an answer's header may not.
std::string request_id_of(const Request& request) { return visible(storable(whole_characters(request.header("X-Request-Id"), kRequestIdMax))); }

}  // namespace

const std::string& Call::at(std::string_view name) const {
    const auto found = std::ranges::find_if(path, [&](const auto& part) { return part.first == name; });
    assert(found != path.end());
    return found->second;
}

model::CommandContext Call::context() const { return {.request_id = request_id_of(request), .source = "api"}; }

Router::Router(Routes routes) : routes_(std::move(routes)) {
    for (const auto& route : routes_) patterns_.push_back(split_path<std::string>(route.pattern));
}

std::string Router::allowed(const std::vector<std::string_view>& segments) const {
    std::string methods;
    for (std::size_t i = 0; i < routes_.size(); ++i) {
        if (!matches(patterns_[i], segments)) continue;
        methods += routes_[i].method + ", ";
        if (routes_[i].method == "GET") methods += "HEAD, ";
    }
    return methods.empty() ? methods : methods + "OPTIONS";
}

Response Router::answer(const Request& request) const {
    if (request.method == "OPTIONS" && request.path == "*") return {204, {{"Allow", "GET, HEAD, POST, PUT, DELETE, OPTIONS"}}, {}};
    const auto segments = split_path<std::string_view>(request.path);
    const std::string_view method = request.method == "HEAD" ? std::string_view("GET") : std::string_view(request.method);
    for (std::size_t i = 0; i < routes_.size(); ++i) {
        const auto& route = routes_[i];
        if (route.method != method || !matches(patterns_[i], segments)) continue;
        Call call{.request = request};
        for (std::size_t part = 0; part < segments.size(); ++part) {
            const auto& name = patterns_[i][part];
            if (!is_variable(name)) continue;
            auto value = percent_decode(segments[part]);
            if (!value) return problem_response({400, "malformed_request", value.error().message, {}});
            call.path.emplace_back(name.substr(1, name.size() - 2), std::move(*value));
        }
        if (const auto problem = read_body(route, request, call.body)) return problem_response(*problem);
        auto response = route.handler(call);
        return response ? std::move(*response) : problem_response(response.error());
    }
    const auto methods = allowed(segments);
    if (methods.empty()) {
        return problem_response(
            {404, "route_not_found", "there is no " + in_quotes(request.path) + " here; the API is under /api/tenants/{tenant}", {}});
    }
    if (request.method == "OPTIONS") return {204, {{"Allow", methods}}, {}};
    auto response = problem_response({405, "method_not_allowed", in_quotes(request.method) + " is not possible here; use one of " + methods, {}});
    response.headers.emplace_back("Allow", methods);
    return response;
}

Response Router::handle(const Request& request) const {
    auto response = answer(request);
    if (auto id = request_id_of(request); !id.empty()) response.headers.emplace_back("X-Request-Id", std::move(id));
    return response;
}

}  // namespace belfry::api
