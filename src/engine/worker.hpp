// A part of the engine that works in small steps. It has no thread of its own: a Service runs its steps on one, a simulation
// in virtual time, a test by hand.
#pragma once

#include <string_view>

#include "base/instant.hpp"

namespace belfry::engine {

class Worker {
public:
    virtual ~Worker() = default;
    [[nodiscard]] virtual std::string_view name() const = 0;  // for threads, logs and health

    // Does one bounded piece of work and says after how long it wants to be asked again; zero: at once, more is waiting.
    // It may be asked earlier. Failures of the store are its own business: it waits and tries again.
    virtual Micros step() = 0;
};

}  // namespace belfry::engine
