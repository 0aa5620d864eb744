// Reads the facts about a schedule's health from the store: see decide/explain/schedule_health.hpp. Thread-safe.
#pragma once

#include <vector>

#include "decide/explain/schedule_health.hpp"
#include "engine/telemetry/observer.hpp"
#include "store/store_reader.hpp"

namespace belfry::engine {

struct HealthOfSchedule {
    Instant now = {};
    store::ScheduleRecord record;
    decide::ScheduleHealth health;
    std::vector<model::Run> runs = {};  // the newest, newest first
    std::int64_t missed_last_day = 0;   // occurrences
    bool quarantined = false;
};

// `quarantined`: the schedules that this server cannot decide.
[[nodiscard]] Result<HealthOfSchedule> health_of(store::StoreReader& store, const store::ScheduleRef& ref,
                                                 const std::vector<Quarantined>& quarantined);

}  // namespace belfry::engine
