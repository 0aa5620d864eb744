// What every background job does when its store fails: report the failure, wait longer each time, and report the
// recovery. Not thread-safe.
#pragma once

#include <string>

#include "base/time/backoff.hpp"
#include "engine/telemetry/observer.hpp"

namespace belfry::engine {

class FailureTracker {
public:
    // REQUIRES: the observer outlives it.
    FailureTracker(std::string worker, Observer& observer, Backoff::Random random)
        : worker_(std::move(worker)), observer_(observer), backoff_(std::move(random)) {}

    // Returns how long to wait.
    Micros on_error(const Error& error) {
        const auto wait = backoff_.next();
        observer_.failed(worker_, error, wait);
        return wait;
    }
    void on_success() {
        if (backoff_.failures() == 0) return;
        backoff_.reset();
        observer_.recovered(worker_);
    }

private:
    std::string worker_;
    Observer& observer_;
    Backoff backoff_;
};

}  // namespace belfry::engine
