// Several thousand schedules in two tenants, with runs, tasks, leases, events and everything else that grows: enough
// that reading a whole table costs more than an index.
#pragma once

#include "contract/store_faults_world.hpp"

namespace belfry::store {

// The tables that grow with schedules, runs and time. The others hold a few rows for each tenant or server.
[[nodiscard]] const std::vector<std::string>& growing_tables();

// REQUIRES: an empty store.
void fill_store(Store& store);

}  // namespace belfry::store
