#include "api/router.hpp"

#include <algorithm>
#include <cassert>

#include "api/percent.hpp"
#include "api/preferences.hpp"
#include "api/problem.hpp"
#include "api/request_id.hpp"
#include "base/nearest.hpp"
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
    if (!route.body) return std::nullopt;
    const bool json = route.body_media == kJsonMedia;
    if (request.body.empty()) {
        if (route.body_presence == Presence::optional) return std::nullopt;
        return Problem{400, "malformed_json", json ? "a body is needed: send a JSON object" : "a body is needed: send " + route.body_media, {}};
    }
    if (!json) return std::nullopt;
    if (const auto type = request.header("Content-Type"); !is_json(type)) {
        const auto sent = type.empty() ? std::string("nothing") : in_quotes(type);
        return Problem{415, "unsupported_media_type", "Content-Type says " + sent + "; send JSON and say Content-Type: application/json", {}};
    }
    // Numbers keep their digits: what a person writes into an input comes back as it was.
    auto parsed = parse_json(request.body, {.depth_max = kJsonDepthMax, .bytes_max = kJsonBodyMax, .numbers = JsonNumbers::exact});
    if (!parsed) {
        const auto column = parsed.error().place.column;
        return Problem{400, "malformed_json", parsed.error().message + (column > 0 ? " (at byte " + std::to_string(column) + ")" : ""), {}};
    }
    // Clients that are written in PHP send an empty object so.
    if (route.dialect && parsed->is_array() && parsed->get_array().empty()) *parsed = boost::json::object();
    if (!parsed->is_object() || kind_of(*parsed) != JsonKind::object) return Problem{422, "invalid_argument", "the body must be a JSON object", {}};
    out = std::move(*parsed);
    if (route.handler_checks_body) return std::nullopt;
    if (auto errors = check(out, *route.body); !errors.empty()) return problem_of(together(std::move(errors)));
    return std::nullopt;
}

std::optional<Error> check_query(const Route& route, const Parameters::Pairs& pairs) {
    std::vector<Error> errors;
    for (const auto& [name, value] : pairs) {
        const auto place = '?' + name;
        const auto known = std::ranges::find(route.query, name, &Member::name);
        if (known == route.query.end()) {
            std::vector<std::string> names;
            for (const auto& member : route.query) names.push_back(member.name);
            const auto meant = nearest(name, names);
            errors.push_back(in_field(
                invalid("there is no parameter " + in_quotes(name) + "; " + (meant ? "did you mean " + in_quotes(*meant) + "?" : "remove it")),
                place));
            continue;
        }
        const auto same = std::ranges::count(pairs, name, [](const auto& pair) { return pair.first; });
        if (same > 1) {
            errors.push_back(in_field(invalid("the parameter is given " + std::to_string(same) + " times; give it once"), place));
            break;
        }
        if (value.empty()) continue;
        if (auto error = check_parameter(value, *known->shape)) errors.push_back(in_field(*error, place));
    }
    for (const auto& member : route.query) {
        const auto given = std::ranges::any_of(pairs, [&](const auto& pair) { return pair.first == member.name && !pair.second.empty(); });
        if (member.presence == Presence::required && !given) {
            errors.push_back(in_field(invalid("the parameter " + in_quotes(member.name) + " is missing; add it"), '?' + member.name));
        }
    }
    if (errors.empty()) return std::nullopt;
    return together(std::move(errors));
}

#ifndef NDEBUG
// What the route says about its answers must be true: in a build with assertions it is looked at every time.
std::optional<std::string> misfit(const Route& route, const Response& response) {
    const auto described = std::ranges::find(route.answers, response.status, &Answer::status);
    if (response.header("Content-Type") == "application/problem+json") return std::nullopt;
    if (described == route.answers.end()) return "it never says that it answers " + std::to_string(response.status);
    if (!described->shape || response.more) return std::nullopt;
    const auto json =
        parse_json(response.body, {.depth_max = kJsonDepthMax + 4, .bytes_max = std::size_t{256} << 20U, .numbers = JsonNumbers::exact});
    if (!json) return "its answer is no JSON: " + json.error().message;
    const auto errors = check(*json, *described->shape, Side::answer);
    if (errors.empty()) return std::nullopt;
    return "its answer is not as described: " + errors.front().field + " " + errors.front().message;
}
#endif

Micros since(std::chrono::steady_clock::time_point began) { return std::chrono::duration_cast<Micros>(std::chrono::steady_clock::now() - began); }

// What becomes of an answer of the route itself.
Response as_described([[maybe_unused]] const Route& route, const Request& request, Response response) {
#ifndef NDEBUG
    if (const auto wrong = misfit(route, response)) return problem_response(Problem{500, "misdescribed", route.operation + ": " + *wrong});
#endif
    return as_preferred(request, std::move(response));
}

}  // namespace

const std::string& Call::at(std::string_view name) const {
    const auto found = std::ranges::find_if(path, [&](const auto& part) { return part.first == name; });
    assert(found != path.end());
    return found->second;
}

model::CommandContext Call::context(std::string reason) const {
    return {.principal = principal.name, .request_id = request_id_of(request), .source = "api", .reason = std::move(reason)};
}

Router::Router(Routes routes, Gate gate, Watcher watcher) : routes_(std::move(routes)), gate_(std::move(gate)), watcher_(std::move(watcher)) {
    for (std::size_t i = 0; i < routes_.size(); ++i) {
        const auto& route = routes_[i];
        assert(route.permission && route.handler && !route.answers.empty());
        patterns_.push_back({split_path<std::string>(route.pattern), i});
        if (!route.alias.empty()) patterns_.push_back({split_path<std::string>(route.alias), i});
    }
}

