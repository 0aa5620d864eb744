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

// Who asks, as far as that is known, and why they may not.
struct Asker {
    model::Principal principal = {};
    std::optional<Error> refused = {};
};
// Told the route and the tenant of the path, which is empty when it has none.
using Gate = std::function<Asker(const Request& request, const Route& route, const std::string& tenant)>;

// A request and what became of it, for whoever counts or logs.
struct Served {
    const Request& request;
    const Response& response;
    const Route* route = nullptr;  // none: there is no such route
    std::string tenant = {};       // of the path
    std::string principal = {};    // empty: nobody in particular, or they were not let in
    Micros took = {};
};
// Called on the handler's thread after every answer. Must be thread-safe and quick.
using Watcher = std::function<void(const Served&)>;

class Router {
public:
    // Without a gate everybody is let in. REQUIRES: every route has a permission.
    explicit Router(Routes routes, Gate gate = {}, Watcher watcher = {});

    // Nothing here throws unless a handler does.
    [[nodiscard]] Response handle(const Request& request) const;

    [[nodiscard]] const Routes& routes() const { return routes_; }

private:
    // Both note in `served` what they learn about the request.
    [[nodiscard]] Response answer(const Request& request, Served& served) const;
    [[nodiscard]] Response serve(const Route& route, Call call, Served& served) const;
    // What every answer gets, and who is told about it.
    void complete(Served& served, Response& response, Micros took) const;
    // The same for one that comes later.
    void postpone(const Served& served, Later& later, Micros took) const;
    [[nodiscard]] std::string allowed(const std::vector<std::string_view>& segments) const;

    Routes routes_;
    Gate gate_;
    Watcher watcher_;
    // The segments of each pattern and of each alias, in the order of the routes.
    struct Pattern {
        std::vector<std::string> segments;
        std::size_t route = 0;
    };
    std::vector<Pattern> patterns_;
};

}  // namespace belfry::api
