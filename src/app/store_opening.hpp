// Opens the store that the settings name.
#pragma once

#include <memory>

#include "app/settings.hpp"
#include "spec/zone_database.hpp"
#include "store/store.hpp"

namespace belfry::app {

// Makes the data folder and the schema of an empty store. Errors: unavailable when trying again may help, others when a
// person has to do something, which they say.
[[nodiscard]] Result<std::unique_ptr<store::Store>> open_store(const Settings& settings, const spec::ZoneDatabase& zones);

// Whether the store is somewhere else and may come back by itself: a file that cannot be opened stays that way.
[[nodiscard]] bool is_remote(const Settings& settings);

// Whether there is anything to open yet. Of a store somewhere else nobody knows before it is asked: yes.
[[nodiscard]] bool exists(const Settings& settings);

}  // namespace belfry::app
