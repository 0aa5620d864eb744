// Opens the store that the settings name.
#pragma once

#include <memory>

#include "app/settings/settings.hpp"
#include "spec/zone/zone_database.hpp"
#include "store/store.hpp"

namespace belfry::app {

// Creates the data folder, and the schema of an empty store. The error is `unavailable` if a retry may help; otherwise
// a person must act, and the message describes how.
[[nodiscard]] Result<std::unique_ptr<store::Store>> open_store(const Settings& settings,
                                                               const spec::ZoneDatabase& zones);

// The store's limits from the settings.
[[nodiscard]] store::StoreLimits store_limits(const Settings& settings);

// Whether the store is on a server and may become available by itself. A file that cannot be opened stays that way.
[[nodiscard]] bool is_remote(const Settings& settings);

// Whether the store exists. For a remote store this is unknown before a connection: true.
[[nodiscard]] bool exists(const Settings& settings);

}  // namespace belfry::app
