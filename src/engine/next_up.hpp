// The schedules of a tenant by when they fire next, page by page, however many there are: the ticker has the order in memory,
// the store the schedules. Thread-safe.
#pragma once

#include <optional>
#include <string>

#include "engine/ticker.hpp"
#include "store/store.hpp"

namespace belfry::engine {

class NextUp {
public:
    // REQUIRES: both outlive it.
    NextUp(store::Store& store, const Ticker& ticker) : store_(store), ticker_(ticker) {}

    // Those that fire until then, the soonest first; those that never fire again or are paused are in no page. Somebody else
    // may change a schedule meanwhile: what a page says of one is what the store said when it was asked. A page may be
    // shorter than asked for and still have a `next`. Unavailable until the ticker has seen all schedules once.
    [[nodiscard]] Result<store::Listing<store::ScheduleRecord>> page(const std::string& tenant, std::optional<Instant> until,
                                                                     const store::Page& page) const;

private:
    store::Store& store_;
    const Ticker& ticker_;
};

}  // namespace belfry::engine
