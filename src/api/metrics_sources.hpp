// Where /metrics takes its figures from. What is missing is left out.
#pragma once

#include <functional>
#include <optional>

#include "api/http_metrics.hpp"
#include "engine/engine_metrics.hpp"
#include "store/store_metrics.hpp"

namespace belfry::api {

// REQUIRES: they outlive the API that is given them.
struct MetricsSources {
    const engine::EngineMetrics* engine = nullptr;
    const store::StoreMetrics* store = nullptr;
    const HttpMetrics* http = nullptr;
    std::function<std::optional<store::Counts>()> counts = {};  // must answer at once
};

}  // namespace belfry::api
