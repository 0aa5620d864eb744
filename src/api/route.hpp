// A route as data: what it is called, who may use it, what it takes, what it answers, and who does it. The only way to serve
// anything is to put one into a Router, and the description of the API is written from the same table.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/message.hpp"
#include "api/problem.hpp"
#include "api/shape.hpp"
#include "api/values.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "model/access.hpp"
#include "model/event.hpp"

namespace belfry::api {

inline constexpr const char* kJsonMedia = "application/json";

// A request that found its route, was let in, and is what the route asks for.
struct Call {
    const Request& request;
    std::vector<std::pair<std::string, std::string>> path = {};  // the variable parts by their names, decoded
    Parameters query = {};
    Json body = Json(boost::json::object_kind);  // {} when nothing was sent
    model::Principal principal = {};

    // REQUIRES: the pattern has it.
    [[nodiscard]] const std::string& at(std::string_view name) const;
    [[nodiscard]] const std::string& tenant() const { return at("tenant"); }
    // Who asks, for the audit.
    [[nodiscard]] model::CommandContext context(std::string reason = {}) const;
};

struct Answer {
    int status = 200;
    ShapePtr shape = {};  // of its JSON; none: it has no body, or one that is no JSON
    std::string says = {};
    std::string media = kJsonMedia;
};

// How clients of another system talk: the tenant is in a header, and what went wrong is told in their words. What they ask for is
// done by the same engine.
struct Dialect {
    std::string name;                      // a heading of the description
    std::string tenant = "default";        // of a request that names none
    std::vector<std::string> echoed = {};  // headers that come back with every answer
    ShapePtr refusal_shape = {};           // of what `refusal` answers
    std::function<Response(const Problem&)> refusal = {};
};
inline constexpr const char* kTenantHeader = "X-Namespace";

struct Route {
    std::string method;
    std::string pattern;    // `/api/tenants/{tenant}/schedules`
    std::string operation;  // `createSchedule`
    std::string summary;    // one sentence
    std::string details = {};
    std::string group = {};                            // a heading of the description
    std::optional<model::Permission> permission = {};  // a router refuses a route without one
    bool server_wide = false;                          // the permission is needed on every tenant, although the path names one
    std::vector<Member> query = {};
    std::vector<Member> headers = {};  // that it heeds; for the description
    ShapePtr body = {};                // none: whatever is sent is not looked at
    Presence body_presence = Presence::required;
    bool handler_checks_body = false;     // the shape only describes it: clients are told in their own way what does not fit
    std::string body_media = kJsonMedia;  // anything else is not read as JSON: the handler looks at request.body
    std::vector<Answer> answers = {};
    std::function<Result<Response>(const Call&)> handler = {};
    // Told of somebody who is known and may not; the call has no query and no body. An error is answered instead of the refusal.
    std::function<std::optional<Error>(const Call&)> when_forbidden = {};
    std::shared_ptr<const Dialect> dialect = {};  // none: the native one
    std::string alias = {};                       // another pattern of the same parts that it answers to; empty: none
};

// Whether it acts inside one tenant, which its path or, in a dialect, a header names.
[[nodiscard]] bool in_tenant(const Route& route);
// What went wrong, in the words of the route's clients.
[[nodiscard]] Response refusal(const Route& route, const Problem& problem);

using Routes = std::vector<Route>;

}  // namespace belfry::api
