// Where the embedded store lives when nobody says.
#pragma once

#include <map>
#include <string>

#include "base/result.hpp"

namespace belfry::app {

// What systemd gives a service, else the folder of the system for root, else the user's own, as the XDG rules have it.
[[nodiscard]] std::string default_data_folder(const std::map<std::string, std::string>& environment, bool root);

// Makes the folder, for its owner only: the store holds what schedules pass on, secrets among it. Errors say what to do.
[[nodiscard]] Result<void> make_data_folder(const std::string& folder);

}  // namespace belfry::app
