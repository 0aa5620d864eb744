// Counts the runs that this store has dispatched for tenants without their own limit, and remembers which tenants
// have reached the default. These runs are not counted in transactions: docs/adr/0023-measured-limits.md.
// Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/concurrency/mutex.hpp"

namespace belfry::store::sql {

class UsageMemory {
public:
    using TenantDay = std::pair<std::int64_t, std::int64_t>;  // the tenant's key, and the day
    using Runs = std::map<TenantDay, std::int64_t>;

    void add(const Runs& runs);
    // Returns and clears the counts since the last call.
    [[nodiscard]] Runs take();
    [[nodiscard]] std::int64_t waiting(const TenantDay& day) const;

    // The tenants with runs that this store has dispatched on that day. Drops other days.
    [[nodiscard]] std::set<std::int64_t> seen(std::int64_t day);

    // A tenant that has reached the default: how many runs were counted, of how many.
    struct Exhausted {
        std::int64_t used = 0;
        std::int64_t most = 0;
    };
    using ExhaustedDays = std::map<TenantDay, Exhausted>;
    void put_exhausted(ExhaustedDays exhausted);
    [[nodiscard]] std::optional<Exhausted> exhausted(const TenantDay& day) const;

private:
    mutable Mutex mutex_;
    Runs waiting_ BELFRY_GUARDED_BY(mutex_);
    std::set<TenantDay> seen_ BELFRY_GUARDED_BY(mutex_);
    ExhaustedDays exhausted_ BELFRY_GUARDED_BY(mutex_);
};

}  // namespace belfry::store::sql
