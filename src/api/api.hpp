// The HTTP API as one function from requests to responses. Thread-safe.
//
//   api::Api api(engine, [&] { return health.read(); });
//   api::HttpServer server(api.handler(), {.listen = "127.0.0.1:8642", .check_head = api.head_check()});
#pragma once

#include <functional>

#include "api/contract/router.hpp"
#include "api/resources/schedules/schedule_dto.hpp"
#include "api/telemetry/metrics_sources.hpp"
#include "api/telemetry/readiness.hpp"
#include "engine/engine.hpp"
#include "engine/telemetry/health.hpp"

namespace belfry::api {

// Reads the health of the engine's background jobs. Empty: the health is not monitored.
using HealthSource = std::function<engine::HealthReading()>;

struct ApiOptions {
    HealthSource health = {};
    ScheduleLimits limits = {};
    store::StoreLimits tenant_defaults = {};  // enforced by the store; shown with a tenant
    HealthDetailOf health_detail = {};
    AccessCheck gate = {};  // none: every caller may do everything
    Watcher watcher = {};
    MetricsSources metrics = {};
    std::function<bool()> draining = {};     // whether the server is shutting down
    std::string default_tenant = "default";  // for dialect requests that name no tenant
};

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
