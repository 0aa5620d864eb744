#include "api/contract/router.hpp"

#include <algorithm>
#include <cassert>

#include "api/contract/fields.hpp"
#include "api/contract/leniency.hpp"
#include "api/contract/pending_request.hpp"
#include "api/contract/problem.hpp"
#include "api/http/percent.hpp"
#include "api/http/preferences.hpp"
#include "api/http/request_id.hpp"
#include "base/text/nearest.hpp"
#include "model/schedule/schedule_json.hpp"

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
    return std::ranges::equal(pattern, segments, [](std::string_view part, std::string_view segment) {
        return is_variable(part) ? !segment.empty() : part == segment;
    });
}

bool is_json(std::string_view content_type) {
    auto type = lower_case(content_type.substr(0, std::min(content_type.find(';'), content_type.size())));
    while (!type.empty() && is_blank(type.back())) type.pop_back();
    return type == "application/json" || (type.starts_with("application/") && type.ends_with("+json"));
}

// Parses and validates the body of the call. Returns the problem, if there is one.
std::optional<Problem> read_body(const Route& route, Call& call) {
    const auto& request = call.request;
    if (!route.body) return std::nullopt;
    const bool json = route.body_media == kJsonMedia;
    if (request.body.empty()) {
        if (route.body_presence == Presence::optional) return std::nullopt;
        return Problem{
            400,
            "malformed_json",
            json ? "the request has no body; send a JSON object" : "the request has no body; send " + route.body_media,
            {}};
    }
    if (!json) return std::nullopt;
    if (const auto type = request.header("Content-Type"); !is_json(type)) {
        const auto sent = type.empty() ? std::string("nothing") : in_quotes(type);
        return Problem{415,
                       "unsupported_media_type",
                       "Content-Type is " + sent + "; send JSON with Content-Type: application/json",
                       {}};
    }
    // Numbers keep their digits, so that an input is returned as it was sent.
    auto parsed = parse_json(request.body,
                             {.depth_max = kJsonDepthMax, .bytes_max = kJsonBodyMax, .numbers = JsonNumbers::exact});
    if (!parsed) {
        const auto column = parsed.error().place.column;
        return Problem{400,
                       "malformed_json",
                       parsed.error().message + (column > 0 ? " (at byte " + std::to_string(column) + ")" : ""),
                       {}};
    }
    // PHP clients encode an empty object as an empty array.
    if (route.dialect && parsed->is_array() && parsed->get_array().empty()) *parsed = boost::json::object();
    if (!parsed->is_object() || kind_of(*parsed) != JsonKind::object)
        return Problem{422, "invalid_argument", "the body must be a JSON object", {}};
    call.body = std::move(*parsed);
    if (route.handler_checks_body) return std::nullopt;
    if (route.dialect && route.dialect->lenient_body)
        std::ranges::move(loosen(call.body, *route.body), std::back_inserter(call.ignored));
    if (auto errors = check(call.body, *route.body); !errors.empty())
        return problem_of(combine_errors(std::move(errors)));
    return std::nullopt;
}

// Removes the parameters that the route does not have, and remembers their names.
void drop_unknown(const Route& route, Parameters::Pairs& pairs, std::vector<std::string>& ignored) {
    std::erase_if(pairs, [&](const auto& pair) {
        const bool unknown = std::ranges::find(route.query, pair.first, &Member::name) == route.query.end();
        if (unknown) ignored.push_back('?' + pair.first);
        return unknown;
    });
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
            errors.push_back(in_field(invalid("there is no parameter " + in_quotes(name) + "; " +
                                              (meant ? "did you mean " + in_quotes(*meant) + "?" : "remove it")),
                                      place));
            continue;
        }
        const auto same = std::ranges::count(pairs, name, [](const auto& pair) { return pair.first; });
        if (same > 1) {
            errors.push_back(
                in_field(invalid("the parameter is given " + std::to_string(same) + " times; send it once"), place));
            break;
        }
        if (value.empty()) continue;
        if (auto error = check_parameter(value, *known->shape)) errors.push_back(in_field(*error, place));
    }
    for (const auto& member : route.query) {
        const auto given = std::ranges::any_of(
            pairs, [&](const auto& pair) { return pair.first == member.name && !pair.second.empty(); });
        if (member.presence == Presence::required && !given) {
            errors.push_back(in_field(invalid("the parameter " + in_quotes(member.name) + " is missing; add it"),
                                      '?' + member.name));
        }
    }
    if (errors.empty()) return std::nullopt;
    return combine_errors(std::move(errors));
}

