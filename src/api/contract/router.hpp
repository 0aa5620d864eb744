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

class Router {
public:
    // Without a gate, every request is allowed. REQUIRES: every route has a permission.
    explicit Router(Routes routes, AccessCheck gate = {});

    // Throws only if a handler does.
    [[nodiscard]] Response handle(const Request& request) const;

    // Finds the route and checks access. handle() does not check again when the request carries the admitted principal.
    [[nodiscard]] HeadVerdict check_head(const Request& request) const;

    [[nodiscard]] const Routes& routes() const { return routes_; }

private:
    // What is known about a request so far. Every response carries it.
    struct Match {
        const Route* route = nullptr;
        std::string tenant = {};
        std::string principal = {};
    };
    // All of these record in `match` what they learn about the request. The first two return a response if no handler
    // is needed.
    [[nodiscard]] std::optional<Response> find_route(Call& call, Match& match) const;
    [[nodiscard]] std::optional<Response> admit(Call& call, Match& match) const;
    [[nodiscard]] Response serve(Call call, const Match& match) const;
    [[nodiscard]] Response answer(const Request& request, Match& match) const;
    // Adds the match, and the headers that a dialect returns.
    static void complete(const Request& request, const Match& match, Response& response);
    [[nodiscard]] std::string allowed(const std::vector<std::string_view>& segments) const;

    Routes routes_;
    AccessCheck gate_;
    // The segments of each pattern and alias, in the order of the routes.
    struct Pattern {
        std::vector<std::string> segments;
        std::size_t route = 0;
    };
    std::vector<Pattern> patterns_;
};

}  // namespace belfry::api
