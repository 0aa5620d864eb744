// The server as one process: the store, the engine on it, and HTTP in front. It only composes them.
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>

#include "api/api.hpp"
#include "api/auth/request_authorizer.hpp"
#include "api/http/http_server.hpp"
#include "api/http/request_log.hpp"
#include "api/telemetry/http_metrics.hpp"
#include "app/server/memory_trimmer.hpp"
#include "app/server/outgoing.hpp"
#include "app/server/startup_handler.hpp"
#include "app/settings/settings.hpp"
#include "base/log.hpp"
#include "engine/engine.hpp"
#include "engine/jobs/counts_sampler.hpp"
#include "engine/telemetry/decision_log.hpp"
#include "engine/telemetry/engine_metrics.hpp"
#include "engine/telemetry/health.hpp"
#include "engine/telemetry/observers.hpp"
#include "store/store_log.hpp"
#include "store/store_metrics.hpp"

namespace belfry::app {

class Server {
public:
    // REQUIRES: all arguments outlive it.
    Server(const Settings& settings, const spec::ZoneDatabase& zones, const Clock& clock, const api::auth::Trust& trust,
           const Log& log);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Starts to listen. Until begin() returns, the response to every request is that the server is starting.
    [[nodiscard]] Result<void> listen();
    [[nodiscard]] unsigned short port() const { return http_.port(); }

    // Reloads the certificates. It logs errors and then keeps the old ones. Any thread may call it.
    void reload();

    // Opens the store and starts the engine. It waits for a database that is unavailable until `ending` requests a
    // stop; then it returns without an error and has started nothing. It rejects an address that other machines can
    // reach if requests could not authenticate.
    [[nodiscard]] Result<void> begin(const std::stop_token& ending);

    // Reports that the server is not ready, and serves for the shutdown delay. Then it lets requests finish within the
    // drain time and the engine finish its step, and closes everything.
    void drain();

private:
    [[nodiscard]] api::ApiOptions api_options();
    [[nodiscard]] Result<std::unique_ptr<store::Store>> wait_for_store(const std::stop_token& ending);
    [[nodiscard]] Result<void> check_exposure();
    // On an open server: logs a warning, and rejects allowed_origins = *.
    [[nodiscard]] Result<void> check_open();

    const Settings& settings_;
    const spec::ZoneDatabase& zones_;
    const Clock& clock_;
    const SystemSteadyClock steady_;
    ClockGuard guard_;
    const api::auth::Trust& trust_;
    const Log& log_;
    engine::DecisionLog decisions_;
    engine::EngineMetrics metrics_;
    store::StoreMetrics store_metrics_;
    store::StoreLog store_log_{log_, store_metrics_};
    api::HttpMetrics http_metrics_;
    api::RequestLog requests_;
    engine::Health health_;
    engine::Observers observers_;
    std::atomic<bool> draining_ = false;
    CurlHttpClient outgoing_;
    CurlHttpClient anywhere_;  // for the operator's connections with allow_private
    Sealer sealer_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<engine::Engine> engine_;
    std::unique_ptr<api::auth::Access> access_;
    std::unique_ptr<api::auth::RequestAuthorizer> authorizer_;
    std::unique_ptr<engine::CountsSampler> counts_sampler_;
    std::unique_ptr<engine::Service> counting_;
    MemoryTrimmer trimmer_;
    engine::Service trimming_{trimmer_};
    std::unique_ptr<api::Api> api_;
    StartupHandler startup_;
    api::HttpServer http_;  // destroyed first, because its requests use all members above
};

}  // namespace belfry::app
