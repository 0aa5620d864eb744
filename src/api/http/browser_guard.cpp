#include "api/http/browser_guard.hpp"

#include <algorithm>
#include <array>

namespace belfry::api {

namespace {

constexpr std::size_t kShownMax = 300;  // more than a DNS name can have

// Removes the port from `name:port`. `[::1]:80` keeps its brackets.
std::string_view host_of(std::string_view authority) {
    const auto bracket = authority.rfind(']');
    const auto colon = authority.rfind(':');
    const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
    if (has_port && !std::ranges::all_of(authority.substr(colon + 1), is_digit)) return authority;  // not a valid name
    return has_port ? authority.substr(0, colon) : authority;
}

bool is_local(std::string_view host) {
    constexpr std::array<std::string_view, 3> kLocal{"localhost", "127.0.0.1", "[::1]"};
    return std::ranges::any_of(kLocal, [&](std::string_view one) { return same_ignoring_case(one, host); });
}

bool is_listed(std::string_view host, const BrowserRules& rules) {
    return std::ranges::any_of(rules.allowed_hosts,
                               [&](const std::string& one) { return one == "*" || same_ignoring_case(one, host); });
}

bool is_own_name(std::string_view host, const BrowserRules& rules) {
    return is_local(host) || same_ignoring_case(host, host_of(rules.listen)) || is_listed(host, rules);
}

bool changes_something(std::string_view method) { return method != "GET" && method != "HEAD" && method != "OPTIONS"; }

// Removes the default port of the scheme.
std::string_view without_default_port(std::string_view authority, std::string_view port) {
    return authority.ends_with(port) ? authority.substr(0, authority.size() - port.size()) : authority;
}

// Whether the page comes from this server. The scheme is ignored, because a proxy may have changed it.
bool is_same_site(std::string_view origin, std::string_view host) {
    for (const auto& [scheme, port] :
         {std::pair<std::string_view, std::string_view>{"http://", ":80"}, {"https://", ":443"}}) {
        if (!origin.starts_with(scheme)) continue;
        return same_ignoring_case(without_default_port(origin.substr(scheme.size()), port),
                                  without_default_port(host, port));
    }
    return false;
}

bool is_allowed_origin(std::string_view origin, const BrowserRules& rules) {
    return std::ranges::any_of(rules.allowed_origins, [&](const std::string& one) {
        return one == kAnyOrigin || same_ignoring_case(one, origin);
    });
}

// The browser reports the relation of the page to this server.
bool is_own_page(const Request& request) { return same_ignoring_case(request.header("Sec-Fetch-Site"), "same-origin"); }
bool is_foreign_page(const Request& request) {
    const auto site = request.header("Sec-Fetch-Site");
    return same_ignoring_case(site, "cross-site") || same_ignoring_case(site, "same-site");
}

// Whether a person follows a link from another site. Only that person sees the result; the content of a frame or an
// image would be available to the page.
bool is_followed_link(const Request& request) {
    return request.method == "GET" && request.header("Sec-Fetch-Mode") == "navigate" &&
           request.header("Sec-Fetch-Dest") == "document";
}

bool is_preflight(const Request& request) {
    return request.method == "OPTIONS" && !request.header("Origin").empty() &&
           !request.header("Access-Control-Request-Method").empty();
}

// Whether the page is neither from this server nor allowed by a setting.
bool is_stranger(const Request& request, const BrowserRules& rules) {
    const auto origin = request.header("Origin");
    if (is_own_page(request)) return false;
    if (!origin.empty() && (is_same_site(origin, request.header("Host")) || is_allowed_origin(origin, rules)))
        return false;
    if (is_foreign_page(request)) return !is_followed_link(request);
    return !origin.empty() && (changes_something(request.method) || is_preflight(request));
}

Problem cross_origin(const Request& request) {
    const auto origin = request.header("Origin");
    if (!origin.empty() && origin != "null") {
        return {403,
                "cross_origin",
                "a page of " + in_quotes(origin) + " may not use this server; to allow it, add " +
                    visible(whole_characters(origin, kShownMax)) + " to allowed_origins",
                {}};
    }
    return {403,
            "cross_origin",
            "a page of another origin may not use this server; to allow it, add its origin to allowed_origins and have "
            "it send its requests with fetch",
            {}};
}

void add_origin(const Request& request, const BrowserRules& rules, std::vector<Header>& headers) {
    const bool any = std::ranges::find(rules.allowed_origins, kAnyOrigin) != rules.allowed_origins.end();
    if (!any) headers.emplace_back("Vary", "Origin");
    const auto origin = request.header("Origin");
    if (!origin.empty() && is_allowed_origin(origin, rules))
        headers.emplace_back("Access-Control-Allow-Origin", any ? kAnyOrigin : origin);
}

bool is_scheme(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return is_alpha(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
    });
}

}  // namespace

