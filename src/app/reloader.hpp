// Reads the settings again while the server runs: applies what can be changed, and says what needs a restart.
// Called by one thread at a time.
#pragma once

#include "app/settings_load.hpp"

namespace belfry::app {

class Reloader {
public:
    // REQUIRES: the log outlives it.
    Reloader(SettingSources sources, LoadedSettings applied, Log& log) : sources_(std::move(sources)), applied_(std::move(applied)), log_(log) {}

    void reload();

private:
    void compare(const EffectiveSetting& before, const EffectiveSetting& now);

    const SettingSources sources_;
    LoadedSettings applied_;
    Log& log_;
};

}  // namespace belfry::app
