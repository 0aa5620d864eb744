// The server as one process: the store, the engine on it, and HTTP in front. Composes; decides nothing.
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>

#include "api/api.hpp"
#include "api/auth/admission.hpp"
#include "api/http_metrics.hpp"
#include "api/http_server.hpp"
#include "api/request_log.hpp"
#include "app/front_door.hpp"
#include "app/outgoing.hpp"
#include "app/settings.hpp"
#include "base/log.hpp"
#include "engine/census.hpp"
#include "engine/decision_log.hpp"
#include "engine/engine.hpp"
#include "engine/engine_metrics.hpp"
#include "engine/health.hpp"
#include "engine/observers.hpp"
#include "store/store_log.hpp"
#include "store/store_metrics.hpp"

namespace belfry::app {

class Server {
public:
    // REQUIRES: all of them outlive it.
    Server(const Settings& settings, const spec::ZoneDatabase& zones, const Clock& clock, const api::auth::Trust& trust, const Log& log);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Listens; until begin() every request is answered that the server is starting.
    [[nodiscard]] Result<void> listen();
    [[nodiscard]] unsigned short port() const { return http_.port(); }

    // Reads the certificates again; errors are logged, and all stays as it was. On any thread.
    void reload();

    // Opens the store and starts to work. A database that is away is waited for, until `ending` is asked to stop: then
    // nothing was begun, and that is no error. Refuses to answer strangers where nobody could be known.
    [[nodiscard]] Result<void> begin(const std::stop_token& ending);

    // Says that it is not ready, and serves on for the shutdown delay. Then lets requests finish within the drain time, and the engine its
    // step; then everything is closed.
    void drain();

private:
    [[nodiscard]] api::ApiOptions api_options();
    [[nodiscard]] Result<std::unique_ptr<store::Store>> wait_for_store(const std::stop_token& ending);
    [[nodiscard]] Result<void> check_exposure();

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
    CurlHttpClient anywhere_;  // for connections of the operator's that may be private
    Sealer sealer_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<engine::Engine> engine_;
    std::unique_ptr<api::auth::Access> access_;
    std::unique_ptr<api::auth::Admission> admission_;
    std::unique_ptr<engine::Census> census_;
    std::unique_ptr<engine::Service> counting_;
    std::unique_ptr<api::Api> api_;
    FrontDoor door_;
    api::HttpServer http_;  // goes first, because its requests use all of the above
};

}  // namespace belfry::app
