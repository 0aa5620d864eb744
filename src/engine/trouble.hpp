// What every worker does when its store fails: tell, wait longer each time, and tell again when it works. Not thread-safe.
#pragma once

#include <string>

#include "base/backoff.hpp"
#include "engine/observer.hpp"

namespace belfry::engine {

class Trouble {
public:
    // REQUIRES: the observer outlives it.
    Trouble(std::string worker, Observer& observer, Backoff::Random random)
        : worker_(std::move(worker)), observer_(observer), backoff_(std::move(random)) {}

    // How long to wait.
    Micros meet(const Error& error) {
        const auto wait = backoff_.next();
        observer_.failed(worker_, error, wait);
        return wait;
    }
    void pass() {
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
