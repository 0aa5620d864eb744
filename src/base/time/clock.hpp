// The source of the current time. Code that needs the time takes a Clock, so that tests and simulations can replace it.
#pragma once

#include "base/time/instant.hpp"

namespace belfry {

class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual Instant now() const = 0;
};

// The machine's wall clock.
class SystemClock final : public Clock {
public:
    [[nodiscard]] Instant now() const override {
        return std::chrono::time_point_cast<Micros>(std::chrono::system_clock::now());
    }
};

// Monotonic time, which steps of the wall clock do not affect, for leases and measurements. Its origin is arbitrary.
class SteadyClock {
public:
    virtual ~SteadyClock() = default;
    [[nodiscard]] virtual Micros now() const = 0;
};

// The machine's monotonic clock.
class SystemSteadyClock final : public SteadyClock {
public:
    [[nodiscard]] Micros now() const override {
        return std::chrono::duration_cast<Micros>(std::chrono::steady_clock::now().time_since_epoch());
    }
};

}  // namespace belfry
