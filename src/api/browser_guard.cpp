#include "api/browser_guard.hpp"

#include <algorithm>
#include <array>

namespace belfry::api {

namespace {

// `name:port` without the port; `[::1]:80` keeps its brackets.
std::string_view host_of(std::string_view authority) {
    const auto bracket = authority.rfind(']');
    const auto colon = authority.rfind(':');
    const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
    if (has_port && !std::ranges::all_of(authority.substr(colon + 1), is_digit)) return authority;  // nobody's name
    return has_port ? authority.substr(0, colon) : authority;
}

bool is_local(std::string_view host) {
    constexpr std::array<std::string_view, 3> kLocal{"localhost", "127.0.0.1", "[::1]"};
    return std::ranges::any_of(kLocal, [&](std::string_view one) { return same_ignoring_case(one, host); });
}

bool is_listed(std::string_view host, const BrowserRules& rules) {
    return std::ranges::any_of(rules.allowed_hosts, [&](const std::string& one) { return one == "*" || same_ignoring_case(one, host); });
}

bool is_own_name(std::string_view host, const BrowserRules& rules) {
    return is_local(host) || same_ignoring_case(host, host_of(rules.listen)) || is_listed(host, rules);
}

bool changes_something(std::string_view method) { return method != "GET" && method != "HEAD" && method != "OPTIONS"; }

// Without the port that need not be said.
std::string_view without_default_port(std::string_view authority, std::string_view port) {
    return authority.ends_with(port) ? authority.substr(0, authority.size() - port.size()) : authority;
}

// A page of this very server: scheme aside, which a proxy may have changed.
bool is_same_site(std::string_view origin, std::string_view host) {
    for (const auto& [scheme, port] : {std::pair<std::string_view, std::string_view>{"http://", ":80"}, {"https://", ":443"}}) {
        if (!origin.starts_with(scheme)) continue;
        return same_ignoring_case(without_default_port(origin.substr(scheme.size()), port), without_default_port(host, port));
    }
    return false;
}

bool is_listed_origin(std::string_view origin, const BrowserRules& rules) {
    const auto scheme = origin.find("://");
    const auto host = scheme == std::string_view::npos ? origin : host_of(origin.substr(scheme + 3));
    return is_listed(host, rules);
}

}  // namespace

std::optional<Problem> refuse_browser(const Request& request, const BrowserRules& rules) {
    const auto host = request.header("Host");
    const auto listen_host = host_of(rules.listen);
    const bool picky = is_local(listen_host) || listen_host.starts_with("127.") || !rules.allowed_hosts.empty();
    if (picky && !host.empty() && !is_own_name(host_of(host), rules)) {
        return Problem{
            403, "host_not_allowed", "this server is not called " + in_quotes(host_of(host)) + "; if it should be, add that to allowed_hosts", {}};
    }
    const auto origin = request.header("Origin");
    if (changes_something(request.method) && !origin.empty() && !is_same_site(origin, host) && !is_listed_origin(origin, rules)) {
        return Problem{
            403, "cross_origin", "a page of " + in_quotes(origin) + " may not change anything here; if it should, add its host to allowed_hosts", {}};
    }
    return std::nullopt;
}

}  // namespace belfry::api
