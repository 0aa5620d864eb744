// The files that hold the server's secrets or control what it does. Commands cannot read them.
#pragma once

#include <string>
#include <vector>

#include "app/settings/settings.hpp"

namespace belfry::app {

// Absolute paths, existing or not: the keys, the database, and every file that the settings name.
[[nodiscard]] std::vector<std::string> private_files(const Settings& settings);

}  // namespace belfry::app