std::string Router::allowed(const std::vector<std::string_view>& segments) const {
    std::string methods;
    for (const auto& pattern : patterns_) {
        const auto& method = routes_[pattern.route].method;
        if (!matches(pattern.segments, segments) || methods.find(method + ", ") != std::string::npos) continue;
        methods += method + ", ";
        if (method == "GET") methods += "HEAD, ";
    }
    return methods.empty() ? methods : methods + "OPTIONS";
}

bool in_tenant(const Route& route) { return !route.server_wide && (route.dialect || route.pattern.find("{tenant}") != std::string::npos); }

Response refusal(const Route& route, const Problem& problem) { return route.dialect ? route.dialect->refusal(problem) : problem_response(problem); }

// First who asks, then what: nobody learns from an error what they may not see.
Response Router::serve(const Route& route, Call call, Served& served) const {
    served.route = &route;
    if (route.dialect) {
        const auto said = call.request.header(kTenantHeader);
        call.path.emplace_back("tenant", said.empty() ? route.dialect->tenant : std::string(said));
    }
    if (const auto tenant = std::ranges::find(call.path, "tenant", &std::pair<std::string, std::string>::first); tenant != call.path.end()) {
        served.tenant = tenant->second;
    }
    if (gate_) {
        auto asker = gate_(call.request, route, route.server_wide ? std::string() : served.tenant);
        call.principal = std::move(asker.principal);
        if (asker.refused) {
            const bool told = asker.refused->code == ErrorCode::forbidden && route.when_forbidden;
            const auto instead = told ? route.when_forbidden(call) : std::nullopt;
            auto problem = problem_of(instead ? *instead : *asker.refused);
            // All that a gate cannot find is the tenant; here nobody sees it in the path.
            if (route.dialect && problem.status == 404) problem.field = kTenantHeader;
            return refusal(route, problem);
        }
        served.principal = call.principal.name;
    }
    // A condition that nobody looks at would be a promise that is not kept.
    const bool conditional = !call.request.header("If-Match").empty() && route.method != "GET";
    if (conditional && std::ranges::find(route.headers, "If-Match", &Member::name) == route.headers.end()) {
        return refusal(route, problem_of(in_field(invalid("this operation does not heed If-Match; leave it out"), "If-Match")));
    }
    auto pairs = parse_query(call.request.query);
    if (!pairs) return refusal(route, problem_of(pairs.error()));
    if (const auto error = check_query(route, *pairs)) return refusal(route, problem_of(*error));
    call.query = Parameters(std::move(*pairs));
    if (const auto problem = read_body(route, call.request, call.body)) return refusal(route, *problem);
    auto response = route.handler(call);
    if (!response) return refusal(route, problem_of(response.error()));
    if (response->later) return std::move(*response);
    response->principal = call.principal.name;
    return as_described(route, call.request, std::move(*response));
}

Response Router::answer(const Request& request, Served& served) const {
    if (request.method == "OPTIONS" && request.path == "*") return {204, {{"Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"}}, {}};
    auto segments = split_path<std::string_view>(request.path);
    // `/schedules/` is `/schedules`: no name is empty.
    if (segments.size() > 1 && segments.back().empty()) segments.pop_back();
    const std::string_view method = request.method == "HEAD" ? std::string_view("GET") : std::string_view(request.method);
    for (const auto& pattern : patterns_) {
        const auto& route = routes_[pattern.route];
        if (route.method != method || !matches(pattern.segments, segments)) continue;
        Call call{.request = request};
        for (std::size_t part = 0; part < segments.size(); ++part) {
            const auto& name = pattern.segments[part];
            if (!is_variable(name)) continue;
            auto value = percent_decode(segments[part]);
            if (!value) return refusal(route, {400, "malformed_request", value.error().message, {}});
            call.path.emplace_back(name.substr(1, name.size() - 2), std::move(*value));
        }
        return serve(route, std::move(call), served);
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
    const auto began = std::chrono::steady_clock::now();
    Response response;
    Served served{.request = request, .response = response};
    response = answer(request, served);
    if (response.later) {
        postpone(served, *response.later, since(began));
    } else {
        complete(served, response, since(began));
    }
    return response;
}

void Router::complete(Served& served, Response& response, Micros took) const {
    if (auto id = request_id_of(served.request); !id.empty()) response.headers.emplace_back("X-Request-Id", std::move(id));
    if (served.route != nullptr && served.route->dialect) {
        for (const auto& name : served.route->dialect->echoed) {
            if (const auto said = served.request.header(name); !said.empty()) response.headers.emplace_back(name, said);
        }
    }
    served.took = took;
    if (watcher_) watcher_(served);
}

// The time that it waits is nobody's work and not counted.
void Router::postpone(const Served& served, Later& later, Micros took) const {
    later.again = [this, route = served.route, tenant = served.tenant, principal = served.principal, took, ask = std::move(later.again)](
                      const Request& request, bool last) mutable -> std::optional<Response> {
        const auto began = std::chrono::steady_clock::now();
        auto answer = ask(request, last);
        if (answer) {
            answer->principal = principal;
            answer = as_described(*route, request, std::move(*answer));
        }
        took += since(began);
        if (!answer) return answer;
        Served done{.request = request, .response = *answer, .route = route, .tenant = tenant, .principal = principal};
        complete(done, *answer, took);
        return answer;
    };
}

}  // namespace belfry::api
