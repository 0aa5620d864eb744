// What a browser must not do for a page of somebody else. Pure.
//
// A page from anywhere can have its name resolve to 127.0.0.1 (DNS rebinding) and then talk to a server that trusts this machine, as
// that page's own site. The browser still says the name in Host, so a server on this machine answers to its own names only. And a
// page can send a form to any address; the browser says where the page is from in Origin, and changes are refused to strangers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/message.hpp"
#include "api/problem.hpp"

namespace belfry::api {

struct BrowserRules {
    std::string listen = {};                      // HOST:PORT; on a loopback address only the names of this machine are its own
    std::vector<std::string> allowed_hosts = {};  // more names, for proxies in front; `*`: any
};

// 403 `host_not_allowed` or `cross_origin`. Clients other than browsers never meet it: they say the address that they use as Host
// and no Origin.
[[nodiscard]] std::optional<Problem> refuse_browser(const Request& request, const BrowserRules& rules);

}  // namespace belfry::api
