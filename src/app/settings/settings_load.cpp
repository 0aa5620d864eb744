#include "app/settings/settings_load.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "api/http/browser_guard.hpp"
#include "app/server/data_folder.hpp"
#include "app/settings/toml_file.hpp"
#include "base/text/ascii.hpp"

namespace belfry::app {

namespace {

constexpr std::string_view kPrefix = "BELFRY_";
constexpr const char* kConfigVariable = "BELFRY_CONFIG";

struct Given {
    std::string text;
    std::string origin;  // for `belfry config show`
    std::string place;   // for error messages
};
using GivenByName = std::map<std::string, Given, std::less<>>;

std::string variable_in(const Environment& environment, const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
}

std::string old_name_warning(const std::string& place, std::string_view name) {
    return place + " is an old name of the setting " + std::string(name) + ": use the new one";
}

// The name that a setting has today.
std::string current_name(const std::string& key, const std::string& place, std::vector<std::string>& warnings) {
    const auto found = std::ranges::find(old_setting_names(), key, &OldName::old_name);
    if (found == old_setting_names().end()) return key;
    warnings.push_back(old_name_warning(place, found->name));
    return std::string(found->name);
}

// Rejects unknown keys, because a misspelt setting would otherwise be ignored silently.
Result<GivenByName> from_file(const std::string& path, const std::string& named_by,
                              std::vector<std::string>& warnings) {
    auto entries = read_toml(path);
    if (!entries) return invalid(named_by + ": " + entries.error().message);
    GivenByName given;
    for (const auto& entry : *entries) {
        const auto place = entry.key + " in " + path;
        const auto name = current_name(entry.key, place, warnings);
        if (find_setting(name) == nullptr)
            return invalid("unknown setting " + in_quotes(entry.key) + " in " + path + setting_hint(entry.key));
        if (!entry.value) return invalid(place + ": " + entry.value.error().message);
        given[name] = {*entry.value, path, place};
    }
    return given;
}

void add_environment(const Environment& environment, GivenByName& given, std::vector<std::string>& warnings) {
    for (const auto& [old_name, name] : old_setting_names()) {
        const auto variable = variable_of(old_name);
        const auto text = variable_in(environment, variable);
        if (text.empty()) continue;
        warnings.push_back(old_name_warning(variable, name));
        given[std::string(name)] = {text, variable, variable};
    }
    for (const auto& setting : settings_table()) {
        const auto name = setting.variable();
        // Empty means unset, for files that list every variable.
        if (const auto text = variable_in(environment, name); !text.empty())
            given[std::string(setting.name)] = {text, name, name};
    }
}

// Variables that start with BELFRY_ but are not settings.
bool is_of_others(std::string_view name) {
    // Those of the command line, and those that a worker gives to its commands, which may run belfry themselves.
    constexpr std::array<std::string_view, 13> kOthers{
        kConfigVariable,   "BELFRY_URL",      "BELFRY_TOKEN",       "BELFRY_TENANT",    "BELFRY_CONTEXT",
        "BELFRY_CONTEXTS", "BELFRY_RUN_ID",   "BELFRY_NODE",        "BELFRY_TASK_KIND", "BELFRY_IDEMPOTENCY_KEY",
        "BELFRY_ATTEMPT",  "BELFRY_SCHEDULE", "BELFRY_SCHEDULED_AT"};
    return name.starts_with("BELFRY_TEST_") || std::ranges::find(kOthers, name) != kOthers.end();
}

// Only a warning: Kubernetes creates variables such as BELFRY_SERVICE_HOST for a service of that name.
std::vector<std::string> unknown_variables(const Environment& environment) {
    std::vector<std::string> warnings;
    for (const auto& [name, text] : environment) {
        if (!name.starts_with(kPrefix) || is_of_others(name)) continue;
        const auto meant = lower_case(std::string_view(name).substr(kPrefix.size()));
        if (std::ranges::find(old_setting_names(), meant, &OldName::old_name) != old_setting_names().end()) continue;
        if (find_setting(meant) == nullptr)
            warnings.push_back("the environment variable " + name + " is not a setting" + setting_hint(meant));
    }
    return warnings;
}

Result<LoadedSettings> read_all(const GivenByName& given) {
    LoadedSettings loaded;
    for (const auto& setting : settings_table()) {
        const auto found = given.find(setting.name);
        auto value = found == given.end() ? Given{std::string(setting.fallback), "default", std::string(setting.name)}
                                          : found->second;
        const bool left_open = found == given.end() && setting.fallback.empty();
        if (!left_open) {
            if (auto read = setting.read(value.text, loaded.values); !read)
                return invalid(value.place + ": " + read.error().message);
        }
        loaded.effective.push_back({&setting, std::move(value.text), std::move(value.origin)});
    }
    return loaded;
}

// Fills in the two defaults that depend on other settings.
void fill_in(LoadedSettings& loaded, const Environment& environment) {
    auto& values = loaded.values;
    if (values.data_dir.empty()) values.data_dir = default_data_folder(environment, ::geteuid() == 0);
    if (values.store.empty()) values.store = "sqlite:" + values.data_dir + "/belfry.db";
    for (auto& each : loaded.effective) {
        if (each.setting->name == "data_dir") each.text = values.data_dir;
        if (each.setting->name == "store") each.text = values.store;
    }
}

// Validates the combination of the TLS settings.
Result<void> check_tls(const api::TlsOptions& tls) {
    if (tls.certificate_file.empty() != tls.key_file.empty())
        return invalid("tls_certificate and tls_key belong together: set both or none");
    if (tls.client_auth != api::ClientAuth::none && tls.certificate_file.empty()) {
        return invalid("tls_client_auth requires TLS: set tls_certificate and tls_key");
    }
    if (tls.client_auth != api::ClientAuth::none && tls.client_ca_file.empty()) {
        return invalid("tls_client_auth requires the authorities of client certificates: set tls_client_ca");
    }
    if (tls.client_auth == api::ClientAuth::none && !tls.client_ca_file.empty()) {
        return invalid(
            "tls_client_ca has no effect while tls_client_auth is none: set tls_client_auth to optional or required");
    }
    return {};
}

// Events are removed only after they are in a file.
Result<void> check_archive(const Settings& settings) {
    if (settings.keep_events_for && settings.events_archive_dir.empty())
        return invalid("keep_events_days needs a folder for the archived events: set events_archive_dir");
    return {};
}

// On an open server, or with a browser's client certificate, any page could act as the user without a secret of its
// own.
Result<void> check_origins(const Settings& settings) {
    if (std::ranges::find(settings.allowed_origins, api::kAnyOrigin) == settings.allowed_origins.end()) return {};
    if (settings.auth == api::auth::AuthMode::off) {
        return invalid(
            "allowed_origins = * lets every page act as the owner while auth is off: list the origins, or set auth to "
            "required");
    }
    if (settings.tls.client_auth != api::ClientAuth::none) {
        return invalid(
            "allowed_origins = * lets every page use a browser's certificate (tls_client_auth): list the origins");
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
    std::vector<std::string> warnings;
    const auto by_variable = variable_in(sources.environment, kConfigVariable);
    const auto& path = sources.config.empty() ? by_variable : sources.config;
    if (!path.empty()) {
        auto read = from_file(path, sources.config.empty() ? kConfigVariable : "--config", warnings);
        if (!read) return read.error();
        given = std::move(*read);
    }
    add_environment(sources.environment, given, warnings);
    for (const auto& [flag, text] : sources.flags) {
        const auto name = current_name(flag, flag_of(flag), warnings);
        given[name] = {text, flag_of(flag), flag_of(flag)};
    }
    auto loaded = read_all(given);
    if (!loaded) return loaded;
    if (auto checked = check_tls(loaded->values.tls); !checked) return checked.error();
    if (auto checked = check_origins(loaded->values); !checked) return checked.error();
    if (auto checked = check_archive(loaded->values); !checked) return checked.error();
    fill_in(*loaded, sources.environment);
    loaded->values.config_file = path;
    loaded->warnings = unknown_variables(sources.environment);
    loaded->warnings.insert(loaded->warnings.end(), warnings.begin(), warnings.end());
    return loaded;
}

}  // namespace belfry::app
