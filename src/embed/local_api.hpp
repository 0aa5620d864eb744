// The API of one tenant as a function call: the routes of the server without a socket. Thread-safe.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include <belfry/scheduler.hpp>

#include "api/api.hpp"

namespace belfry::embed {

class LocalApi {
public:
    // REQUIRES: the API outlives it.
    LocalApi(const api::Api& api, std::string tenant);

    // Waits for a response that is not ready, at most until `stop`. The path begins below the tenant.
    [[nodiscard]] Response call(std::string_view method, std::string_view path, std::string_view body,
                                const std::stop_token& stop = {}) const;
    // The same with JSON on both sides. The error has the code and the text of the problem.
    [[nodiscard]] Result<Json> post(std::string_view path, const Json& body, const std::stop_token& stop = {}) const;

private:
    const api::Handler handle_;
    const std::string prefix_;
};

}  // namespace belfry::embed
