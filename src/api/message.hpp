// A request and its answer as the routes see them: values, without a socket, so that a route can be called from anywhere.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/json.hpp"

namespace belfry::api {

using Header = std::pair<std::string, std::string>;

// The value of the first header of that name, in whatever case; empty when there is none.
[[nodiscard]] inline std::string_view find_header(const std::vector<Header>& headers, std::string_view name) {
    const auto found = std::ranges::find_if(headers, [&](const Header& header) { return same_ignoring_case(header.first, name); });
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

struct Request {
    std::string method = "GET";
    std::string path = {};   // as it was sent, percent-encoded
    std::string query = {};  // what stands behind the question mark, percent-encoded
    std::vector<Header> headers = {};
    std::string body = {};
    std::string peer = {};                            // the address that it came from, without a port
    std::vector<std::string> certificate_names = {};  // the SANs of a client certificate that was verified: `DNS:…`, `URI:…`, `email:…`

    [[nodiscard]] std::string_view header(std::string_view name) const { return find_header(headers, name); }
};

struct Later;

struct Response {
    int status = 200;
    std::vector<Header> headers = {};
    std::string body = {};
    // For an answer without an end: after the body it is asked again and again, on the threads of handlers, for what there is
    // to send. An empty text: nothing yet. Nothing: that was all.
    std::function<std::optional<std::string>()> more = {};
    std::shared_ptr<Later> later = {};  // there is no answer yet, and the rest says nothing
    std::string principal = {};         // who asked, for the log; never sent

    [[nodiscard]] std::string_view header(std::string_view name) const { return find_header(headers, name); }
};

// An answer that waits for something, without a thread that waits with it.
struct Later {
    // Asked on a handler's thread when it was rung, and with `last` when nobody waits any longer: its time is over, or the server ends.
    // Nothing: not yet. To the last question it answers at once, with what there is. What it answers is whole: neither later nor more.
    std::function<std::optional<Response>(const Request& request, bool last)> again = {};
    // Called once, when the wait begins. Whoever has news rings, on any thread, and not any more when this object is destroyed.
    std::function<void(std::function<void()> ring)> listen = {};
    std::chrono::steady_clock::time_point until = {};
};

// Called on several threads at once. May block.
using Handler = std::function<Response(const Request&)>;

[[nodiscard]] inline Response json_response(const Json& body, int status = 200) {
    return {status, {{"Content-Type", "application/json"}}, to_text(body)};
}

}  // namespace belfry::api
