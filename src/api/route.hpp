// A route as data: what it is called, what it takes and who answers it. The only way to serve anything is to put one into a
// Router, so a description of the API can be derived from the table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/message.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "model/event.hpp"

namespace belfry::api {

// A request that found its route.
struct Call {
    const Request& request;
    std::vector<std::pair<std::string, std::string>> path = {};  // the variable parts by their names, decoded
    Json body = Json(boost::json::object_kind);                  // {} when nothing was sent

    // REQUIRES: the pattern has it.
    [[nodiscard]] const std::string& at(std::string_view name) const;
    // Who asks, for the audit.
    [[nodiscard]] model::CommandContext context() const;
};

enum class Body : std::uint8_t {
    none,      // whatever is sent is not looked at
    optional,  // JSON; nothing means {}
    required,
};

struct Route {
    std::string method;
    std::string pattern;    // `/api/tenants/{tenant}/schedules`
    std::string operation;  // `createSchedule`
    std::string summary;    // one sentence
    Body body = Body::none;
    std::function<Result<Response>(const Call&)> handler = {};
};

using Routes = std::vector<Route>;

}  // namespace belfry::api
