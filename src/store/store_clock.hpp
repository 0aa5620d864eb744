// The clock that all servers of a store share: the database's with PostgreSQL, the machine's otherwise.
#pragma once

#include "base/result.hpp"
#include "base/time/instant.hpp"

namespace belfry::store {

// The interfaces of the store inherit it virtually, so that a part that gets one of them can also read the time.
class StoreClock {
public:
    virtual ~StoreClock() = default;

    // It decides what is due.
    virtual Result<Instant> now() = 0;
};

}  // namespace belfry::store
