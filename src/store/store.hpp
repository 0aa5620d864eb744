// The durable state of Belfry, as the engine uses it. Implementations: MemoryStore (the reference model), SqlStore
// (the same SQL for SQLite and PostgreSQL) and ObservedStore (measures another store). Thread-safe.
//
// Each interface that Store combines has its own header, with the contracts of its verbs. Take the narrowest one.
//
// Every call that changes something is one transaction: it takes effect completely or not at all. A call that decides
// locks the schedules, gathers the facts, calls the planner and applies its plan in that same transaction, so no
// decision uses stale facts. Alternatively it decides on a snapshot and applies the plan only if none of it has
// changed. The planner must not call the store, and the store may call it twice for one schedule.
//
// Errors: not_found, already_exists, conflict (another caller was first; nothing was changed), unavailable (nothing
// was changed; a retry may succeed), unknown (the connection broke during the commit, and the store could not
// determine the outcome: check before you retry), corrupt (a stored row cannot be read). Callers that pass a name or
// an id also pass the tenant: a record of another tenant is not_found.
#pragma once

#include <cstdint>
#include <string>

#include "store/cluster_store.hpp"
#include "store/housekeeping_store.hpp"
#include "store/schedule_store.hpp"
#include "store/store_reader.hpp"
#include "store/task_store.hpp"
#include "store/tenant_store.hpp"

namespace belfry::store {

// Default limits of a store.
struct StoreLimits {
    std::int64_t schedules_per_tenant = 10'000;                      // not deleted; a tenant may have its own limit
    std::int64_t runs_per_day_per_tenant = 10'000'000;               // for tenants without their own; see settle_usage
    std::int64_t stored_bytes_per_tenant = std::int64_t{20} << 30U;  // as measured; a tenant may have its own limit
    std::string default_connection = {};                             // for tasks whose definitions name none
    decide::RunCaps run = {};                                        // included in the facts of every decision
};

class Registry;

class Store : public ScheduleStore,
              public TaskStore,
              public TenantStore,
              public ClusterStore,
              public StoreReader,
              public HousekeepingStore {
public:
    // API keys, the feed and webhooks. Lives as long as the store.
    [[nodiscard]] virtual Registry& registry() = 0;
};

}  // namespace belfry::store
