// The HTTP API as one function from requests to responses. Thread-safe.
//
//   api::Api api(engine, [&] { return health.read(); });
//   api::HttpServer server(api.handler(), {.listen = "127.0.0.1:8642", .check_head = api.head_check()});
#pragma once

#include "api/api_options.hpp"
#include "api/contract/router.hpp"
#include "engine/engine.hpp"

namespace belfry::api {

class Api {
public:
    // REQUIRES: the engine, and what the options borrow, outlive it.
    explicit Api(engine::Engine& engine, ApiOptions options = {});

    // The function refers to this object.
    [[nodiscard]] Handler handler() const {
        return [this](const Request& request) { return router_.handle(request); };
    }
    [[nodiscard]] HeadCheck head_check() const {
        return [this](const Request& request) { return router_.check_head(request); };
    }
    [[nodiscard]] const Routes& routes() const { return router_.routes(); }

private:
    Router router_;
};

}  // namespace belfry::api
