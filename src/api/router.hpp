// Finds the route of a request, reads its body, and turns every error into a problem. Immutable, thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/route.hpp"

namespace belfry::api {

inline constexpr std::size_t kJsonBodyMax = std::size_t{8} << 20;  // the server's body_max is what counts in practice

// Who asks, if they may: told the route and the tenant of the path, which is empty when it has none.
using Gate = std::function<Result<model::Principal>(const Request& request, const Route& route, const std::string& tenant)>;

class Router {
public:
    // Without a gate everybody is let in. REQUIRES: every route has a permission.
    explicit Router(Routes routes, Gate gate = {});

    // Nothing here throws unless a handler does.
    [[nodiscard]] Response handle(const Request& request) const;

    [[nodiscard]] const Routes& routes() const { return routes_; }

private:
    [[nodiscard]] Response answer(const Request& request) const;
    [[nodiscard]] Response serve(const Route& route, Call call) const;
    [[nodiscard]] std::string allowed(const std::vector<std::string_view>& segments) const;

    Routes routes_;
    Gate gate_;
    std::vector<std::vector<std::string>> patterns_;  // the segments of each, in the same order
};

}  // namespace belfry::api
