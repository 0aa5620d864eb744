#include "engine/telemetry/server_status.hpp"

namespace belfry::engine {

std::vector<Quarantined> ServerStatus::quarantined() const {
    auto all = ticker.quarantined();
    for (auto& each : {backfiller.quarantined(), reaper.quarantined()}) all.insert(all.end(), each.begin(), each.end());
    return all;
}

}  // namespace belfry::engine
