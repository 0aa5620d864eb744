// The sources of /metrics. A missing source is omitted.
#pragma once

#include <functional>
#include <optional>

#include "api/telemetry/http_metrics.hpp"
#include "engine/telemetry/engine_metrics.hpp"
#include "store/store_metrics.hpp"

namespace belfry::api {

// REQUIRES: the sources outlive the API that uses them.
struct MetricsSources {
    const engine::EngineMetrics* engine = nullptr;
    const store::StoreMetrics* store = nullptr;
    const HttpMetrics* http = nullptr;
    std::function<std::optional<store::Counts>()> counts = {};  // must not block
};

}  // namespace belfry::api
