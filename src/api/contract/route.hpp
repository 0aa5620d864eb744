// A route as data: its name, permission, parameters, body, responses and handler. A Router serves nothing but its
// routes, and the API description is written from the same table.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/contract/problem.hpp"
#include "api/contract/shape.hpp"
#include "api/contract/values.hpp"
#include "api/http/message.hpp"
#include "base/result.hpp"
#include "base/text/json.hpp"
#include "model/run/event.hpp"
#include "model/tenant/access.hpp"

namespace belfry::api {

inline constexpr const char* kJsonMedia = "application/json";

// A request after routing, authorization and validation.
struct Call {
    const Request& request;
    std::vector<std::pair<std::string, std::string>> path = {};  // the variable parts of the path by name, decoded
    Parameters query = {};
    Json body = Json(boost::json::object_kind);  // {} when the request has no body
    model::Principal principal = {};
    std::vector<std::string> ignored = {};  // by a lenient dialect: pointers to members, and `?name` of parameters

    // REQUIRES: the pattern has this part.
    [[nodiscard]] const std::string& at(std::string_view name) const;
    [[nodiscard]] const std::string& tenant() const { return at("tenant"); }
    // Who makes the request, for the audit.
    [[nodiscard]] model::CommandContext context(std::string reason = {}) const;
};

struct Answer {
    int status = 200;
    ShapePtr shape = {};  // of its JSON; none: there is no body, or it is not JSON
    std::string says = {};
    std::string media = kJsonMedia;
};

// The conventions of another system's clients: the tenant is in a header, and errors have that system's format. The
// same engine handles the requests.
struct Dialect {
    std::string name;                      // a heading of the API description
    std::string tenant = "default";        // for requests that name no tenant
    std::vector<std::string> echoed = {};  // request headers that every response repeats
    ShapePtr refusal_shape = {};           // of the responses of `refusal`
    std::function<Response(const Problem&)> refusal = {};
    // Whether bodies are read as api/contract/leniency.hpp describes, and unknown query parameters are ignored.
    bool lenient_body = false;
    bool lenient_query = false;
};
struct Route {
    std::string method;
    std::string pattern;    // `/api/tenants/{tenant}/schedules`
    std::string operation;  // `createSchedule`
    std::string summary;    // one sentence
    std::string details = {};
    std::string group = {};                            // a heading of the API description
    std::optional<model::Permission> permission = {};  // required: the router rejects a route without one
    bool server_wide = false;                          // the permission must cover every tenant
    std::vector<Member> query = {};
    // If true, the query is documentation only: the handler reads all parameters.
    bool handler_checks_query = false;
    std::vector<Member> headers = {};  // headers that the operation uses, for the API description
    ShapePtr body = {};                // none: the body is ignored
    Presence body_presence = Presence::required;
    // If true, the shape is documentation only: the handler validates the body and reports errors in the dialect's
    // format.
    bool handler_checks_body = false;
    std::string body_media = kJsonMedia;  // other media are not parsed as JSON: the handler reads request.body
    std::vector<Answer> answers = {};
    std::function<Result<Response>(const Call&)> handler = {};
    // Called when an authenticated principal lacks the permission. The call has no query and no body. An error that it
    // returns replaces the refusal.
    std::function<std::optional<Error>(const Call&)> when_forbidden = {};
    std::shared_ptr<const Dialect> dialect = {};  // none: the native API
    std::string alias = {};                       // another pattern with the same parts; empty: none
};

// Whether the route acts inside one tenant, which the path or, in a dialect, a header names.
[[nodiscard]] bool in_tenant(const Route& route);
// The error response in the format of the route's clients.
[[nodiscard]] Response refusal(const Route& route, const Problem& problem);

using Routes = std::vector<Route>;

}  // namespace belfry::api
