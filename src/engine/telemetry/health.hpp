// The known problems of the engine at this moment. Thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/concurrency/mutex.hpp"
#include "base/time/clock.hpp"
#include "engine/telemetry/observer.hpp"

namespace belfry::engine {

// A background job that failed and has not succeeded since.
struct TroubledWorker {
    std::string name;
    Error error;  // the newest
    Instant since = {};
    int tries = 0;
};

struct HealthReading {
    std::vector<TroubledWorker> workers = {};      // by name
    std::optional<Instant> store_away_since = {};  // empty: the store responds, or was not called
    std::vector<Quarantined> quarantined = {};     // by key, worker and subject
    [[nodiscard]] bool healthy() const { return workers.empty() && !store_away_since; }
};

class Health final : public Observer {
public:
    // REQUIRES: the clock outlives it.
    explicit Health(const Clock& clock) : clock_(clock) {}

    void failed(std::string_view worker, const Error& error, Micros wait) override;
    void recovered(std::string_view worker) override;
    void quarantined(const Quarantined& schedule) override;
    void released(const Quarantined& schedule) override;

    [[nodiscard]] HealthReading read() const;

private:
    struct FailureTracker {
        Error error;
        Instant since = {};
        std::optional<Instant> away_since = {};
        int tries = 0;
    };

    const Clock& clock_;
    mutable Mutex mutex_;
    std::map<std::string, FailureTracker, std::less<>> troubles_ BELFRY_GUARDED_BY(mutex_);
    std::map<std::tuple<std::int64_t, std::string, std::string>, Quarantined> quarantined_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::engine
