#include "app/server.hpp"

#include <algorithm>
#include <cstdlib>
#include <future>
#include <thread>

#include "api/problem.hpp"
#include "app/access_log.hpp"
#include "app/commands_file.hpp"
#include "app/connections_file.hpp"
#include "app/store_opening.hpp"
#include "base/backoff.hpp"
#include "engine/wakeup.hpp"
#include "store/observed_store.hpp"
#include "store/registry.hpp"

namespace belfry::app {

namespace {

constexpr Seconds kLastStepMax{2};       // beyond the drain time, for the step that was going on
constexpr int kAttendancesPerLease = 3;  // two may be lost before the lease is

// A schedule that is over is kept no longer than its runs would be.
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
            .keep_budgets_for = settings.keep_usage_for,
            .keep_deliveries_for = settings.keep_deliveries_for,
            .keep_keys_for = settings.keep_revoked_keys_for,
            .keep_workflow_versions = settings.keep_workflow_versions};
}

engine::EngineOptions engine_options(const Settings& settings) {
    return {
        .ticker = {.tick = settings.tick,
                   .limits = {settings.max_catchup_per_tick, settings.lookahead},
                   .lanes = static_cast<std::size_t>(settings.tick_lanes),
                   .help_after = settings.help_after,
                   .sweep_every = settings.sweep},
        .attendant = {.lease = settings.lease, .every = Micros(settings.lease) / kAttendancesPerLease},
        .janitor = janitor_options(settings),
        .executor = {.http_calls = static_cast<std::size_t>(settings.http_task_calls), .commands = static_cast<std::size_t>(settings.command_tasks)},
        .min_interval = settings.min_interval,
        .strict_targets = settings.strict_targets,
    };
}

api::HttpServerOptions http_options(const Settings& settings, const Log& log) {
    api::HttpServerOptions options{.listen = settings.listen, .threads = settings.http_threads, .on_answer = access_log(log)};
    if (!settings.tls.certificate_file.empty()) options.tls = settings.tls;
    return options;
}

// After a pause somebody may send what two seconds would allow.
api::Rate rate_of(const Settings& settings) { return {.per_second = settings.rate_limit, .burst = 2 * settings.rate_limit}; }

bool may_come_back(const Error& error) { return error.code == ErrorCode::unavailable || error.code == ErrorCode::unknown; }

}  // namespace

Server::Server(const Settings& settings, const spec::ZoneDatabase& zones, const Clock& clock, const api::auth::Trust& trust, const Log& log)
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
      outgoing_(outgoing_options(settings)),
      anywhere_(operators_options(settings)),
      sealer_(sealing_keys(settings)),
      door_({.listen = settings.listen, .allowed_hosts = settings.allowed_hosts}),
      http_(door_.handler(), http_options(settings, log)) {}

Server::~Server() {
    if (engine_) engine_->stop();  // before the streams that it wakes
}

Result<void> Server::listen() { return http_.start(); }

void Server::reload() {
    if (const auto reloaded = http_.reload(); !reloaded) {
        log_.error("the certificates cannot be read; all stays as it was", {{"error", reloaded.error().message}});
    } else if (!settings_.tls.certificate_file.empty()) {
        log_.info("the certificates were read again");
    }
}

Result<void> Server::begin(const std::stop_token& ending) {
    // Keys that somebody named are looked at now, not when the first secret is kept.
    if (const auto keys = settings_.secret_key_file.empty() ? Result<void>() : sealer_.check(); !keys) return keys.error();
    auto commands = load_commands_file(settings_.commands_file);
    if (!commands) return commands.error();
    for (const auto& warning : commands->warnings) log_.warn(warning);
    auto connections = load_connections_file(settings_.connections_file, {outgoing_, anywhere_});
    if (!connections) return connections.error();
    for (const auto& warning : connections->warnings) log_.warn(warning);
    const auto wants_tokens = [](const auto& each) { return each.second.callbacks; };
    if (std::ranges::any_of(connections->connections, wants_tokens)) {
        if (const auto keys = sealer_.check(); !keys) return invalid("connections with callbacks need a key: " + keys.error().message);
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
    admission_ = std::make_unique<api::auth::Admission>(*access_, rate_of(settings_), steady_);
    auto options = engine_options(settings_);
    options.attendant.clock = options.reaper.clock = options.janitor.clock = &guard_;
    options.commands = std::move(commands->commands);
    options.connections = std::move(connections->connections);
    options.default_connection = usual == model::kBuiltIn ? std::string() : usual;
    options.http = &outgoing_;
    options.sealer = &sealer_;
    options.feed_grown = [this] { http_.wake(); };
    engine_ = std::make_unique<engine::Engine>(*store_, zones_, observers_, options);
    census_ = std::make_unique<engine::Census>(*store_);
    counting_ = std::make_unique<engine::Service>(*census_);
    api_ = std::make_unique<api::Api>(*engine_, api_options());
    engine_->start();
    counting_->start();
    door_.open(api_->handler());
    return {};
}

api::ApiOptions Server::api_options() {
    return {.health = [this] { return health_.read(); },
            .limits = {.defaults = settings_.defaults},
            .gate = admission_->gate(),
            .watcher =
                [this](const api::Served& served) {
                    http_metrics_.add(served);
                    requests_.add(served);
                },
            .metrics = {.engine = &metrics_, .store = &store_metrics_, .http = &http_metrics_, .counts = [this] { return census_->read(); }},
            .draining = [this] { return draining_.load(); },
            .default_tenant = settings_.default_tenant};
}

Result<void> Server::check_exposure() {
    const auto keys = store_->registry().keys();
    if (!keys) return keys.error();
    return api::auth::check_exposure(
        {.listen = settings_.listen, .mode = settings_.auth, .auth_file = trust_.current()->configured, .keys = !keys->empty()});
}

Result<std::unique_ptr<store::Store>> Server::wait_for_store(const std::stop_token& ending) {
    Backoff backoff(&system_random);
    engine::Wakeup never_rung;
    while (true) {
        auto store = open_store(settings_, zones_);
        if (store || !is_remote(settings_) || !may_come_back(store.error()) || ending.stop_requested()) return store;
        const auto wait = backoff.next();
        door_.wait_for("the store is away: " + api::public_message(store.error()));
        log_.warn("the store is away; trying again",
                  {{"error", store.error().message}, {"wait_ms", std::chrono::duration_cast<std::chrono::milliseconds>(wait).count()}});
        never_rung.wait(wait, ending);
        if (ending.stop_requested()) return store;
    }
}

void Server::drain() {
    draining_ = true;
    http_.say_goodbye();
    // Requests come until whoever sends them has seen that this server is not ready any more. What was not begun has nobody to wait for.
    if (engine_) std::this_thread::sleep_for(settings_.shutdown_delay);
    // Both at once: neither needs the other to end, and the drain time is not added to the last step.
    const auto began = std::chrono::steady_clock::now();
    auto stopped = std::async(std::launch::async, [this] {
        if (counting_) counting_->ask();
        if (engine_) engine_->stop();
        if (counting_) counting_->stop();
    });
    http_.stop(settings_.drain);
    if (stopped.wait_until(began + settings_.drain + kLastStepMax) == std::future_status::ready) return;
    // A statement that nobody answers. Ending in the middle of it is what every crash does, and nothing is lost by it.
    log_.error("the store does not answer; ending without it");
    std::_Exit(1);
}

}  // namespace belfry::app
