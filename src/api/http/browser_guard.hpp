// Protects the server from browsers that act for foreign pages, and implements CORS for pages that the operator allows.
// Pure.
//
// A foreign page can make its name resolve to 127.0.0.1 (DNS rebinding) and then call a server that trusts this
// machine, as if the server were the page's own site. The browser still sends that name in Host, so a server on this
// machine responds to its own names only. A page can also send a form to any address. The browser reports the origin of
// the page in Origin, and its relation to the server in Sec-Fetch-Site. Other origins cannot change anything, and can
// read only what a person opens by following a link.
//
// Credentials are headers that a page sets itself, never cookies, so the server never sends
// Access-Control-Allow-Credentials.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/contract/problem.hpp"
#include "api/http/message.hpp"

namespace belfry::api {

inline constexpr const char* kAnyOrigin = "*";

struct BrowserRules {
    std::string listen = {};                        // HOST:PORT; a loopback address allows only local names
    std::vector<std::string> allowed_hosts = {};    // additional names, for proxies in front; `*`: any
    std::vector<std::string> allowed_origins = {};  // valid for check_origin; `*`: all
};

// Validates an origin as browsers write it, `https://app.example.org:8443`, or `*`. The error shows the correct form.
[[nodiscard]] Result<void> check_origin(std::string_view origin);

// Returns 403 `host_not_allowed` or `cross_origin`, with the setting and the value that would allow the request.
// Clients other than browsers are not affected: they send the address as Host, and neither Origin nor Sec-Fetch-Site.
[[nodiscard]] std::optional<Problem> refuse_browser(const Request& request, const BrowserRules& rules);

// Returns the response to a preflight request of an allowed page, or nothing for other requests. REQUIRES:
// refuse_browser() did not refuse the request.
[[nodiscard]] std::optional<Response> answer_preflight(const Request& request, const BrowserRules& rules);

// Allows a page of an allowed origin to read the response.
void allow_origin(const Request& request, const BrowserRules& rules, Response& response);

}  // namespace belfry::api
