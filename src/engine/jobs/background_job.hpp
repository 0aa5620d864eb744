// A part of the engine that works in small steps. It has no thread of its own: a Service runs its steps on a thread,
// a simulation in virtual time, a test by hand.
#pragma once

#include <string_view>

#include "base/time/instant.hpp"

namespace belfry::engine {

class BackgroundJob {
public:
    virtual ~BackgroundJob() = default;
    [[nodiscard]] virtual std::string_view name() const = 0;  // for threads, logs and health

    // Does one bounded piece of work. Returns how long to wait before the next step; zero means that more work is
    // ready. The caller may step earlier. The job handles store failures itself: it waits and retries.
    virtual Micros step() = 0;
};

}  // namespace belfry::engine
