// The folder of the embedded store, if the settings name none.
#pragma once

#include <map>
#include <string>

#include "base/result.hpp"

namespace belfry::app {

// The folder that systemd gives a service; otherwise $XDG_DATA_HOME/belfry, /var/lib/belfry for root, or the user's
// own.
[[nodiscard]] std::string default_data_folder(const std::map<std::string, std::string>& environment, bool root);

// Creates the folder, with access for its owner only, because the inputs of schedules may hold secrets. Errors name the
// fix.
[[nodiscard]] Result<void> make_data_folder(const std::string& folder);

}  // namespace belfry::app
