// Wakes a sleeping thread. Thread-safe.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "base/time/instant.hpp"

namespace belfry::engine {

class Wakeup {
public:
    // Ends the current wait, or else the next one.
    void ring();

    // Returns after ring(), after the time, or after a stop request.
    void wait(Micros at_most, const std::stop_token& stop);

private:
    std::mutex mutex_;
    std::condition_variable_any bell_;
    bool rung_ = false;
};

}  // namespace belfry::engine
