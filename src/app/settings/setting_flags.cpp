#include "app/settings/setting_flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace belfry::app {

void add_setting_flags(CLI::App& command, SettingSources& sources, std::initializer_list<std::string_view> names) {
    command.add_option("--config", sources.config, "TOML file with settings; also BELFRY_CONFIG")->type_name("FILE");
    for (const auto& setting : settings_table()) {
        if (names.size() > 0 && std::ranges::find(names, setting.name) == names.end()) continue;
        const auto fallback = setting.fallback.empty() ? std::string() : " [" + std::string(setting.fallback) + "]";
        command
            .add_option_function<std::string>(
                setting.flag(),
                [&sources, &setting](const std::string& text) { sources.flags[std::string(setting.name)] = text; },
                std::string(setting.help) + fallback)
            ->type_name(std::string(setting.value));
    }
    for (const auto& [old_name, name] : old_setting_names()) {
        if (names.size() > 0 && std::ranges::find(names, name) == names.end()) continue;
        command
            .add_option_function<std::string>(flag_of(old_name),
                                              [&sources, old_name = std::string(old_name)](const std::string& text) {
                                                  sources.flags[old_name] = text;
                                              })
            ->group("");  // not in the help
    }
}

}  // namespace belfry::app
