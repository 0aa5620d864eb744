#include "engine/telemetry/health.hpp"

#include <algorithm>

namespace belfry::engine {

namespace {

// Any other error, for example an unreadable row, shows that the store responds.
bool says_away(const Error& error) { return error.code == ErrorCode::unavailable || error.code == ErrorCode::unknown; }

}  // namespace

void Health::failed(std::string_view worker, const Error& error, Micros /*wait*/) {
    const auto now = clock_.now();
    const MutexLock lock(mutex_);
    auto& trouble =
        troubles_.try_emplace(std::string(worker), FailureTracker{.error = error, .since = now}).first->second;
    trouble.error = error;
    trouble.tries += 1;
    if (!says_away(error)) {
        trouble.away_since.reset();
    } else if (!trouble.away_since) {
        trouble.away_since = now;
    }
}

void Health::recovered(std::string_view worker) {
    const MutexLock lock(mutex_);
    if (const auto found = troubles_.find(worker); found != troubles_.end()) troubles_.erase(found);
}

void Health::quarantined(const Quarantined& schedule) {
    const MutexLock lock(mutex_);
    quarantined_.insert_or_assign(std::tuple(schedule.key, schedule.worker, schedule.subject), schedule);
}

void Health::released(const Quarantined& schedule) {
    const MutexLock lock(mutex_);
    quarantined_.erase(std::tuple(schedule.key, schedule.worker, schedule.subject));
}

HealthReading Health::read() const {
    HealthReading reading;
    const MutexLock lock(mutex_);
    for (const auto& [name, trouble] : troubles_) {
        reading.workers.push_back({name, trouble.error, trouble.since, trouble.tries});
        if (trouble.away_since)
            reading.store_away_since =
                std::min(*trouble.away_since, reading.store_away_since.value_or(*trouble.away_since));
    }
    for (const auto& [key, schedule] : quarantined_) reading.quarantined.push_back(schedule);
    return reading;
}

}  // namespace belfry::engine
