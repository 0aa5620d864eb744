// What the server can be told, as one table: from a name follow its flag (--tick-ms), its environment variable
// (BELFRY_TICK_MS) and its key in the TOML file (tick_ms). docs/reference/settings.md is printed from it. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/auth/exposure.hpp"
#include "api/tls_options.hpp"
#include "base/address.hpp"
#include "base/instant.hpp"
#include "base/log.hpp"
#include "model/schedule_defaults.hpp"

namespace belfry::app {

// The defaults are those of the table: load_settings reads every one of them.
struct Settings {
    std::string listen;   // HOST:PORT
    api::TlsOptions tls;  // without a certificate: plain HTTP
    std::vector<std::string> allowed_hosts;
    api::auth::AuthMode auth = api::auth::AuthMode::automatic;
    std::string auth_file;        // empty: none
    std::int64_t rate_limit = 0;  // requests a second of one principal; 0: no limit
    std::string data_dir;         // empty: what the environment suggests
    std::string store;            // empty: a file in the data folder
    Seconds min_interval{};
    bool strict_targets = false;
    std::chrono::milliseconds tick{};
    std::chrono::milliseconds lookahead{};
    int max_catchup_per_tick = 0;
    model::ScheduleDefaults defaults;
    int tick_lanes = 0;
    std::chrono::milliseconds help_after{};
    Seconds sweep{};
    std::optional<Seconds> keep_runs_for;
    std::optional<std::int64_t> keep_runs_per_schedule;
    std::optional<Seconds> keep_deleted_for;
    std::optional<Seconds> keep_dead_letters_for;
    std::optional<Seconds> keep_archive_for;
    Seconds keep_backfills_for{};
    Seconds keep_request_keys_for{};
    Seconds keep_feed_for{};
    Seconds keep_deliveries_for{};
    std::chrono::days keep_usage_for{};
    Seconds keep_revoked_keys_for{};
    std::int64_t keep_workflow_versions = 0;
    Seconds lease{};
    Seconds shutdown_delay{};
    Seconds clock_step_confirm{};
    Seconds drain{};
    int http_threads = 0;
    int postgres_connections = 0;
    std::int64_t schedules_per_tenant = 0;
    Seconds task_timeout{};
    Seconds run_timeout{};
    std::optional<std::int64_t> run_tokens_max;
    std::optional<std::int64_t> run_tool_calls_max;
    std::vector<Network> outgoing_allow;
    std::string outgoing_ca_file;  // empty: the system's authorities
    std::string secret_key_file;   // empty: for a file as the store, one in the data folder
    int http_task_calls = 0;
    std::string commands_file;  // empty: command tasks are switched off
    int command_tasks = 0;
    std::string connections_file;    // empty: there are no connections
    std::string default_connection;  // empty: tasks stay unless somebody says otherwise
    std::string default_tenant;
    LogLevel log_level = LogLevel::info;
    LogFormat log_format = LogFormat::text;
};

struct Setting {
    std::string_view name;
    std::string_view value;     // what is written: MS, N, LEVEL
    std::string_view fallback;  // the default, as it would be written; empty: `help` says which
    std::string_view help;
    Result<void> (*read)(std::string_view text, Settings& settings);
    bool reloads = false;  // SIGHUP changes it while the server runs

    [[nodiscard]] std::string flag() const;
    [[nodiscard]] std::string variable() const;
};

[[nodiscard]] std::span<const Setting> settings_table();

// Nothing when there is no such setting.
[[nodiscard]] const Setting* find_setting(std::string_view name);

// `: did you mean tick_ms?`, or nothing.
[[nodiscard]] std::string setting_hint(std::string_view name);

}  // namespace belfry::app
