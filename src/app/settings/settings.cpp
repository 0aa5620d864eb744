#include "app/settings/settings.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "app/settings/setting_values.hpp"
#include "base/text/nearest.hpp"

namespace belfry::app {

namespace {

using Done = Result<void>;

// Stores a parsed value in its member.
template <typename T, typename Member>
Done put(const Result<T>& read, Member& member) {
    if (!read) return read.error();
    member = static_cast<Member>(*read);
    return {};
}

template <typename Duration>
Done put_count(std::string_view text, WholeRange range, Duration& member) {
    const auto number = read_whole(text, range);
    if (!number) return number.error();
    member = Duration(*number);
    return {};
}

Done put_text(std::string_view text, std::string& member) { return member = text, Done(); }

Done put_days(std::string_view text, std::optional<Seconds>& member) {
    if (text == "none") return member.reset(), Done();
    const auto days = read_whole(text, {1, 36'500});
    if (!days) return invalid(days.error().message + ", or none");
    member = std::chrono::days(*days);
    return {};
}

template <typename Duration>
Done put_some_days(std::string_view text, WholeRange range, Duration& member) {
    const auto days = read_whole(text, range);
    if (!days) return days.error();
    member = std::chrono::days(*days);
    return {};
}

Done put_optional(std::string_view text, std::optional<std::int64_t>& member) {
    if (text == "none") return member.reset(), Done();
    const auto count = read_whole(text, {1, 1'000'000'000});
    if (!count) return invalid(count.error().message + ", or none");
    member = *count;
    return {};
}

Done put_networks(std::string_view text, std::vector<Network>& member) {
    const auto networks = parse_networks(text == "none" ? "" : text);
    if (!networks) return networks.error();
    member = *networks;
    return {};
}

// One hour bounds how many occurrences one tick may examine; a day of jitter is longer than any schedule needs.
constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kDayMs = 24 * kHourMs;

constexpr WholeRange kDays{1, 36'500};

constexpr std::array kTable{
    Setting{"listen", "HOST:PORT", "127.0.0.1:8642",
            "Address for HTTP; port 0 picks a free port. An address that other machines can reach requires an "
            "API key or an auth_file",
            [](std::string_view text, Settings& to) { return put(read_listen(text), to.listen); }},
    Setting{"tls_certificate", "FILE", "",
            "PEM file with the server's certificate chain, for HTTPS; without it the server uses plain HTTP. "
            "SIGHUP reloads it",
            [](std::string_view text, Settings& to) { return put_text(text, to.tls.certificate_file); }},
    Setting{"tls_key", "FILE", "",
            "PEM file with the private key of tls_certificate, without a password. SIGHUP reloads it",
            [](std::string_view text, Settings& to) { return put_text(text, to.tls.key_file); }},
    Setting{"tls_client_ca", "FILE", "",
            "PEM file with the authorities that sign accepted client certificates. SIGHUP reloads it",
            [](std::string_view text, Settings& to) { return put_text(text, to.tls.client_ca_file); }},
    Setting{"tls_client_auth", "WHO", "none",
            "Client certificates: none, optional (validated if the client sends one) or required",
            [](std::string_view text, Settings& to) { return put(api::parse_client_auth(text), to.tls.client_auth); }},
    Setting{"allowed_hosts", "NAMES", "",
            "Comma-separated host names, besides its own, under which browsers may call this server, such as a "
            "proxy's name. * allows any",
            [](std::string_view text, Settings& to) { return put(read_names(text), to.allowed_hosts); }},
    Setting{"allowed_origins", "ORIGINS", "",
            "Comma-separated origins whose pages may call the API from a browser (CORS), such as "
            "https://app.example.org. * allows any page; the server must then require a key or a token",
            [](std::string_view text, Settings& to) { return put(read_origins(text), to.allowed_origins); }},
    Setting{"health_details", "WHO", "auto",
            "Who sees host names, counts and errors in /health and /readyz: auto (callers that may read every tenant) "
            "or open (everyone)",
            [](std::string_view text, Settings& to) { return put(read_health_details(text), to.health_details_open); }},
    Setting{"auth", "MODE", "auto",
            "Which requests must authenticate: required (all), off (none; only on a loopback address), auto "
            "(all, once an API key or an auth_file exists)",
            [](std::string_view text, Settings& to) { return put(api::auth::parse_auth_mode(text), to.auth); }},
    Setting{"auth_file", "FILE", "",
            "TOML file with trusted token issuers and client certificate names. SIGHUP reloads it",
            [](std::string_view text, Settings& to) { return put_text(text, to.auth_file); }},
    Setting{"rate_limit", "N", "1000",
            "Requests per second that one key, user or address may send, with bursts of twice as many; 0 "
            "disables the limit",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {0, 1'000'000}), to.rate_limit);
            }},
    Setting{"store", "STORE", "",
            "sqlite:PATH or postgres://…; default: belfry.db in data_dir. Put a password into BELFRY_STORE, the "
            "configuration file or PGPASSFILE, not on the command line",
            [](std::string_view text, Settings& to) { return put(read_store(text), to.store); }},
    Setting{
        "data_dir", "FOLDER", "",
        "Folder of the embedded store; created if missing. Default: $STATE_DIRECTORY, $XDG_DATA_HOME/belfry, "
        "/var/lib/belfry for root, or ~/.local/share/belfry",
        [](std::string_view text, Settings& to) { return put(Result<std::string>(std::string(text)), to.data_dir); }},
    Setting{"postgres_connections", "N", "16", "Maximum number of open connections to PostgreSQL",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {2, 1'000}), to.postgres_connections);
            }},
    Setting{"schedules_per_tenant", "N", "10000", "Default schedule limit for tenants without their own",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 1'000'000'000}), to.schedules_per_tenant);
            }},
    Setting{"runs_per_day_per_tenant", "N", "10000000",
            "Default limit of runs per day for tenants without their own; counted every 30 s",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 1'000'000'000'000}), to.runs_per_day_per_tenant);
            }},
    Setting{"stored_bytes_per_tenant", "BYTES", "21474836480",
            "Default storage limit for tenants without their own; measured every 10 min. Beyond it the server "
            "rejects new data, and runs continue",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 1'000'000'000'000'000}), to.stored_bytes_per_tenant);
            }},
    Setting{"definition_max", "BYTES", "262144",
            "Maximum size of a schedule, workflow, calendar, assignment or assignee, including all its members",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1'000, 2'000'000}), to.definition_max);
            }},
    Setting{"task_timeout", "DURATION", "24h",
            "Default timeout of an attempt whose node, retry policy and schedule set none",
            [](std::string_view text, Settings& to) {
                return put(read_seconds(text, Seconds{1}, std::chrono::days{366}), to.task_timeout);
            }},
    Setting{"run_timeout", "DURATION", "7d",
            "Default timeout of a run whose workflow sets none; for a single task it includes all attempts",
            [](std::string_view text, Settings& to) {
                return put(read_seconds(text, Seconds{1}, std::chrono::days{366}), to.run_timeout);
            }},
    Setting{"run_tokens_max", "N", "none",
            "Maximum number of tokens that a run may report, for any assignee; a run that reports more fails",
            [](std::string_view text, Settings& to) { return put_optional(text, to.run_tokens_max); }},
    Setting{"run_tool_calls_max", "N", "none",
            "Maximum number of tool calls that a run may report, for any assignee; a run that reports more fails",
            [](std::string_view text, Settings& to) { return put_optional(text, to.run_tool_calls_max); }},
    Setting{"min_interval", "DURATION", "60s",
            "Shortest allowed time between two occurrences of a schedule; the server rejects schedules that fire "
            "more often",
            [](std::string_view text, Settings& to) {
                return put(read_seconds(text, Seconds{1}, std::chrono::hours{24}), to.min_interval);
            }},
    Setting{"strict_targets", "BOOL", "false", "Reject schedules whose workflow is not deployed",
            [](std::string_view text, Settings& to) { return put(read_switch(text), to.strict_targets); }},
    Setting{"tick_ms", "MS", "1000", "Longest sleep of the ticker; it wakes earlier when a schedule is due",
            [](std::string_view text, Settings& to) {
                return put_count(text, {1, 60'000}, to.tick);
            }},
    Setting{"lookahead_ms", "MS", "60000",
            "Period over which the missed-run policy `spread` distributes runs; at most one hour",
            [](std::string_view text, Settings& to) {
                return put_count(text, {0, kHourMs}, to.lookahead);
            }},
    Setting{"max_catchup_per_tick", "N", "100",
            "Missed runs of one schedule that one tick catches up; later ticks handle the rest",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 10'000}), to.max_catchup_per_tick);
            }},
    Setting{"default_overlap_policy", "POLICY", "skip",
            "Default for schedules without an overlap policy: skip, buffer_one, buffer_all, allow_all, "
            "cancel_other, terminate_other",
            [](std::string_view text, Settings& to) {
                return put(model::parse_overlap_policy(text), to.defaults.overlap);
            }},
    Setting{
        "default_catchup_policy", "POLICY", "none",
        "Default for schedules without a missed-run policy: none (skip), fire_once, fire_all, spread",
        [](std::string_view text, Settings& to) { return put(model::parse_missed_policy(text), to.defaults.missed); }},
    Setting{"default_jitter_ms", "MS", "0",
            "Default for schedules without jitter: how far a fire time may move in either direction",
            [](std::string_view text, Settings& to) {
                return put_count(text, {0, kDayMs}, to.defaults.jitter);
            }},
    Setting{"tick_parallelism", "N", "2", "Number of batches of due schedules that the server decides in parallel",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 16}), to.tick_parallelism);
            }},
    Setting{"takeover_delay_ms", "MS", "250",
            "In a cluster: how long a server waits before it handles another server's due schedules",
            [](std::string_view text, Settings& to) {
                return put_count(text, {0, 60'000}, to.help_after);
            }},
    // At most half of the shortest grace period: a schedule whose notification was lost must be found before it is
    // missed.
    Setting{"sweep_seconds", "S", "20", "How often the server rereads all schedules, in case a notification was lost",
            [](std::string_view text, Settings& to) {
                return put_count(text, {1, 30}, to.sweep);
            }},
    Setting{"lease_seconds", "S", "10",
            "In a cluster: how long a silent leader keeps its lease before another server takes over",
            [](std::string_view text, Settings& to) {
                return put_count(text, {2, 3'600}, to.lease);
            }},
    Setting{"clock_step_confirm", "DURATION", "60s",
            "How long a clock must keep its new time after a step before the server uses it; until then the "
            "server continues the old time",
            [](std::string_view text, Settings& to) {
                return put(read_seconds(text, Seconds{0}, std::chrono::hours{24}), to.clock_step_confirm);
            }},
    Setting{"keep_runs_days", "DAYS", "none", "Delete runs that are older; audit events stay",
            [](std::string_view text, Settings& to) { return put_days(text, to.keep_runs_for); }},
    Setting{"keep_runs_per_schedule", "N", "none", "Keep only the newest N runs of every schedule; audit events stay",
            [](std::string_view text, Settings& to) { return put_optional(text, to.keep_runs_per_schedule); }},
    Setting{"keep_deleted_days", "DAYS", "90",
            "Remove deleted schedules and immediate starts this long after their end, or after keep_runs_days if "
            "that is shorter; audit events stay",
            [](std::string_view text, Settings& to) { return put_days(text, to.keep_deleted_for); }},
    Setting{"keep_dead_letters_days", "DAYS", "90",
            "How long a dead letter stays listed; until it expires, its run is retained",
            [](std::string_view text, Settings& to) { return put_days(text, to.keep_dead_letters_for); }},
    Setting{"keep_archive_days", "DAYS", "none",
            "Delete the audit events of removed schedules this long after the schedule's end",
            [](std::string_view text, Settings& to) { return put_days(text, to.keep_archive_for); }},
    Setting{"keep_events_days", "DAYS", "none",
            "Move audit events that are older to files in events_archive_dir; belfry audit verify checks them",
            [](std::string_view text, Settings& to) { return put_days(text, to.keep_events_for); }},
    Setting{"events_archive_dir", "FOLDER", "",
            "Folder for archived audit events; it must exist. Required by keep_events_days, on every server",
            [](std::string_view text, Settings& to) { return put_text(text, to.events_archive_dir); }},
    Setting{"keep_backfills_days", "DAYS", "90",
            "Delete backfills this long after they end; their runs follow keep_runs_days like other runs",
            [](std::string_view text, Settings& to) { return put_some_days(text, kDays, to.keep_backfills_for); }},
    Setting{"keep_request_keys_days", "DAYS", "1",
            "How long the server recognizes a repeated request by its Idempotency-Key",
            [](std::string_view text, Settings& to) { return put_some_days(text, kDays, to.keep_request_keys_for); }},
    Setting{"keep_feed_days", "DAYS", "7", "How long the feed keeps events for clients that reconnect",
            [](std::string_view text, Settings& to) { return put_some_days(text, kDays, to.keep_feed_for); }},
    Setting{"feed_bytes_per_tenant", "BYTES", "1073741824",
            "Size of the events that the feed keeps for a tenant; the server removes the oldest ones beyond it",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 1'000'000'000'000'000}), to.feed_bytes_per_tenant);
            }},
    Setting{"keep_deliveries_days", "DAYS", "30",
            "How long the server keeps webhook deliveries, including those that wait for a disabled webhook",
            [](std::string_view text, Settings& to) { return put_some_days(text, kDays, to.keep_deliveries_for); }},
    Setting{"keep_usage_days", "DAYS", "30", "How long the server keeps the daily usage of tenants and assignees",
            [](std::string_view text, Settings& to) {
                return put_some_days(text, {2, 36'500}, to.keep_usage_for);
            }},
    Setting{"keep_revoked_keys_days", "DAYS", "90", "How long revoked and expired API keys stay listed",
            [](std::string_view text, Settings& to) { return put_some_days(text, kDays, to.keep_revoked_keys_for); }},
    Setting{"keep_workflow_versions", "N", "100",
            "Versions to keep of each workflow, besides those that a run or a schedule needs",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {2, 1'000'000}), to.keep_workflow_versions);
            }},
    Setting{"http_threads", "N", "16", "Number of requests that the server handles at the same time",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 256}), to.http_threads);
            }},
    Setting{"connections_max", "N", "1000",
            "Maximum number of open client connections. One more closes the connection that has been idle "
            "longest; if none is idle, the client gets 503",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 1'000'000}), to.connections_max);
            }},
    Setting{"connections_per_address", "N", "",
            "Maximum number of connections from one address, or one /64 for IPv6; default: three quarters of "
            "connections_max. Raise it behind a proxy",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 1'000'000}), to.connections_per_address);
            }},
    // At least one request body of the maximum size.
    Setting{"body_memory_mib", "MIB", "64",
            "Memory for request bodies in progress, in fair shares per address; a request beyond it gets 503",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {2, 1'000'000}), to.body_memory_mib);
            }},
    // At least two response pages of the maximum size.
    Setting{"answer_memory_mib", "MIB", "256",
            "Memory for responses that clients have not read yet; when it is full, the server closes the "
            "connection that has waited longest, of the tenant that uses most",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {10, 1'000'000}), to.answer_memory_mib);
            }},
    Setting{"event_streams_max", "N", "256",
            "Maximum number of open event streams, in fair shares per tenant and per caller",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 1'000'000}), to.event_streams_max);
            }},
    Setting{"waiting_claims_max", "N", "4096",
            "Maximum number of claims that wait for a task, in fair shares per tenant and per caller; each uses "
            "one connection",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 1'000'000}), to.waiting_claims_max);
            }},
    Setting{"shutdown_delay", "DURATION", "0s",
            "On shutdown, how long the server still accepts requests while /readyz returns 503, so that load "
            "balancers stop sending",
            [](std::string_view text, Settings& to) {
                return put(read_seconds(text, Seconds{0}, std::chrono::hours{1}), to.shutdown_delay);
            }},
    Setting{"drain_seconds", "S", "10",
            "On shutdown, how long requests in progress may take to finish before the server closes their "
            "connections",
            [](std::string_view text, Settings& to) {
                return put_count(text, {0, 3'600}, to.drain);
            }},
    Setting{"outgoing_allow", "NETWORKS", "none",
            "Comma-separated networks that webhooks, signals and http tasks may reach besides public addresses, "
            "such as 10.0.0.0/8, fd00::/8",
            [](std::string_view text, Settings& to) { return put_networks(text, to.outgoing_allow); }},
    Setting{"outgoing_ca_file", "FILE", "",
            "PEM file with the authorities that outgoing calls trust; default: the system's",
            [](std::string_view text, Settings& to) {
                return put(Result<std::string>(std::string(text)), to.outgoing_ca_file);
            }},
    Setting{"secret_key_file", "FILE", "",
            "File with the keys that seal secrets in the store: one per line, 32 bytes in base64 or hexadecimal; "
            "the first seals, all open. Default with SQLite: secret.key in data_dir, created on first use",
            [](std::string_view text, Settings& to) {
                return put(Result<std::string>(std::string(text)), to.secret_key_file);
            }},
    Setting{"signal_calls", "N", "16", "Maximum number of parallel calls to signals",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 1'000}), to.signal_calls);
            }},
    Setting{"http_task_calls", "N", "32", "Maximum number of parallel calls of http tasks",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 1'000}), to.http_task_calls);
            }},
    Setting{"http_task_timeout", "DURATION", "1h",
            "Maximum duration of one call of an http task; the server rejects a larger timeoutMs",
            [](std::string_view text, Settings& to) {
                return put(read_seconds(text, Seconds{1}, std::chrono::days{1}), to.http_task_timeout);
            }},
    Setting{"commands_file", "FILE", "",
            "TOML file with the programs that command tasks may run; must be the same on every server. Default: "
            "none",
            [](std::string_view text, Settings& to) { return put_text(text, to.commands_file); }},
    Setting{"command_tasks", "N", "4", "Maximum number of parallel programs of command tasks",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 1'000}), to.command_tasks);
            }},
    Setting{"connections_file", "FILE", "",
            "TOML file with the connections to which tasks may be delivered (redis, rabbitmq, nats, http); must "
            "be the same on every server. Default: none",
            [](std::string_view text, Settings& to) { return put_text(text, to.connections_file); }},
    Setting{"default_connection", "NAME", "",
            "Connection for tasks whose node, schedule and workflow name none; without it they stay in the "
            "built-in queue",
            [](std::string_view text, Settings& to) { return put_text(text, to.default_connection); }},
    Setting{"default_tenant", "NAME", "default",
            "Tenant for requests in another scheduler's dialect that send no X-Namespace header",
            [](std::string_view text, Settings& to) { return put_text(text, to.default_tenant); }},
    Setting{"log_level", "LEVEL", "info", "debug, info, warn or error",
            [](std::string_view text, Settings& to) { return put(parse_log_level(text), to.log_level); }, true},
    Setting{"log_format", "FORMAT", "text", "text for people, json for programs",
            [](std::string_view text, Settings& to) { return put(parse_log_format(text), to.log_format); }, true},
};

}  // namespace

std::string flag_of(std::string_view name) {
    auto text = "--" + std::string(name);
    std::ranges::replace(text, '_', '-');
    return text;
}

std::string variable_of(std::string_view name) {
    auto text = "BELFRY_" + std::string(name);
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return text;
}

std::span<const Setting> settings_table() { return kTable; }

std::span<const OldName> old_setting_names() {
    static constexpr std::array kOldNames{OldName{"tick_lanes", "tick_parallelism"},
                                          OldName{"help_after_ms", "takeover_delay_ms"}};
    return kOldNames;
}

const Setting* find_setting(std::string_view name) {
    const auto found = std::ranges::find(kTable, name, &Setting::name);
    return found == kTable.end() ? nullptr : &*found;
}

std::string setting_hint(std::string_view name) {
    std::vector<std::string> names;
    for (const auto& setting : kTable) names.emplace_back(setting.name);
    const auto meant = nearest(name, names);
    return meant ? ": did you mean " + *meant + "?" : "";
}

}  // namespace belfry::app