Result<void> check_origin(std::string_view origin) {
    if (origin == kAnyOrigin) return {};
    const auto example =
        in_quotes(origin) +
        ": write an origin as browsers do, for example https://app.example.org or http://localhost:3000";
    const auto colon = origin.find("://");
    if (colon == std::string_view::npos || !is_scheme(origin.substr(0, colon))) return invalid(example);
    const auto authority = origin.substr(colon + 3);
    const auto is_outside = [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || std::string_view("/?#@*,\"\\").find(c) != std::string_view::npos;
    };
    if (authority.empty() || host_of(authority).empty() || std::ranges::any_of(authority, is_outside))
        return invalid(example);
    const auto scheme = lower_case(origin.substr(0, colon));
    const auto shorter = without_default_port(authority, scheme == "https" ? ":443" : scheme == "http" ? ":80" : "\n");
    if (shorter != authority)
        return invalid(in_quotes(origin) + ": browsers omit that port; write " + scheme + "://" + std::string(shorter));
    return {};
}

std::optional<Problem> refuse_browser(const Request& request, const BrowserRules& rules) {
    const auto host = request.header("Host");
    const auto listen_host = host_of(rules.listen);
    const bool picky = is_local(listen_host) || listen_host.starts_with("127.") || !rules.allowed_hosts.empty();
    if (picky && !host.empty() && !is_own_name(host_of(host), rules)) {
        return Problem{403,
                       "host_not_allowed",
                       "this server does not respond to the name " + in_quotes(host_of(host)) + "; to allow it, add " +
                           visible(whole_characters(host_of(host), kShownMax)) + " to allowed_hosts",
                       {}};
    }
    if (is_stranger(request, rules)) return cross_origin(request);
    return std::nullopt;
}

std::optional<Response> answer_preflight(const Request& request, const BrowserRules& rules) {
    constexpr const char* kPreflightSeconds = "600";  // how long a browser may cache the response
    if (!is_preflight(request) || !is_allowed_origin(request.header("Origin"), rules)) return std::nullopt;
    Response response{.status = 204,
                      .headers = {{"Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"}}};
    add_origin(request, rules, response.headers);
    // Allows every header that the page wants to send: the page is trusted, and the route decides what a header means.
    if (const auto wanted = request.header("Access-Control-Request-Headers"); !wanted.empty()) {
        response.headers.emplace_back("Access-Control-Allow-Headers", wanted);
        response.headers.emplace_back("Vary", "Access-Control-Request-Headers");
    }
    response.headers.emplace_back("Access-Control-Max-Age", kPreflightSeconds);
    return response;
}

void allow_origin(const Request& request, const BrowserRules& rules, Response& response) {
    if (rules.allowed_origins.empty()) return;
    add_origin(request, rules, response.headers);
    if (response.header("Access-Control-Allow-Origin").empty()) return;
    // The headers that a page may read in addition to the default ones.
    response.headers.emplace_back(
        "Access-Control-Expose-Headers",
        "ETag, Location, Retry-After, X-Request-Id, Link, Allow, WWW-Authenticate, Content-Range, "
        "Preference-Applied, Idempotency-Replayed");
}

}  // namespace belfry::api
