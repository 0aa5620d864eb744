// Explains schedules: why something happened or not, and how a schedule is doing on this server. Thread-safe.
#pragma once

#include "engine/explain/schedule_health.hpp"
#include "engine/explain/why.hpp"
#include "engine/telemetry/server_status.hpp"
#include "spec/zone/zone_database.hpp"

namespace belfry::engine {

class Explainer {
public:
    // REQUIRES: all of them outlive it.
    Explainer(store::Store& store, const spec::ZoneDatabase& zones, const ServerStatus& server)
        : store_(store), zones_(zones), server_(server) {}

    [[nodiscard]] Result<WhyAnswer> why(const store::ScheduleRef& ref, Instant at) {
        return engine::why(store_, zones_, ref, at);
    }
    [[nodiscard]] Result<HealthOfSchedule> health(const store::ScheduleRef& ref) {
        return health_of(store_, ref, server_.quarantined());
    }

private:
    store::Store& store_;
    const spec::ZoneDatabase& zones_;
    const ServerStatus& server_;
};

}  // namespace belfry::engine
