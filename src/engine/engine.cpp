#include "engine/engine.hpp"

namespace belfry::engine {

namespace {

AttendantOptions with_server(AttendantOptions options, const std::string& server) {
    options.server = server;
    return options;
}

}  // namespace

Engine::Engine(store::Store& store, const spec::ZoneDatabase& zones, Observer& observer, EngineOptions options)
    : store_(store),
      zones_(zones),
      ids_(&system_random),
      server_(options.attendant.server.empty() ? ids_.make(SystemClock().now()) : options.attendant.server),
      schedules_(store, zones, observer, ids_, {options.min_interval, options.ticker.limits}),
      runs_(store, observer),
      backfills_(store, observer, ids_),
      ticker_(store, steady_, observer, options.ticker, &system_random),
      next_up_(store, ticker_),
      attendant_(store, steady_, observer, with_server(options.attendant, server_), &system_random,
                 [this](const Shares& shares) {
                     ticker_.share(shares);
                     ticking_.wake();
                 }),
      backfiller_(
          store, observer, [this] { return attendant_.leading(); }, options.backfiller, &system_random),
      reaper_(
          store, observer, [this] { return attendant_.leading(); }, options.reaper, &system_random),
      janitor_(
          store, observer, [this] { return attendant_.leading(); }, options.janitor, &system_random),
      ticking_(ticker_),
      others_{std::make_unique<Service>(attendant_), std::make_unique<Service>(backfiller_), std::make_unique<Service>(reaper_),
              std::make_unique<Service>(janitor_)} {}

Engine::~Engine() { stop(); }

void Engine::start() {
    running_ = true;
    store_.listen([this](const store::Announcement& announcement) {
        ticker_.hear(announcement);
        ticking_.wake();
    });
    ticking_.start();
    for (auto& service : others_) service->start();
}

void Engine::stop() {
    if (!running_) return;
    running_ = false;
    store_.listen({});
    ticking_.ask();
    for (auto& service : others_) service->ask();
    ticking_.stop();
    for (auto& service : others_) service->stop();
    attendant_.leave();
}

}  // namespace belfry::engine
