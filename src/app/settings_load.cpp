#include "app/settings_load.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "app/data_folder.hpp"
#include "app/toml_file.hpp"
#include "base/ascii.hpp"

namespace belfry::app {

namespace {

constexpr std::string_view kPrefix = "BELFRY_";
constexpr const char* kConfigVariable = "BELFRY_CONFIG";

struct Given {
    std::string text;
    std::string origin;  // as `belfry config show` says it
    std::string place;   // as an error says it
};
using GivenByName = std::map<std::string, Given, std::less<>>;

std::string variable_in(const Environment& environment, const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
}

// Misspelt keys are refused: whoever wrote the file meant something by them.
Result<GivenByName> from_file(const std::string& path, const std::string& named_by) {
    auto entries = read_toml(path);
    if (!entries) return invalid(named_by + ": " + entries.error().message);
    GivenByName given;
    for (const auto& entry : *entries) {
        const auto place = entry.key + " in " + path;
        if (find_setting(entry.key) == nullptr) return invalid("unknown setting " + in_quotes(entry.key) + " in " + path + setting_hint(entry.key));
        if (!entry.value) return invalid(place + ": " + entry.value.error().message);
        given[entry.key] = {*entry.value, path, place};
    }
    return given;
}

void add_environment(const Environment& environment, GivenByName& given) {
    for (const auto& setting : settings_table()) {
        const auto name = setting.variable();
        // Empty means unset, as it is written in files that list every variable.
        if (const auto text = variable_in(environment, name); !text.empty()) given[std::string(setting.name)] = {text, name, name};
    }
}

// Variables of the client, of the tests, and of whoever runs several Belfries.
bool is_of_others(std::string_view name) {
    // Those of the command line, and those that a worker gives to its commands, which may call Belfry themselves.
    constexpr std::array<std::string_view, 11> kOthers{kConfigVariable,  "BELFRY_URL",      "BELFRY_TOKEN",       "BELFRY_TENANT",
                                                       "BELFRY_RUN_ID",  "BELFRY_NODE",     "BELFRY_TASK_KIND",   "BELFRY_IDEMPOTENCY_KEY",
                                                       "BELFRY_ATTEMPT", "BELFRY_SCHEDULE", "BELFRY_SCHEDULED_AT"};
    return name.starts_with("BELFRY_TEST_") || std::ranges::find(kOthers, name) != kOthers.end();
}

// Only a warning: Kubernetes makes variables such as BELFRY_SERVICE_HOST for a service of that name.
std::vector<std::string> unknown_variables(const Environment& environment) {
    std::vector<std::string> warnings;
    for (const auto& [name, text] : environment) {
        if (!name.starts_with(kPrefix) || is_of_others(name)) continue;
        const auto meant = lower_case(std::string_view(name).substr(kPrefix.size()));
        if (find_setting(meant) == nullptr) warnings.push_back("the environment variable " + name + " is no setting" + setting_hint(meant));
    }
    return warnings;
}

Result<LoadedSettings> read_all(const GivenByName& given) {
    LoadedSettings loaded;
    for (const auto& setting : settings_table()) {
        const auto found = given.find(setting.name);
        auto value = found == given.end() ? Given{std::string(setting.fallback), "default", std::string(setting.name)} : found->second;
        const bool left_open = found == given.end() && setting.fallback.empty();
        if (!left_open) {
            if (auto read = setting.read(value.text, loaded.values); !read) return invalid(value.place + ": " + read.error().message);
        }
        loaded.effective.push_back({&setting, std::move(value.text), std::move(value.origin)});
    }
    return loaded;
}

// The two defaults that depend on the others.
void fill_in(LoadedSettings& loaded, const Environment& environment) {
    auto& values = loaded.values;
    if (values.data_dir.empty()) values.data_dir = default_data_folder(environment, ::geteuid() == 0);
    if (values.store.empty()) values.store = "sqlite:" + values.data_dir + "/belfry.db";
    for (auto& each : loaded.effective) {
        if (each.setting->name == "data_dir") each.text = values.data_dir;
        if (each.setting->name == "store") each.text = values.store;
    }
}

// What the settings of TLS ask of each other.
Result<void> check_tls(const api::TlsOptions& tls) {
    if (tls.certificate_file.empty() != tls.key_file.empty()) return invalid("tls_certificate and tls_key go together: set both or none");
    if (tls.client_auth != api::ClientAuth::none && tls.certificate_file.empty()) {
        return invalid("tls_client_auth needs TLS: set tls_certificate and tls_key");
    }
    if (tls.client_auth != api::ClientAuth::none && tls.client_ca_file.empty()) {
        return invalid("tls_client_auth needs to know whose certificates are good: set tls_client_ca");
    }
    if (tls.client_auth == api::ClientAuth::none && !tls.client_ca_file.empty()) {
        return invalid("tls_client_ca does nothing while tls_client_auth is none: say optional or required");
    }
    return {};
}

}  // namespace

Environment process_environment() {
    Environment environment;
    for (char** each = environ; *each != nullptr; ++each) {
        const std::string_view text = *each;
        const auto equals = text.find('=');
        if (equals != std::string_view::npos) environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return environment;
}

Result<LoadedSettings> load_settings(const SettingSources& sources) {
    GivenByName given;
    const auto by_variable = variable_in(sources.environment, kConfigVariable);
    const auto& path = sources.config.empty() ? by_variable : sources.config;
    if (!path.empty()) {
        auto read = from_file(path, sources.config.empty() ? kConfigVariable : "--config");
        if (!read) return read.error();
        given = std::move(*read);
    }
    add_environment(sources.environment, given);
    for (const auto& [name, text] : sources.flags) {
        const auto* const setting = find_setting(name);
        given[name] = {text, setting->flag(), setting->flag()};
    }
    auto loaded = read_all(given);
    if (!loaded) return loaded;
    if (auto checked = check_tls(loaded->values.tls); !checked) return checked.error();
    fill_in(*loaded, sources.environment);
    loaded->warnings = unknown_variables(sources.environment);
    return loaded;
}

}  // namespace belfry::app
