// Gathers what the store knows about how a schedule is doing: see decide/schedule_health.hpp. Thread-safe.
#pragma once

#include <vector>

#include "decide/schedule_health.hpp"
#include "engine/observer.hpp"
#include "store/store.hpp"

namespace belfry::engine {

struct HealthOfSchedule {
    Instant now = {};
    store::ScheduleRecord record;
    decide::ScheduleHealth health;
    std::vector<model::Run> runs = {};  // the newest, newest first
    std::int64_t missed_last_day = 0;   // occurrences
    bool quarantined = false;
};

// `quarantined`: what this server cannot decide.
[[nodiscard]] Result<HealthOfSchedule> health_of(store::Store& store, const store::ScheduleRef& ref, const std::vector<Quarantined>& quarantined);

}  // namespace belfry::engine
