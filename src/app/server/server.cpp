#include "app/server/server.hpp"

#include <algorithm>
#include <cstdlib>
#include <future>
#include <thread>

#include "api/contract/problem.hpp"
#include "api/dialects/dialects.hpp"
#include "app/server/commands_file.hpp"
#include "app/server/connections_file.hpp"
#include "app/server/private_files.hpp"
#include "app/server/store_opening.hpp"
#include "app/settings/setting_values.hpp"
#include "base/time/backoff.hpp"
#include "engine/jobs/wakeup.hpp"
#include "store/observed_store.hpp"
#include "store/registry.hpp"

namespace belfry::app {

namespace {

constexpr Seconds kLastStepMax{2};       // beyond the drain time, for the engine's current step
constexpr int kAttendancesPerLease = 3;  // two renewals may fail before the lease expires

// A deleted schedule is kept no longer than its runs would be.
std::optional<Micros> keep_deleted_for(const Settings& settings) {
    const auto& deleted = settings.keep_deleted_for;
    const auto& runs = settings.keep_runs_for;
    if (!deleted || !runs) return deleted ? deleted : runs;
    return std::min(*deleted, *runs);
}

engine::Janitor::Options janitor_options(const Settings& settings) {
    return {.keep_for = settings.keep_runs_for,
            .keep_newest = settings.keep_runs_per_schedule,
            .keep_deleted_for = keep_deleted_for(settings),
            .keep_letters_for = settings.keep_dead_letters_for,
            .keep_archive_for = settings.keep_archive_for,
            .keep_backfills_for = settings.keep_backfills_for,
            .keep_requests = settings.keep_request_keys_for,
            .keep_feed_for = settings.keep_feed_for,
            .feed_bytes_max = settings.feed_bytes_per_tenant,
            .keep_budgets_for = settings.keep_usage_for,
            .keep_deliveries_for = settings.keep_deliveries_for,
            .keep_keys_for = settings.keep_revoked_keys_for,
            .keep_workflow_versions = settings.keep_workflow_versions};
}

constexpr std::size_t kForecastPart = 4;  // a quarter of the HTTP threads; the others serve quick requests

engine::EngineOptions engine_options(const Settings& settings) {
    return {
        .ticker = {.tick = settings.tick,
                   .limits = {settings.max_catchup_per_tick, settings.lookahead},
                   .parallelism = static_cast<std::size_t>(settings.tick_parallelism),
                   .help_after = settings.help_after,
                   .sweep_every = settings.sweep},
        .member = {.lease = settings.lease, .every = Micros(settings.lease) / kAttendancesPerLease},
        .janitor = janitor_options(settings),
        .archiver = {.keep_for = settings.keep_events_for, .folder = settings.events_archive_dir},
        .signals = {.calls = static_cast<std::size_t>(settings.signal_calls)},
        .executor = {.http_calls = static_cast<std::size_t>(settings.http_task_calls),
                     .http_timeout = settings.http_task_timeout,
                     .commands = static_cast<std::size_t>(settings.command_tasks)},
        .forecasts = std::max<std::size_t>(1, static_cast<std::size_t>(settings.http_threads) / kForecastPart),
        .min_interval = settings.min_interval,
        .strict_targets = settings.strict_targets,
    };
}

api::HttpServerOptions http_options(const Settings& settings, const Log& log, StartupHandler& startup,
                                    api::HttpMetrics& metrics, const api::RequestLog& requests) {
    api::HttpServerOptions options{
        .listen = settings.listen,
        .threads = settings.http_threads,
        .body_memory = static_cast<std::size_t>(settings.body_memory_mib) << 20U,
        .answer_memory = static_cast<std::size_t>(settings.answer_memory_mib) << 20U,
        .connections_max = settings.connections_max,
        .connections_per_address = settings.connections_per_address,
        .streams_max = settings.event_streams_max,
        .waits_max = settings.waiting_claims_max,
        .on_answer =
            [&](const api::Request& request, const api::Response& response, Micros took) {
                metrics.add(response, took);
                requests.add(request, response, took);
            },
        .on_problem = &api::write_problem_in_dialect,
        .on_unread_closed =
            [&](const std::string& tenant) {
                metrics.add_unread_closed();
                log.debug("closed a connection whose client does not read its response", {{"tenant", tenant}});
            },
        .check_head = startup.head_check()};
    if (!settings.tls.certificate_file.empty()) options.tls = settings.tls;
    return options;
}

StartupHandler::Options startup_options(const Settings& settings) {
    return {.rules = {.listen = settings.listen,
                      .allowed_hosts = settings.allowed_hosts,
                      .allowed_origins = settings.allowed_origins},
            .health_details = settings.health_details_open};
}

// The command that closes an open server. It shows no password: the operator knows it.
std::string closing_command(const Settings& settings) {
    const auto shown = without_password(settings.store);
    const auto store =
        shown == settings.store ? " --store '" + shown + "'" : " (with the same BELFRY_STORE or --config)";
    return "belfry token create admin --role admin" + store +
           (settings.auth == api::auth::AuthMode::off ? ", and start with --auth required" : "");
}

// After a pause a client may send as many requests as in two seconds.
api::Rate rate_of(const Settings& settings) {
    return {.per_second = settings.rate_limit, .burst = 2 * settings.rate_limit};
}

bool may_come_back(const Error& error) {
    return error.code == ErrorCode::unavailable || error.code == ErrorCode::unknown;
}

}  // namespace

Server::Server(const Settings& settings, const spec::ZoneDatabase& zones, const Clock& clock,
               const api::auth::Trust& trust, const Log& log)
    : settings_(settings),
      zones_(zones),
      clock_(clock),
      guard_(steady_, settings.clock_step_confirm),
      trust_(trust),
      log_(log),
      decisions_(log),
      requests_(log),
      health_(clock),
      observers_{decisions_, metrics_, health_},
      outgoing_(outgoing_options(settings, &log)),
      anywhere_(operators_options(settings)),
      sealer_(sealing_keys(settings)),
      startup_(startup_options(settings), log, steady_),
      http_(startup_.handler(), http_options(settings, log, startup_, http_metrics_, requests_)) {}

Server::~Server() {
    if (engine_) engine_->stop();  // before the streams that it wakes are destroyed
}

Result<void> Server::listen() { return http_.start(); }

void Server::reload() {
    if (const auto reloaded = http_.reload(); !reloaded) {
        log_.error("cannot reload the certificates; the current ones stay in effect",
                   {{"error", reloaded.error().message}});
    } else if (!settings_.tls.certificate_file.empty()) {
        log_.info("reloaded the certificates");
    }
}

Result<void> Server::begin(const std::stop_token& ending) {
    // Check configured keys now, not when the server stores the first secret.
    if (const auto keys = settings_.secret_key_file.empty() ? Result<void>() : sealer_.check(); !keys)
        return keys.error();
    auto commands = load_commands_file(settings_.commands_file);
    if (!commands) return commands.error();
    for (const auto& warning : commands->warnings) log_.warn(warning);
    for (auto& [name, command] : commands->commands) command.sandbox.hidden = private_files(settings_);
    // Create the key before any command runs: a key file that is created later could not be hidden from a running
    // command.
    if (!commands->commands.empty()) static_cast<void>(sealer_.check());
    auto connections = load_connections_file(settings_.connections_file, {outgoing_, anywhere_});
    if (!connections) return connections.error();
    for (const auto& warning : connections->warnings) log_.warn(warning);
    const auto wants_tokens = [](const auto& each) { return each.second.callbacks; };
    if (std::ranges::any_of(connections->connections, wants_tokens)) {
        if (const auto keys = sealer_.check(); !keys)
            return invalid("connections with callbacks require a secret key: " + keys.error().message);
    }
    const auto& usual = settings_.default_connection;
    if (!usual.empty() && usual != model::kBuiltIn && !connections->connections.contains(usual)) {
        return invalid("default_connection: the connections_file has no connection " + usual);
    }
    auto store = wait_for_store(ending);
    if (!store) return ending.stop_requested() ? Result<void>() : Result<void>(store.error());
    store_ = std::make_unique<store::ObservedStore>(std::move(*store), store_log_, &guard_);
    if (auto safe = check_exposure(); !safe) return safe;
    access_ = std::make_unique<api::auth::Access>(
        store_->registry(), trust_, api::auth::Clocks{clock_, steady_}, log_,
        api::auth::AccessOptions{.mode = settings_.auth, .loopback = api::auth::is_loopback_listen(settings_.listen)});
    if (auto closed = check_open(); !closed) return closed;
    authorizer_ = std::make_unique<api::auth::RequestAuthorizer>(*access_, rate_of(settings_), steady_);
    auto options = engine_options(settings_);
    options.member.clock = options.reaper.clock = options.janitor.clock = options.archiver.clock = &guard_;
    options.commands = std::move(commands->commands);
    options.connections = std::move(connections->connections);
    options.default_connection = usual == model::kBuiltIn ? std::string() : usual;
    options.http = &outgoing_;
    options.sealer = &sealer_;
    options.feed_grown = [this] { http_.wake(); };
    engine_ = std::make_unique<engine::Engine>(*store_, zones_, observers_, options);
    counts_sampler_ = std::make_unique<engine::CountsSampler>(*store_);
    counting_ = std::make_unique<engine::Service>(*counts_sampler_);
    api_ = std::make_unique<api::Api>(*engine_, api_options());
    engine_->start();
    counting_->start();
    trimming_.start();
    startup_.open(api_->handler(), api_->head_check());
    return {};
}

api::ApiOptions Server::api_options() {
    return {.health = [this] { return health_.read(); },
            .limits = {.defaults = settings_.defaults,
                       .definition_max = static_cast<std::size_t>(settings_.definition_max)},
            .tenant_defaults = store_limits(settings_),
            .health_detail = settings_.health_details_open
                                 ? api::HealthDetailOf()
                                 : [this](const api::Request& request) { return authorizer_->health_detail(request); },
            .gate = authorizer_->gate(),
            .charge = authorizer_->charge(),
            .metrics = {.engine = &metrics_,
                        .store = &store_metrics_,
                        .http = &http_metrics_,
                        .counts = [this] { return counts_sampler_->read(); }},
            .draining = [this] { return draining_.load(); },
            .default_tenant = settings_.default_tenant,
            .worker = {.tick = settings_.tick,
                       .lookahead = settings_.lookahead,
                       .max_catchup_per_tick = settings_.max_catchup_per_tick}};
}

Result<void> Server::check_exposure() {
    const auto keys = store_->registry().keys();
    if (!keys) return keys.error();
    return api::auth::check_exposure({.listen = settings_.listen,
                                      .mode = settings_.auth,
                                      .auth_file = trust_.current()->configured,
                                      .keys = !keys->empty()});
}

Result<void> Server::check_open() {
    const auto open = access_->is_open();
    if (!open) return open.error();
    if (!*open) return {};
    if (std::ranges::find(settings_.allowed_origins, api::kAnyOrigin) != settings_.allowed_origins.end()) {
        return invalid(
            "allowed_origins = * lets every page act as the owner of this server, which requires no key: list the "
            "origins, or close the server "
            "with " +
            closing_command(settings_));
    }
    log_.warn("this server is open: every program on this machine has full access; to close it: " +
              closing_command(settings_));
    return {};
}

Result<std::unique_ptr<store::Store>> Server::wait_for_store(const std::stop_token& ending) {
    Backoff backoff(&system_random);
    engine::Wakeup never_rung;
    while (true) {
        auto store = open_store(settings_, zones_);
        if (store || !is_remote(settings_) || !may_come_back(store.error()) || ending.stop_requested()) return store;
        const auto wait = backoff.next();
        startup_.wait_for("the store is unavailable: " + api::public_message(store.error()));
        log_.warn("the store is unavailable; retrying",
                  {{"error", store.error().message},
                   {"wait_ms", std::chrono::duration_cast<std::chrono::milliseconds>(wait).count()}});
        never_rung.wait(wait, ending);
        if (ending.stop_requested()) return store;
    }
}

void Server::drain() {
    draining_ = true;
    http_.say_goodbye();
    // Clients send requests until they notice that this server is not ready. A server that did not start has no
    // clients.
    if (engine_) std::this_thread::sleep_for(settings_.shutdown_delay);
    // In parallel, because neither needs the other, and so the drain time and the last step do not add up.
    const auto began = std::chrono::steady_clock::now();
    auto stopped = std::async(std::launch::async, [this] {
        trimming_.ask();
        if (counting_) counting_->ask();
        if (engine_) engine_->stop();
        if (counting_) counting_->stop();
    });
    auto closed = std::async(std::launch::async, [this] { http_.stop(settings_.drain); });
    const auto latest = began + settings_.drain + kLastStepMax;
    const bool in_time = closed.wait_until(latest) == std::future_status::ready &&
                         stopped.wait_until(latest) == std::future_status::ready;
    if (in_time) return;
    // A statement or a handler hangs. To exit here is like a crash, and the store loses nothing in a crash.
    log_.error("the store or a request did not finish within the drain time; exiting without it");
    std::_Exit(1);
}

}  // namespace belfry::app
