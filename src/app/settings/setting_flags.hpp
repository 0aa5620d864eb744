// Adds settings as flags to a command.
#pragma once

#include <CLI/App.hpp>
#include <initializer_list>

#include "app/settings/settings_load.hpp"

namespace belfry::app {

// Adds --config and the flags of the named settings; without names, of all. The parsed values go to `sources`.
// REQUIRES: `sources` outlives the parsing.
void add_setting_flags(CLI::App& command, SettingSources& sources, std::initializer_list<std::string_view> names = {});

}  // namespace belfry::app
