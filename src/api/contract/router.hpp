// Finds the route of a request, parses its body, and turns every error into a problem. Immutable, thread-safe.
//
// A server can check the head first (check_head), to reject a request without reading its body.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/contract/route.hpp"

namespace belfry::api {

inline constexpr std::size_t kJsonBodyMax = std::size_t{8} << 20;  // the server's body_max is lower in practice

// The principal of a request, as far as it is known, and why access is refused.
struct AccessDecision {
    model::Principal principal = {};
    std::optional<Error> refused = {};
};
// A principal whose access was granted by the head of a request.
struct Admitted {
    model::Principal principal = {};
};
// The tenant comes from the path and is empty when the path has none.
using AccessCheck =
    std::function<AccessDecision(const Request& request, const Route& route, const std::string& tenant)>;

// A request and its response, for metrics and logs.
struct Served {
    const Request& request;
    const Response& response;
    const Route* route = nullptr;  // none: no route matches
    std::string tenant = {};       // of the path
    std::string principal = {};    // empty: unauthenticated, or refused
    Micros took = {};
};
// Called on the handler's thread after every response. Must be thread-safe and quick.
using Watcher = std::function<void(const Served&)>;

class Router {
public:
    // Without a gate, every request is allowed. REQUIRES: every route has a permission.
    explicit Router(Routes routes, AccessCheck gate = {}, Watcher watcher = {});

    // Throws only if a handler does.
    [[nodiscard]] Response handle(const Request& request) const;

    // Finds the route and checks access. handle() does not check again when the request carries the admitted principal.
    [[nodiscard]] HeadVerdict check_head(const Request& request) const;

    [[nodiscard]] const Routes& routes() const { return routes_; }

private:
    // All of these record in `served` what they learn about the request. The first two return a response if no handler
    // is needed.
    [[nodiscard]] std::optional<Response> find_route(Call& call, Served& served) const;
    [[nodiscard]] std::optional<Response> admit(Call& call, Served& served) const;
    [[nodiscard]] Response serve(Call call, Served& served) const;
    [[nodiscard]] Response answer(const Request& request, Served& served) const;
    // Adds the headers of every response, and notifies the watcher.
    void complete(Served& served, Response& response, Micros took) const;
    // The same for a deferred response.
    void postpone(const Served& served, DeferredResponse& deferred, Micros took) const;
    [[nodiscard]] std::string allowed(const std::vector<std::string_view>& segments) const;

    Routes routes_;
    AccessCheck gate_;
    Watcher watcher_;
    // The segments of each pattern and alias, in the order of the routes.
    struct Pattern {
        std::vector<std::string> segments;
        std::size_t route = 0;
    };
    std::vector<Pattern> patterns_;
};

}  // namespace belfry::api
