// A route as data: what it is called, who may use it, what it takes, what it answers, and who does it. The only way to serve
// anything is to put one into a Router, and the description of the API is written from the same table.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/message.hpp"
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
    std::string body_media = kJsonMedia;  // anything else is not read as JSON: the handler looks at request.body
    std::vector<Answer> answers = {};
    std::function<Result<Response>(const Call&)> handler = {};
    // Told of somebody who is known and may not; the call has no query and no body. An error is answered instead of the refusal.
    std::function<std::optional<Error>(const Call&)> when_forbidden = {};
};

using Routes = std::vector<Route>;

}  // namespace belfry::api