#ifndef NDEBUG
// A response must match its description. Builds with assertions check every response.
std::optional<std::string> misfit(const Route& route, const Response& response) {
    const auto described = std::ranges::find(route.answers, response.status, &Answer::status);
    if (response.header("Content-Type") == kProblemMedia) return std::nullopt;
    if (described == route.answers.end())
        return "its description does not list the status " + std::to_string(response.status);
    if (!described->shape || response.next_chunk || response.selected) return std::nullopt;
    const auto json = parse_json(
        response.body,
        {.depth_max = kJsonDepthMax + 4, .bytes_max = std::size_t{256} << 20U, .numbers = JsonNumbers::exact});
    if (!json) return "its response is not JSON: " + json.error().message;
    const auto errors = check(*json, *described->shape, Side::answer);
    if (errors.empty()) return std::nullopt;
    return "its response does not match its description: " + errors.front().field + " " + errors.front().message;
}
#endif

// Applies the description and the preferences of the request to a response of the route.
Response as_described([[maybe_unused]] const Route& route, const Request& request, Response response) {
#ifndef NDEBUG
    if (const auto wrong = misfit(route, response))
        return problem_response(Problem{500, "misdescribed", route.operation + ": " + *wrong});
#endif
    return as_preferred(request, std::move(response));
}

using Fields = std::optional<FieldNames>;  // requested members; nothing: all

Response finished(const Route& route, const Fields& fields, const Request& request, Response response) {
    auto described = as_described(route, request, std::move(response));
    return fields ? only_fields(route, *fields, std::move(described)) : described;
}

Response with_ignored(const Call& call, Response response) {
    if (!call.ignored.empty()) response.headers.emplace_back(kIgnoredHeader, ignored_text(call.ignored));
    return response;
}

Response perform(const Route& route, const Call& call, const Fields& fields) {
    auto response = route.handler(call);
    if (!response) return with_ignored(call, refusal(route, problem_of(response.error())));
    if (!response->deferred) return with_ignored(call, finished(route, fields, call.request, std::move(*response)));
    auto& poll = response->deferred->poll;
    poll = [&route, fields, ask = std::move(poll)](const Request& request, bool last) mutable {
        auto answer = ask(request, last);
        if (answer) answer = finished(route, fields, request, std::move(*answer));
        return answer;
    };
    return std::move(*response);
}

}  // namespace

const std::string& Call::at(std::string_view name) const {
    const auto found = std::ranges::find_if(path, [&](const auto& part) { return part.first == name; });
    assert(found != path.end());
    return found->second;
}

model::CommandContext Call::context(std::string reason) const {
    const auto tenant = std::ranges::find(path, "tenant", &std::pair<std::string, std::string>::first);
    const auto& scope = tenant != path.end() ? tenant->second : model::kEveryTenant;
    return {.principal = principal.name,
            .request_id = request_id_of(request),
            .source = "api",
            .reason = std::move(reason),
            .may_loosen = permits(principal.roles, scope, model::Permission::approve)};
}

