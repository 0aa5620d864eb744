// Requests and responses as routes see them: values without a socket, so that any code can call a route.
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

#include "base/text/ascii.hpp"
#include "base/text/json.hpp"

namespace belfry::api {

using Header = std::pair<std::string, std::string>;

// Names the tenant where the path does not.
inline constexpr const char* kTenantHeader = "X-Namespace";

// Returns the value of the first header with that name, ignoring case, or an empty text.
[[nodiscard]] inline std::string_view find_header(const std::vector<Header>& headers, std::string_view name) {
    const auto found =
        std::ranges::find_if(headers, [&](const Header& header) { return same_ignoring_case(header.first, name); });
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

// The result of a head check. The whole request carries it, so that the check runs once.
struct Admitted;

struct Request {
    std::string method = "GET";
    std::string path = {};   // as sent, percent-encoded
    std::string query = {};  // what follows the question mark, percent-encoded
    std::vector<Header> headers = {};
    std::string body = {};
    std::string peer = {};                            // the client's address, without a port
    std::vector<std::string> certificate_names = {};  // SANs of a verified client certificate: `DNS:…`, `URI:…`
    std::shared_ptr<const Admitted> admitted = {};    // by a HeadCheck; null: not checked yet

    [[nodiscard]] std::string_view header(std::string_view name) const { return find_header(headers, name); }
};

struct DeferredResponse;
struct Route;

struct Response {
    int status = 200;
    std::vector<Header> headers = {};
    std::string body = {};
    // For a stream: after the body, handler threads call it repeatedly for more to send. An empty text means nothing
    // yet, no text means the end.
    std::function<std::optional<std::string>()> next_chunk = {};
    std::shared_ptr<DeferredResponse> deferred = {};  // the response is not ready; the other members are not used
    // The client chose the members, so the description of the response does not apply. Never sent.
    bool selected = false;
    // About the request, for logs, metrics and fair shares. Never sent.
    const Route* route = nullptr;  // null: no route matches
    std::string tenant = {};       // of the path
    std::string principal = {};    // empty: unauthenticated, or refused

    [[nodiscard]] std::string_view header(std::string_view name) const { return find_header(headers, name); }
};

// A response that waits for an event without occupying a thread.
struct DeferredResponse {
    // Called on a handler's thread after each notification, and with `last` when the wait ends because its time has
    // passed or the server shuts down. Returns nothing while it is not ready. With `last`, it must respond at once with
    // what is available. The response must be complete: neither deferred nor a stream.
    std::function<std::optional<Response>(const Request& request, bool last)> poll = {};
    // Called once, when the wait begins. The response calls `ring` on any thread when poll() may succeed, but not after
    // this object is destroyed.
    std::function<void(std::function<void()> ring)> listen = {};
    std::chrono::steady_clock::time_point until = {};
};

// Called on several threads at once. May block.
using Handler = std::function<Response(const Request&)>;

// The decision by the head of a request, before its body is read: a refusal, which is the response, or the result that
// the handler need not check again.
struct HeadVerdict {
    std::optional<Response> refusal = {};
    std::shared_ptr<const Admitted> admitted = {};
};
// Called like a Handler, with a request whose body has not arrived yet. It counts attempts and requests for rate
// limits; the handler does not count a request again that carries the result.
using HeadCheck = std::function<HeadVerdict(const Request&)>;

[[nodiscard]] inline Response json_response(const Json& body, int status = 200) {
    return {status, {{"Content-Type", "application/json"}}, to_text(body)};
}

}  // namespace belfry::api
