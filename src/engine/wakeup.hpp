// A bell for a thread that sleeps. Thread-safe.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "base/instant.hpp"

namespace belfry::engine {

class Wakeup {
public:
    // Ends a wait that goes on, or else the next one.
    void ring();

    // Returns when it was rung, when the time is over, or when a stop was asked for.
    void wait(Micros at_most, const std::stop_token& stop);

private:
    std::mutex mutex_;
    std::condition_variable_any bell_;
    bool rung_ = false;
};

}  // namespace belfry::engine
