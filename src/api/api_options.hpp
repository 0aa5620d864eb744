// Settings of the HTTP API, and what the program adds to it.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "api/contract/batch.hpp"
#include "api/contract/router.hpp"
#include "api/resources/schedules/schedule_dto.hpp"
#include "api/telemetry/metrics_sources.hpp"
#include "api/telemetry/readiness.hpp"
#include "engine/telemetry/health.hpp"
#include "store/store.hpp"

namespace belfry::api {

// Reads the health of the engine's background jobs. Empty: the health is not monitored.
using HealthSource = std::function<engine::HealthReading()>;

// Settings of the scheduler that clients of the cron service read.
struct WorkerSettings {
    std::chrono::milliseconds tick{1'000};
    std::chrono::milliseconds lookahead{60'000};
    int max_catchup_per_tick = 100;
};

struct ApiOptions {
    HealthSource health = {};
    ScheduleLimits limits = {};
    store::StoreLimits tenant_defaults = {};  // enforced by the store; shown with a tenant
    HealthDetailOf health_detail = {};
    AccessCheck gate = {};  // none: every caller may do everything
    ItemCharge charge = {};
    MetricsSources metrics = {};
    std::function<bool()> draining = {};     // whether the server is shutting down
    std::string default_tenant = "default";  // for dialect requests that name no tenant
    WorkerSettings worker = {};
};

}  // namespace belfry::api
