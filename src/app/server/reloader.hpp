// Reads the settings again while the server runs. It applies those that can change, and logs those that need a restart.
// One thread at a time may call it.
#pragma once

#include <functional>

#include "app/settings/settings_load.hpp"

namespace belfry::app {

class Reloader {
public:
    // `files` reloads files that the settings name, such as certificates. It runs even if the settings cannot be read.
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
