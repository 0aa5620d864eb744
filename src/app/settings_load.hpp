// Settings from where people write them: a flag wins over the environment, the environment over the file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/settings.hpp"
#include "base/process.hpp"

namespace belfry::app {

// The one of this process.
[[nodiscard]] Environment process_environment();

struct SettingSources {
    std::map<std::string, std::string> flags = {};  // by the name of the setting
    std::string config = {};                        // --config; empty: BELFRY_CONFIG, or no file
    Environment environment = {};
};

// A setting as it applies, and who said so: `default`, `--tick-ms`, `BELFRY_TICK_MS`, `belfry.toml`.
struct EffectiveSetting {
    const Setting* setting = nullptr;
    std::string text;
    std::string origin;
};

struct LoadedSettings {
    Settings values;
    std::vector<EffectiveSetting> effective;  // all of them, in the order of the table
    std::vector<std::string> warnings;        // what looks like a setting and is none
};

// Errors name the setting and where it came from: `tick_ms in belfry.toml: …`, `BELFRY_LISTEN: …`.
[[nodiscard]] Result<LoadedSettings> load_settings(const SettingSources& sources);

}  // namespace belfry::app
