// Lists the schedules of a tenant by their next fire time, page by page. The ticker has the order in memory, the
// store has the schedules. Thread-safe.
#pragma once

#include <optional>
#include <string>

#include "engine/jobs/ticker.hpp"
#include "store/store_reader.hpp"
#include "store/tenant_store.hpp"

namespace belfry::engine {

class NextUp {
public:
    // REQUIRES: all of them outlive it.
    NextUp(store::StoreReader& schedules, store::TenantStore& tenants, const Ticker& ticker)
        : schedules_(schedules), tenants_(tenants), ticker_(ticker) {}

    // Returns the schedules that fire until then, soonest first. Paused schedules and those that never fire again are
    // in no page. A client may change a schedule meanwhile; each item is as the store returned it for this page. A
    // page may be shorter than requested and still have a `next`. Unavailable until the ticker has read all schedules
    // once.
    [[nodiscard]] Result<store::Listing<store::ScheduleRecord>> page(const std::string& tenant,
                                                                     std::optional<Instant> until,
                                                                     const store::Page& page) const;

private:
    store::StoreReader& schedules_;
    store::TenantStore& tenants_;
    const Ticker& ticker_;
};

}  // namespace belfry::engine
