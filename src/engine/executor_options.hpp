// How much the executor does at once.
#pragma once

#include <cstddef>

#include "base/instant.hpp"

namespace belfry::engine {

struct ExecutorOptions {
    std::size_t http_calls = 32;  // side by side
    std::size_t commands = 4;
    Micros lease = Seconds{30};        // prolonged at a third of it
    Micros look_every = Seconds{5};    // for tasks of tenants that had some lately, whatever was announced
    Micros sweep_every = Seconds{30};  // for those of all tenants
    Micros drain = Seconds{1};         // when it ends, how long calls may go on
};

}  // namespace belfry::engine
