// What is known to be wrong with the engine at this moment. Thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "engine/observer.hpp"

namespace belfry::engine {

// A worker that failed and has not succeeded since.
struct TroubledWorker {
    std::string name;
    Error error;  // the newest
    Instant since = {};
    int tries = 0;
};

struct HealthReading {
    std::vector<TroubledWorker> workers = {};      // by name
    std::optional<Instant> store_away_since = {};  // nothing: the store answers, or nobody has asked it
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
    struct Trouble {
        Error error;
        Instant since = {};
        std::optional<Instant> away_since = {};
        int tries = 0;
    };

    const Clock& clock_;
    mutable Mutex mutex_;
    std::map<std::string, Trouble, std::less<>> troubles_ BELFRY_GUARDED_BY(mutex_);
    std::map<std::tuple<std::int64_t, std::string, std::string>, Quarantined> quarantined_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::engine
