// Limits of the executor.
#pragma once

#include <cstddef>

#include "base/time/instant.hpp"

namespace belfry::engine {

struct ExecutorOptions {
    std::size_t http_calls = 32;                        // concurrent calls
    std::chrono::milliseconds http_timeout{3'600'000};  // the longest call, even if the task requests more
    std::size_t commands = 4;
    Micros lease = Seconds{30};        // renewed after a third of it
    Micros look_every = Seconds{5};    // for tasks of recently active tenants, even without a notification
    Micros sweep_every = Seconds{30};  // for tasks of all tenants
    Micros drain = Seconds{1};         // how long running calls may continue at shutdown
};

}  // namespace belfry::engine