Router::Router(Routes routes, AccessCheck gate) : routes_(std::move(routes)), gate_(std::move(gate)) {
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

bool in_tenant(const Route& route) {
    return !route.server_wide && (route.dialect || route.pattern.find("{tenant}") != std::string::npos);
}

Response refusal(const Route& route, const Problem& problem) {
    return route.dialect ? route.dialect->refusal(problem) : problem_response(problem);
}

// Authorizes before it validates, so that an error never reveals data that the client may not see.
std::optional<Response> Router::admit(Call& call, Match& match) const {
    const auto& route = *match.route;
    if (!gate_) {
        call.principal.roles = {{model::kEveryTenant, {model::Role::admin}}};
        return std::nullopt;
    }
    if (call.request.admitted) {
        call.principal = call.request.admitted->principal;
    } else {
        auto decision = gate_(call.request, route, route.server_wide ? std::string() : match.tenant);
        call.principal = std::move(decision.principal);
        if (decision.refused) {
            const bool told =
                decision.refused->code == ErrorCode::forbidden && !call.principal.name.empty() && route.when_forbidden;
            const auto instead = told ? route.when_forbidden(call) : std::nullopt;
            auto problem = problem_of(instead ? *instead : *decision.refused);
            // The only thing that a gate cannot find is the tenant, which a dialect has in a header instead of the
            // path.
            if (route.dialect && problem.status == 404) problem.field = kTenantHeader;
            return refusal(route, problem);
        }
    }
    match.principal = call.principal.name;
    return std::nullopt;
}

Response Router::serve(Call call, const Match& match) const {
    const auto& route = *match.route;
    // Reject a condition that the operation would ignore.
    const bool conditional = !call.request.header("If-Match").empty() && route.method != "GET";
    if (conditional && std::ranges::find(route.headers, "If-Match", &Member::name) == route.headers.end()) {
        return refusal(
            route, problem_of(in_field(invalid("this operation does not support If-Match; leave it out"), "If-Match")));
    }
    auto pairs = parse_query(call.request.query);
    if (!pairs) return refusal(route, problem_of(pairs.error()));
    if (route.dialect && route.dialect->lenient_query) drop_unknown(route, *pairs, call.ignored);
    const auto error = route.handler_checks_query ? std::nullopt : check_query(route, *pairs);
    if (error) return refusal(route, problem_of(*error));
    call.query = Parameters(std::move(*pairs));
    auto fields = read_fields(route, call.query);
    if (!fields) return refusal(route, problem_of(fields.error()));
    if (const auto problem = read_body(route, call)) return with_ignored(call, refusal(route, *problem));
    PendingWatch watch;
    auto response = perform(route, call, *fields);
    auto pending = watch.take();
    if (!pending) return response;
    // Keeps the parts of the call, but not the request: the deferred response has its own.
    return handle_when_ready(std::move(*pending), [&route, fields = std::move(*fields),
                                                   parts = Call(std::move(call))](const Request& request) {
        return perform(route,
                       {.request = request,
                        .path = parts.path,
                        .query = parts.query,
                        .body = parts.body,
                        .principal = parts.principal,
                        .ignored = parts.ignored},
                       fields);
    });
}

std::optional<Response> Router::find_route(Call& call, Match& match) const {
    const auto& request = call.request;
    if (request.method == "OPTIONS" && request.path == "*")
        return Response{204, {{"Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"}}, {}};
    auto segments = split_path<std::string_view>(request.path);
    // `/schedules/` equals `/schedules`, because no name is empty.
    if (segments.size() > 1 && segments.back().empty()) segments.pop_back();
    const std::string_view method =
        request.method == "HEAD" ? std::string_view("GET") : std::string_view(request.method);
    for (const auto& pattern : patterns_) {
        const auto& route = routes_[pattern.route];
        if (route.method != method || !matches(pattern.segments, segments)) continue;
        for (std::size_t part = 0; part < segments.size(); ++part) {
            const auto& name = pattern.segments[part];
            if (!is_variable(name)) continue;
            auto value = percent_decode(segments[part]);
            if (!value) return refusal(route, {400, "malformed_request", value.error().message, {}});
            call.path.emplace_back(name.substr(1, name.size() - 2), std::move(*value));
        }
        match.route = &route;
        if (route.dialect) {
            const auto said = request.header(kTenantHeader);
            call.path.emplace_back("tenant", said.empty() ? route.dialect->tenant : std::string(said));
        }
        const auto tenant = std::ranges::find(call.path, "tenant", &std::pair<std::string, std::string>::first);
        if (tenant != call.path.end()) match.tenant = tenant->second;
        return std::nullopt;
    }
    const auto methods = allowed(segments);
    if (methods.empty()) {
        return problem_response(
            {404,
             "route_not_found",
             "there is no " + in_quotes(request.path) + " here; the API is under /api/tenants/{tenant}",
             {}});
    }
    if (request.method == "OPTIONS") return Response{204, {{"Allow", methods}}, {}};
    auto response = problem_response(
        {405, "method_not_allowed", in_quotes(request.method) + " is not supported here; use one of " + methods, {}});
    response.headers.emplace_back("Allow", methods);
    return response;
}

Response Router::answer(const Request& request, Match& match) const {
    Call call{.request = request};
    if (auto response = find_route(call, match)) return std::move(*response);
    if (auto response = admit(call, match)) return std::move(*response);
    return serve(std::move(call), match);
}

HeadVerdict Router::check_head(const Request& request) const {
    Match match;
    Call call{.request = request};
    auto refused = find_route(call, match);
    if (!refused) refused = admit(call, match);
    if (!refused) return {.admitted = std::make_shared<const Admitted>(Admitted{std::move(call.principal)})};
    complete(request, match, *refused);
    return {.refusal = std::move(refused)};
}

Response Router::handle(const Request& request) const {
    Match match;
    auto response = answer(request, match);
    if (response.deferred) {
        auto& poll = response.deferred->poll;
        poll = [match, ask = std::move(poll)](const Request& asked, bool last) {
            auto later = ask(asked, last);
            if (later) complete(asked, match, *later);
            return later;
        };
    }
    complete(request, match, response);
    return response;
}

void Router::complete(const Request& request, const Match& match, Response& response) {
    response.route = match.route;
    response.tenant = match.tenant;
    response.principal = match.principal;
    if (match.route == nullptr || !match.route->dialect) return;
    for (const auto& name : match.route->dialect->echoed) {
        if (const auto said = request.header(name); !said.empty()) response.headers.emplace_back(name, said);
    }
}

}  // namespace belfry::api
