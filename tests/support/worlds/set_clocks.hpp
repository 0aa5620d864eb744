// Clocks that stand until they are moved.
#pragma once

#include "base/time/clock.hpp"

namespace belfry::test {

class SetClock final : public Clock {
public:
    explicit SetClock(Instant start) : at(start) {}
    [[nodiscard]] Instant now() const override { return at; }
    Instant at;
};

class SetSteadyClock final : public SteadyClock {
public:
    [[nodiscard]] Micros now() const override { return at; }
    Micros at = Seconds{1'000};
};

}  // namespace belfry::test
