// The native API as one function from requests to answers. Thread-safe.
//
//   api::Api api(engine, [&] { return health.read(); });
//   api::HttpServer server(api.handler(), {.listen = "127.0.0.1:8642"});
#pragma once

#include <functional>

#include "api/metrics_sources.hpp"
#include "api/router.hpp"
#include "api/schedule_dto.hpp"
#include "engine/engine.hpp"
#include "engine/health.hpp"

namespace belfry::api {

// What whoever watches the engine knows to be wrong with it. Empty: nobody watches.
using HealthSource = std::function<engine::HealthReading()>;

struct ApiOptions {
    HealthSource health = {};
    ScheduleLimits limits = {};
    Gate gate = {};  // none: everybody may do everything
    Watcher watcher = {};
    MetricsSources metrics = {};
    std::function<bool()> draining = {};     // whether the server is about to end
    std::string default_tenant = "default";  // of requests in another system's dialect that name none
};

class Api {
public:
    // REQUIRES: the engine, and what the options borrow, outlive it.
    explicit Api(engine::Engine& engine, ApiOptions options = {});

    // Borrows this object.
    [[nodiscard]] Handler handler() const {
        return [this](const Request& request) { return router_.handle(request); };
    }
    [[nodiscard]] const Routes& routes() const { return router_.routes(); }

private:
    Router router_;
};

}  // namespace belfry::api
