#include "engine/engine.hpp"

#include "engine/jobs/broker_publisher.hpp"
#include "engine/jobs/executor.hpp"
#include "engine/outgoing/http_launcher.hpp"
#include "engine/outgoing/http_task.hpp"
#include "engine/outgoing/task_signing.hpp"
#include "model/identity.hpp"

namespace belfry::engine {

namespace {

ClusterMemberOptions with_server(ClusterMemberOptions options, const std::string& server) {
    options.server = server;
    return options;
}

}  // namespace

Engine::Engine(store::Store& store, const spec::ZoneDatabase& zones, Observer& observer, EngineOptions options)
    : store_(store),
      zones_(zones),
      ids_(&system_random),
      server_(options.member.server.empty() ? ids_.make(SystemClock().now()) : options.member.server),
      connections_(options.connections),
      commands_(options.commands),
      observers_{observer, backfill_bell_},
      schedules_(store, zones, observers_, ids_,
                 {options.min_interval, options.ticker.limits, nullptr, options.strict_targets, &connections_,
                  &commands_, options.executor.http_timeout}),
      runs_(store, observers_),
      forecaster_(store, zones, schedules_, FairPlaces(options.forecasts)),
      callbacks_(store, runs_, connections_, {options.default_connection, options.sealer}),
      backfills_(store, observers_, ids_),
      calendars_(store, zones, schedules_),
      tenants_(store),
      assignees_(store),
      assignments_(store, schedules_, ids_),
      workflows_(store, schedules_, connections_, commands_, options.executor.http_timeout),
      ticker_(store, steady_, observers_, options.ticker, &system_random),
      next_up_(store, store, ticker_),
      member_(store, steady_, observers_, with_server(options.member, server_), &system_random,
              [this](const ShardAssignment& shares) {
                  ticker_.share(shares);
                  ticking_.wake();
                  for (std::size_t i = 0; i < publishers_.size(); ++i) {
                      publishers_[i]->share(shares);
                      publishing_[i]->wake();
                  }
              }),
      backfiller_(
          store, observers_, [this] { return member_.leading(); }, options.backfiller, &system_random),
      reaper_(
          store, observers_, [this] { return member_.leading(); }, options.reaper, &system_random),
      janitor_(
          store, store.registry(), observers_, [this] { return member_.leading(); }, options.janitor, &system_random),
      archiver_(
          store, observers_, [this] { return member_.leading(); }, std::move(options.archiver), &system_random),
      usage_(
          store, [this] { return member_.leading(); }, options.usage),
      sealer_(options.sealer),
      ticking_(ticker_),
      feed_grown_(std::move(options.feed_grown)) {
    for (BackgroundJob* const worker : std::initializer_list<BackgroundJob*>{
             &member_, &backfiller_, &reaper_, &janitor_, &archiver_, &usage_, &long_poll_timer_}) {
        others_.push_back(std::make_unique<Service>(*worker));
    }
    backfill_bell_.ring = [service = others_[1].get()] { service->wake(); };
    ringing_ = others_.back().get();
    executor_ = make_executor(options, observers_);
    executing_ = others_.emplace_back(std::make_unique<Service>(*executor_)).get();
    make_publishers(options, observers_);
    if (options.http == nullptr || options.sealer == nullptr) return;
    signals_ = std::make_unique<Signals>(
        *options.http, steady_, options.signals, [this](const std::string& schedule_id, Instant due) {
            ticker_.on_notification(store::ScheduleMoved{.key = model::key_of(schedule_id), .next_fire = due});
            ticking_.wake();
        });
    ticker_.ask(*signals_);
    schedules_.ask(*signals_);
    webhooks_ = std::make_unique<Webhooks>(Webhooks::Collaborators{store, *options.http, *options.sealer, ids_});
    deliverer_ = std::make_unique<Deliverer>(
        store, observers_, [this] { return member_.leading(); }, Deliverer::Outgoing{*options.http, *options.sealer},
        options.deliverer, &system_random);
    delivering_ = others_.emplace_back(std::make_unique<Service>(*deliverer_)).get();
}

Engine::~Engine() { stop(); }

std::unique_ptr<Executor> Engine::make_executor(const EngineOptions& options, Observer& observer) {
    std::vector<Executor::Queue> queues;
    if (options.http != nullptr) {
        queues.push_back({model::kHttpQueue, options.executor.http_calls,
                          [task = HttpTask(*options.http, options.sealer, options.executor.http_timeout)](
                              const model::Task& claimed, Instant now, const std::stop_token& stop) {
                              return task.run(claimed, now, stop);
                          }});
    }
    queues.push_back(
        {model::kCommandQueue, options.executor.commands,
         [task = std::make_shared<CommandTask>(options.commands)](
             const model::Task& claimed, Instant, const std::stop_token& stop) { return task->run(claimed, stop); }});
    return std::make_unique<Executor>(Executor::Collaborators{store_, runs_, observer, steady_}, "executor:" + server_,
                                      std::move(queues), options.executor, &system_random,
                                      [this] { executing_->wake(); });
}

void Engine::make_publishers(const EngineOptions& options, Observer& observer) {
    std::vector<Executor::Queue> queues;
    for (const auto& [name, connection] : connections_) {
        if (connection.broker) {
            auto& publisher = publishers_.emplace_back(std::make_unique<BrokerPublisher>(
                BrokerPublisher::Collaborators{store_, runs_, observer, steady_, connection_stats_, options.sealer},
                connection, server_, BrokerPublisherOptions{}, &system_random));
            publishing_.push_back(others_.emplace_back(std::make_unique<Service>(*publisher)).get());
        } else if (connection.launcher) {
            const auto& launcher = *launchers_.emplace_back(
                std::make_unique<HttpLauncher>(connection, options.sealer, steady_, connection_stats_));
            queues.push_back({std::string(model::kHandOverQueues) + name, connection.launcher->calls,
                              [&launcher](const model::Task& claimed, Instant now, const std::stop_token& stop) {
                                  return launcher.run(claimed, now, stop);
                              }});
        }
    }
    if (queues.empty()) return;
    launching_ = std::make_unique<Executor>(Executor::Collaborators{store_, runs_, observer, steady_},
                                            std::string(model::kPublisherMark) + "http:" + server_, std::move(queues),
                                            options.executor, &system_random, [this] { launching_service_->wake(); });
    launching_service_ = others_.emplace_back(std::make_unique<Service>(*launching_)).get();
}

Result<std::string> Engine::task_signing_secret(const std::string& tenant) {
    if (sealer_ == nullptr) return Error{ErrorCode::unavailable, "this server has no key to sign with"};
    return engine::task_signing_secret(*sealer_, tenant);
}

void Engine::on_notification(const store::Notification& notification) {
    const bool again = std::holds_alternative<store::Resync>(notification);
    const bool feed = std::holds_alternative<store::FeedGrown>(notification);
    if (feed || again) {
        if (delivering_ != nullptr) delivering_->wake();
        if (feed_grown_) feed_grown_();
    }
    if (feed) return;
    if (const auto* const ready = std::get_if<store::TasksReady>(&notification)) {
        if (ready->queue.starts_with(model::kOwnQueueMark)) {
            return notify_own_jobs(*ready);
        }
        const auto line = line_key(ready->tenant, ready->queue, ready->assignee);
        if (!ready->ready_at) return long_polls_.ring(line);
        long_polls_.ring_in(line, std::max(Micros{0}, *ready->ready_at - SystemClock().now()));
        return ringing_->wake();
    }
    if (again) {
        long_polls_.ring_all();
        executor_->look_again();
        executing_->wake();
        if (launching_) {
            launching_->look_again();
            launching_service_->wake();
        }
        for (std::size_t i = 0; i < publishers_.size(); ++i) {
            publishers_[i]->look_again();
            publishing_[i]->wake();
        }
    }
    ticker_.on_notification(notification);
    ticking_.wake();
}

void Engine::notify_own_jobs(const store::TasksReady& ready) {
    const auto connection = model::connection_of(ready.queue);
    if (connection.empty()) {
        executor_->on_notification(ready);
        return executing_->wake();
    }
    const auto found = connections_.find(connection);
    if (found == connections_.end()) return;
    if (!found->second.broker) {
        if (!launching_) return;
        launching_->on_notification(ready);
        return launching_service_->wake();
    }
    for (std::size_t i = 0; i < publishers_.size(); ++i) {
        if (!publishers_[i]->carries_to(connection)) continue;
        publishers_[i]->on_notification(ready);
        publishing_[i]->wake();
    }
}

void Engine::start() {
    running_ = true;
    store_.listen([this](const store::Notification& notification) { on_notification(notification); });
    ticking_.start();
    for (auto& service : others_) service->start();
}

void Engine::stop() {
    if (!running_) return;
    running_ = false;
    store_.listen({});
    ticking_.ask();
    for (auto& service : others_) service->ask();
    if (deliverer_) deliverer_->interrupt();  // a receiver may take longer than a shutdown should
    for (auto& publisher : publishers_) publisher->interrupt();
    ticking_.stop();
    for (auto& service : others_) service->stop();
    executor_->finish();
    if (launching_) launching_->finish();
    for (auto& publisher : publishers_) publisher->finish();
    member_.leave();
}

}  // namespace belfry::engine
