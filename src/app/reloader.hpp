// Reads the settings again while the server runs: applies what can be changed, and says what needs a restart.
// Called by one thread at a time.
#pragma once

#include <functional>

#include "app/settings_load.hpp"

namespace belfry::app {

class Reloader {
public:
    // `files`: reads again what the settings only name, for example certificates; called whether the settings can be read or not.
    // REQUIRES: the log outlives it.
    Reloader(SettingSources sources, LoadedSettings applied, Log& log, std::function<void()> files)
        : sources_(std::move(sources)), applied_(std::move(applied)), log_(log), files_(std::move(files)) {}

    void reload();

private:
    void apply();
    void compare(const EffectiveSetting& before, const EffectiveSetting& now);

    const SettingSources sources_;
    LoadedSettings applied_;
    Log& log_;
    std::function<void()> files_;
};

}  // namespace belfry::app
