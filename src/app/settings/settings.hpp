// All settings of the server, as one table. The name of a setting gives its flag (--tick-ms), its environment variable
// (BELFRY_TICK_MS) and its key in the TOML file (tick_ms). `belfry config reference` prints the table for
// docs/reference/settings.md. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/auth/exposure.hpp"
#include "api/http/tls/tls_options.hpp"
#include "base/log.hpp"
#include "base/net/address.hpp"
#include "base/time/instant.hpp"
#include "model/schedule/schedule_defaults.hpp"

namespace belfry::app {

// The defaults come from the table: load_settings reads every one of them.
struct Settings {
    std::string listen;   // HOST:PORT
    api::TlsOptions tls;  // without a certificate: plain HTTP
    std::vector<std::string> allowed_hosts;
    std::vector<std::string> allowed_origins;
    bool health_details_open = false;  // every caller sees all of /health and /readyz
    api::auth::AuthMode auth = api::auth::AuthMode::automatic;
    std::string config_file;      // the file with these settings; empty: none
    std::string auth_file;        // empty: none
    std::int64_t rate_limit = 0;  // requests per second of one principal; 0: no limit
    std::string data_dir;         // empty: the default for the environment
    std::string store;            // empty: a file in the data folder
    Seconds min_interval{};
    bool strict_targets = false;
    std::chrono::milliseconds tick{};
    std::chrono::milliseconds lookahead{};
    int max_catchup_per_tick = 0;
    model::ScheduleDefaults defaults;
    int tick_parallelism = 0;
    std::chrono::milliseconds help_after{};
    Seconds sweep{};
    std::optional<Seconds> keep_runs_for;
    std::optional<std::int64_t> keep_runs_per_schedule;
    std::optional<Seconds> keep_deleted_for;
    std::optional<Seconds> keep_dead_letters_for;
    std::optional<Seconds> keep_archive_for;
    std::optional<Seconds> keep_events_for;
    std::string events_archive_dir;  // empty only without keep_events_for
    Seconds keep_backfills_for{};
    Seconds keep_request_keys_for{};
    Seconds keep_feed_for{};
    std::int64_t feed_bytes_per_tenant = 0;
    Seconds keep_deliveries_for{};
    std::chrono::days keep_usage_for{};
    Seconds keep_revoked_keys_for{};
    std::int64_t keep_workflow_versions = 0;
    Seconds lease{};
    Seconds shutdown_delay{};
    Seconds clock_step_confirm{};
    Seconds drain{};
    int http_threads = 0;
    std::size_t connections_max = 0;
    std::size_t connections_per_address = 0;  // 0: three quarters of connections_max
    std::int64_t body_memory_mib = 0;
    std::int64_t answer_memory_mib = 0;
    std::size_t event_streams_max = 0;
    std::size_t waiting_claims_max = 0;
    int postgres_connections = 0;
    std::int64_t schedules_per_tenant = 0;
    std::int64_t runs_per_day_per_tenant = 0;
    std::int64_t stored_bytes_per_tenant = 0;
    std::int64_t definition_max = 0;  // bytes
    Seconds task_timeout{};
    Seconds run_timeout{};
    std::optional<std::int64_t> run_tokens_max;
    std::optional<std::int64_t> run_tool_calls_max;
    std::vector<Network> outgoing_allow;
    std::string outgoing_ca_file;  // empty: the system's authorities
    std::string secret_key_file;   // empty: with SQLite, a file in the data folder
    int signal_calls = 0;
    int http_task_calls = 0;
    Seconds http_task_timeout{};
    std::string commands_file;  // empty: command tasks are switched off
    int command_tasks = 0;
    std::string connections_file;    // empty: there are no connections
    std::string default_connection;  // empty: by default, tasks stay in the built-in queue
    std::string default_tenant;
    LogLevel log_level = LogLevel::info;
    LogFormat log_format = LogFormat::text;
};

// `--tick-ms` and `BELFRY_TICK_MS` for `tick_ms`.
[[nodiscard]] std::string flag_of(std::string_view name);
[[nodiscard]] std::string variable_of(std::string_view name);

struct Setting {
    std::string_view name;
    std::string_view value;     // placeholder for the value: MS, N, LEVEL
    std::string_view fallback;  // the default, as text; empty: `help` describes it
    std::string_view help;
    Result<void> (*read)(std::string_view text, Settings& settings);
    bool reloads = false;  // SIGHUP changes it while the server runs

    [[nodiscard]] std::string flag() const { return flag_of(name); }
    [[nodiscard]] std::string variable() const { return variable_of(name); }
};

[[nodiscard]] std::span<const Setting> settings_table();

// Names that settings had before. They still work, with a warning.
struct OldName {
    std::string_view old_name;
    std::string_view name;
};
[[nodiscard]] std::span<const OldName> old_setting_names();

// Returns null if there is no such setting.
[[nodiscard]] const Setting* find_setting(std::string_view name);

// `: did you mean tick_ms?`, or nothing.
[[nodiscard]] std::string setting_hint(std::string_view name);

}  // namespace belfry::app
