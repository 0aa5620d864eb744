#include "app/settings.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "app/setting_values.hpp"
#include "base/nearest.hpp"

namespace belfry::app {

namespace {

using Done = Result<void>;

// Puts what was read where it belongs.
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

// An hour bounds how many occurrences one tick may look at; a day of jitter is longer than any schedule needs.
constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kDayMs = 24 * kHourMs;

constexpr WholeRange kDays{1, 36'500};

constexpr std::array kTable{
    Setting{"listen", "HOST:PORT", "127.0.0.1:8642",
            "Where HTTP is answered; port 0 takes a free one. What other machines can reach needs a key or an auth_file",
            [](std::string_view text, Settings& to) { return put(read_listen(text), to.listen); }},
    Setting{"tls_certificate", "FILE", "",
            "PEM file with the server's certificate and those that lead to its authority, for HTTPS; by default plain HTTP. SIGHUP reads it again",
            [](std::string_view text, Settings& to) { return put_text(text, to.tls.certificate_file); }},
    Setting{"tls_key", "FILE", "", "PEM file with the key of tls_certificate, without a password. SIGHUP reads it again",
            [](std::string_view text, Settings& to) { return put_text(text, to.tls.key_file); }},
    Setting{"tls_client_ca", "FILE", "", "PEM file with the authorities whose client certificates are good. SIGHUP reads it again",
            [](std::string_view text, Settings& to) { return put_text(text, to.tls.client_ca_file); }},
    Setting{"tls_client_auth", "WHO", "none", "Whether clients show a certificate: none, optional (one that is shown must be good) or required",
            [](std::string_view text, Settings& to) { return put(api::parse_client_auth(text), to.tls.client_auth); }},
    Setting{"allowed_hosts", "NAMES", "",
            "Names that browsers may call this server by, besides its own, with commas between them: those of a proxy in front. * allows any",
            [](std::string_view text, Settings& to) { return put(read_names(text), to.allowed_hosts); }},
    Setting{
        "auth", "MODE", "auto",
        "Who is asked who they are: required (everybody), off (nobody; on this machine only), auto (everybody, once there is a key or an auth_file)",
        [](std::string_view text, Settings& to) { return put(api::auth::parse_auth_mode(text), to.auth); }},
    Setting{"auth_file", "FILE", "", "TOML file with issuers of tokens and names of certificates that are trusted. SIGHUP reads it again",
            [](std::string_view text, Settings& to) { return put_text(text, to.auth_file); }},
    Setting{"rate_limit", "N", "1000", "Requests a second that one key, user or address may send, twice as many at once; 0 is no limit",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {0, 1'000'000}), to.rate_limit);
            }},
    Setting{"store", "STORE", "", "sqlite:PATH or postgres://…; the default is belfry.db in data_dir",
            [](std::string_view text, Settings& to) { return put(read_store(text), to.store); }},
    Setting{"data_dir", "FOLDER", "",
            "Where the embedded store lives; made when missing. The default is $STATE_DIRECTORY, $XDG_DATA_HOME/belfry, /var/lib/belfry for root, or "
            "~/.local/share/belfry",
            [](std::string_view text, Settings& to) { return put(Result<std::string>(std::string(text)), to.data_dir); }},
    Setting{"postgres_connections", "N", "16", "How many connections to PostgreSQL may be open at once",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {2, 1'000}), to.postgres_connections);
            }},
    Setting{"schedules_per_tenant", "N", "10000", "How many schedules a tenant may have that has no limit of its own",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 1'000'000'000}), to.schedules_per_tenant);
            }},
    Setting{"task_timeout", "DURATION", "24h", "How long an attempt may take when its node, its retry policy and its schedule say nothing",
            [](std::string_view text, Settings& to) { return put(read_seconds(text, Seconds{1}, std::chrono::days{366}), to.task_timeout); }},
    Setting{"run_timeout", "DURATION", "7d", "How long a run may take whose workflow says nothing; of a single task, with all its attempts",
            [](std::string_view text, Settings& to) { return put(read_seconds(text, Seconds{1}, std::chrono::days{366}), to.run_timeout); }},
    Setting{"run_tokens_max", "N", "none", "Tokens that a run may report to have used, whoever does it; one that reports more fails",
            [](std::string_view text, Settings& to) { return put_optional(text, to.run_tokens_max); }},
    Setting{"run_tool_calls_max", "N", "none", "Tool calls that a run may report, whoever does it; one that reports more fails",
            [](std::string_view text, Settings& to) { return put_optional(text, to.run_tool_calls_max); }},
    Setting{"min_interval", "DURATION", "60s", "The closest that a schedule may fire; closer ones are refused",
            [](std::string_view text, Settings& to) { return put(read_seconds(text, Seconds{1}, std::chrono::hours{24}), to.min_interval); }},
    Setting{"strict_targets", "BOOL", "false", "Whether a schedule of a workflow that nobody has deployed is refused",
            [](std::string_view text, Settings& to) { return put(read_switch(text), to.strict_targets); }},
    Setting{"tick_ms", "MS", "1000", "The longest that the ticker sleeps; it wakes by itself for whatever is due",
            [](std::string_view text, Settings& to) {
                return put_count(text, {1, 60'000}, to.tick);
            }},
    Setting{"lookahead_ms", "MS", "60000", "What the missed policy `spread` spreads over; at most an hour",
            [](std::string_view text, Settings& to) {
                return put_count(text, {0, kHourMs}, to.lookahead);
            }},
    Setting{"max_catchup_per_tick", "N", "100", "Runs of one schedule that a tick catches up with; the others follow with the next ticks",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 10'000}), to.max_catchup_per_tick);
            }},
    Setting{"default_overlap_policy", "POLICY", "skip",
            "For schedules that do not say: skip, buffer_one, buffer_all, allow_all, cancel_other, terminate_other",
            [](std::string_view text, Settings& to) { return put(model::parse_overlap_policy(text), to.defaults.overlap); }},
    Setting{"default_catchup_policy", "POLICY", "none",
            "What schedules that do not say do with missed runs: none (skip), fire_once, fire_all, spread",
            [](std::string_view text, Settings& to) { return put(model::parse_missed_policy(text), to.defaults.missed); }},
    Setting{"default_jitter_ms", "MS", "0", "For schedules that do not say: how far their fire times may move, both ways",
            [](std::string_view text, Settings& to) {
                return put_count(text, {0, kDayMs}, to.defaults.jitter);
            }},
    Setting{"tick_lanes", "N", "2", "How many batches of due schedules are decided side by side",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 16}), to.tick_lanes);
            }},
    Setting{"help_after_ms", "MS", "250", "In a cluster, how long another server's schedules are left to it",
            [](std::string_view text, Settings& to) {
                return put_count(text, {0, 60'000}, to.help_after);
            }},
    // Half of the shortest grace at most: what nobody announced must still be found before it is missed.
    Setting{"sweep_seconds", "S", "20", "How often all schedules are read anew, in case a notification was lost",
            [](std::string_view text, Settings& to) {
                return put_count(text, {1, 30}, to.sweep);
            }},
    Setting{"lease_seconds", "S", "10", "In a cluster, how long a silent server is waited for before another leads",
            [](std::string_view text, Settings& to) {
                return put_count(text, {2, 3'600}, to.lease);
            }},
    Setting{"clock_step_confirm", "DURATION", "60s",
            "How long a stepped clock must hold its new time before the server decides by it; until then the old time continues",
            [](std::string_view text, Settings& to) { return put(read_seconds(text, Seconds{0}, std::chrono::hours{24}), to.clock_step_confirm); }},
    Setting{"keep_runs_days", "DAYS", "none", "Forget runs that are older; audit events stay",
            [](std::string_view text, Settings& to) { return put_days(text, to.keep_runs_for); }},
    Setting{"keep_runs_per_schedule", "N", "none", "Forget all but the newest runs of every schedule; audit events stay",
            [](std::string_view text, Settings& to) { return put_optional(text, to.keep_runs_per_schedule); }},
    Setting{"keep_deleted_days", "DAYS", "90",
            "Remove deleted schedules, and starts without a schedule, so long after their end, or after keep_runs_days where that is shorter; audit "
            "events stay",
            [](std::string_view text, Settings& to) { return put_days(text, to.keep_deleted_for); }},
    Setting{"keep_dead_letters_days", "DAYS", "90", "How long a dead letter waits for somebody, and keeps its run from being forgotten",
            [](std::string_view text, Settings& to) { return put_days(text, to.keep_dead_letters_for); }},
    Setting{"keep_archive_days", "DAYS", "none", "Forget the audit events of schedules that were removed so long after their end",
            [](std::string_view text, Settings& to) { return put_days(text, to.keep_archive_for); }},
    Setting{"keep_backfills_days", "DAYS", "90", "Forget backfills so long after they are over; their runs are runs as any other",
            [](std::string_view text, Settings& to) { return put_some_days(text, kDays, to.keep_backfills_for); }},
    Setting{"keep_request_keys_days", "DAYS", "1", "How long a request that is repeated with its Idempotency-Key is recognized",
            [](std::string_view text, Settings& to) { return put_some_days(text, kDays, to.keep_request_keys_for); }},
    Setting{"keep_feed_days", "DAYS", "7", "How long those who follow events may be away and miss none",
            [](std::string_view text, Settings& to) { return put_some_days(text, kDays, to.keep_feed_for); }},
    Setting{"keep_deliveries_days", "DAYS", "30", "How long deliveries of webhooks can be looked at, and those of a disabled one wait",
            [](std::string_view text, Settings& to) { return put_some_days(text, kDays, to.keep_deliveries_for); }},
    Setting{"keep_usage_days", "DAYS", "30", "How long is known what tenants and assignees have used of their days",
            [](std::string_view text, Settings& to) {
                return put_some_days(text, {2, 36'500}, to.keep_usage_for);
            }},
    Setting{"keep_revoked_keys_days", "DAYS", "90", "How long API keys are listed that were revoked or ran out",
            [](std::string_view text, Settings& to) { return put_some_days(text, kDays, to.keep_revoked_keys_for); }},
    Setting{"keep_workflow_versions", "N", "100", "Versions of each workflow that stay, beside those that a run or a schedule needs",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {2, 1'000'000}), to.keep_workflow_versions);
            }},
    Setting{"http_threads", "N", "16", "Requests that are answered at the same time",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 256}), to.http_threads);
            }},
    Setting{
        "shutdown_delay", "DURATION", "0s",
        "When the server is asked to end, how long it still accepts and answers while /readyz says 503: for those who send requests here to notice",
        [](std::string_view text, Settings& to) { return put(read_seconds(text, Seconds{0}, std::chrono::hours{1}), to.shutdown_delay); }},
    Setting{"drain_seconds", "S", "10", "When the server ends, how long requests in progress may take to finish",
            [](std::string_view text, Settings& to) {
                return put_count(text, {0, 3'600}, to.drain);
            }},
    Setting{"outgoing_allow", "NETWORKS", "none",
            "Networks that webhooks, signals and http tasks may reach beside public addresses, for example 10.0.0.0/8, fd00::/8; parted by commas",
            [](std::string_view text, Settings& to) { return put_networks(text, to.outgoing_allow); }},
    Setting{"outgoing_ca_file", "FILE", "", "Certificates of the authorities that outgoing calls trust, in PEM; the default is the system's",
            [](std::string_view text, Settings& to) { return put(Result<std::string>(std::string(text)), to.outgoing_ca_file); }},
    Setting{
        "secret_key_file", "FILE", "",
        "Keys that seal secrets in the store: one a line, 32 bytes in base64 or hexadecimal; the first seals, all open. With SQLite the default is "
        "secret.key in data_dir, made when it is first needed",
        [](std::string_view text, Settings& to) { return put(Result<std::string>(std::string(text)), to.secret_key_file); }},
    Setting{"http_task_calls", "N", "32", "Calls of http tasks that are made at the same time",
            [](std::string_view text, Settings& to) {
                return put(read_whole(text, {1, 1'000}), to.http_task_calls);
            }},
    Setting{"commands_file", "FILE", "",
            "TOML file with the programs that command tasks may run, the same on every server; by default they may run none",
            [](std::string_view text, Settings& to) { return put_text(text, to.commands_file); }},
    Setting{"command_tasks", "N", "4", "Programs of command tasks that run at the same time",
            [](std::string_view text, Settings& to) { return put(read_whole(text, {1, 1'000}), to.command_tasks); }},
    Setting{"connections_file", "FILE", "",
            "TOML file with the connections that tasks are handed over to (redis, rabbitmq, nats, http), the same on every server; by default there "
            "are none",
            [](std::string_view text, Settings& to) { return put_text(text, to.connections_file); }},
    Setting{
        "default_connection", "NAME", "",
        "The connection that tasks are handed over to when neither node, schedule nor workflow names one; by default they stay in the built-in queue",
        [](std::string_view text, Settings& to) { return put_text(text, to.default_connection); }},
    Setting{"default_tenant", "NAME", "default", "The tenant of requests in the dialect of another scheduler that name none by X-Namespace",
            [](std::string_view text, Settings& to) { return put_text(text, to.default_tenant); }},
    Setting{"log_level", "LEVEL", "info", "debug, info, warn or error",
            [](std::string_view text, Settings& to) { return put(parse_log_level(text), to.log_level); }, true},
    Setting{"log_format", "FORMAT", "text", "text for people, json for programs",
            [](std::string_view text, Settings& to) { return put(parse_log_format(text), to.log_format); }, true},
};

}  // namespace

std::string Setting::flag() const {
    auto text = "--" + std::string(name);
    std::ranges::replace(text, '_', '-');
    return text;
}

std::string Setting::variable() const {
    auto text = "BELFRY_" + std::string(name);
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return text;
}

std::span<const Setting> settings_table() { return kTable; }

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
