// Loads the settings. Flags take precedence over the environment, and the environment over the file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/settings/settings.hpp"
#include "base/process/process.hpp"

namespace belfry::app {

// The environment of this process.
[[nodiscard]] Environment process_environment();

struct SettingSources {
    std::map<std::string, std::string> flags = {};  // by setting name
    std::string config = {};                        // --config; empty: BELFRY_CONFIG, or no file
    Environment environment = {};
};

// The effective value of a setting and its origin: `default`, `--tick-ms`, `BELFRY_TICK_MS`, `belfry.toml`.
struct EffectiveSetting {
    const Setting* setting = nullptr;
    std::string text;
    std::string origin;
};

struct LoadedSettings {
    Settings values;
    std::vector<EffectiveSetting> effective;  // all settings, in the order of the table
    std::vector<std::string> warnings;        // about names that look like settings
};

// Errors name the setting and its origin: `tick_ms in belfry.toml: …`, `BELFRY_LISTEN: …`.
[[nodiscard]] Result<LoadedSettings> load_settings(const SettingSources& sources);

}  // namespace belfry::app
