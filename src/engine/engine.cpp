#include "engine/engine.hpp"

#include "engine/callback_token.hpp"
#include "engine/courier.hpp"
#include "engine/executor.hpp"
#include "engine/http_task.hpp"
#include "engine/launcher.hpp"
#include "engine/task_signing.hpp"
#include "model/identity.hpp"

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
      connections_(options.connections),
      commands_(options.commands),
      observers_{observer, backfill_bell_},
      schedules_(store, zones, observers_, ids_,
                 {options.min_interval, options.ticker.limits, options.http, options.strict_targets, &connections_, &commands_}),
      runs_(store, observers_),
      callbacks_(store, runs_, connections_, options.default_connection),
      backfills_(store, observers_, ids_),
      calendars_(store, zones, schedules_),
      tenants_(store),
      assignees_(store),
      assignments_(store, ids_),
      workflows_(store, schedules_, connections_, commands_),
      ticker_(store, steady_, observers_, options.ticker, &system_random),
      next_up_(store, ticker_),
      attendant_(store, steady_, observers_, with_server(options.attendant, server_), &system_random,
                 [this](const Shares& shares) {
                     ticker_.share(shares);
                     ticking_.wake();
                     for (std::size_t i = 0; i < couriers_.size(); ++i) {
                         couriers_[i]->share(shares);
                         carrying_[i]->wake();
                     }
                 }),
      backfiller_(
          store, observers_, [this] { return attendant_.leading(); }, options.backfiller, &system_random),
      reaper_(
          store, observers_, [this] { return attendant_.leading(); }, options.reaper, &system_random),
      janitor_(
          store, observers_, [this] { return attendant_.leading(); }, options.janitor, &system_random),
      sealer_(options.sealer),
      ticking_(ticker_),
      feed_grown_(std::move(options.feed_grown)) {
    for (Worker* const worker : std::initializer_list<Worker*>{&attendant_, &backfiller_, &reaper_, &janitor_, &task_bell_}) {
        others_.push_back(std::make_unique<Service>(*worker));
    }
    backfill_bell_.ring = [service = others_[1].get()] { service->wake(); };
    ringing_ = others_.back().get();
    executor_ = make_executor(options, observers_);
    executing_ = others_.emplace_back(std::make_unique<Service>(*executor_)).get();
    make_couriers(options, observers_);
    if (options.http == nullptr || options.sealer == nullptr) return;
    signals_ = std::make_unique<Signals>(*options.http, steady_, Signals::Options{}, [this](const std::string& schedule_id, Instant due) {
        ticker_.hear(store::ScheduleMoved{.key = model::key_of(schedule_id), .next_fire = due});
        ticking_.wake();
    });
    ticker_.ask(*signals_);
    webhooks_ = std::make_unique<Webhooks>(Webhooks::Collaborators{store, *options.http, *options.sealer, ids_});
    deliverer_ = std::make_unique<Deliverer>(
        store, observers_, [this] { return attendant_.leading(); }, Deliverer::Outgoing{*options.http, *options.sealer}, options.deliverer,
        &system_random);
    delivering_ = others_.emplace_back(std::make_unique<Service>(*deliverer_)).get();
}

Engine::~Engine() { stop(); }

std::unique_ptr<Executor> Engine::make_executor(const EngineOptions& options, Observer& observer) {
    std::vector<Executor::Queue> queues;
    if (options.http != nullptr) {
        queues.push_back({model::kHttpQueue, options.executor.http_calls,
                          [task = HttpTask(*options.http, options.sealer)](const model::Task& claimed, Instant now, const std::stop_token& stop) {
                              return task.run(claimed, now, stop);
                          }});
    }
    queues.push_back({model::kCommandQueue, options.executor.commands,
                      [task = std::make_shared<CommandTask>(options.commands)](const model::Task& claimed, Instant, const std::stop_token& stop) {
                          return task->run(claimed, stop);
                      }});
    return std::make_unique<Executor>(Executor::Collaborators{store_, runs_, observer, steady_}, "executor:" + server_, std::move(queues),
                                      options.executor, &system_random, [this] { executing_->wake(); });
}

void Engine::make_couriers(const EngineOptions& options, Observer& observer) {
    std::vector<Executor::Queue> queues;
    for (const auto& [name, connection] : connections_) {
        if (connection.broker) {
            auto& courier =
                couriers_.emplace_back(std::make_unique<Courier>(Courier::Collaborators{store_, runs_, observer, steady_, book_, options.sealer},
                                                                 connection, server_, CourierOptions{}, &system_random));
            carrying_.push_back(others_.emplace_back(std::make_unique<Service>(*courier)).get());
        } else if (connection.launcher) {
            const auto& launcher = *launchers_.emplace_back(std::make_unique<Launcher>(connection, options.sealer, steady_, book_));
            queues.push_back(
                {std::string(model::kHandOverQueues) + name, connection.launcher->calls,
                 [&launcher](const model::Task& claimed, Instant now, const std::stop_token& stop) { return launcher.run(claimed, now, stop); }});
        }
    }
    if (queues.empty()) return;
    launching_ =
        std::make_unique<Executor>(Executor::Collaborators{store_, runs_, observer, steady_}, std::string(model::kCourierMark) + "http:" + server_,
                                   std::move(queues), options.executor, &system_random, [this] { launching_service_->wake(); });
    launching_service_ = others_.emplace_back(std::make_unique<Service>(*launching_)).get();
}

bool Engine::is_callback_token(std::string_view token, const std::string& tenant, const std::string& run_id, const std::string& node) {
    if (sealer_ == nullptr) return false;
    const auto is_one = engine::is_callback_token(*sealer_, token, tenant, run_id, node);
    return is_one && *is_one;
}

Result<std::string> Engine::task_signing_secret(const std::string& tenant) {
    if (sealer_ == nullptr) return Error{ErrorCode::unavailable, "this server has no key to sign with"};
    return engine::task_signing_secret(*sealer_, tenant);
}

void Engine::hear(const store::Announcement& announcement) {
    const bool again = std::holds_alternative<store::LookAgain>(announcement);
    const bool feed = std::holds_alternative<store::FeedGrown>(announcement);
    if (feed || again) {
        if (delivering_ != nullptr) delivering_->wake();
        if (feed_grown_) feed_grown_();
    }
    if (feed) return;
    if (const auto* const ready = std::get_if<store::TasksReady>(&announcement)) {
        if (ready->queue.starts_with(model::kOwnQueueMark)) {
            return hear_own(*ready);
        }
        const auto line = line_key(ready->tenant, ready->queue, ready->assignee);
        if (!ready->ready_at) return task_waiters_.ring(line);
        task_waiters_.ring_in(line, std::max(Micros{0}, *ready->ready_at - SystemClock().now()));
        return ringing_->wake();
    }
    if (again) {
        task_waiters_.ring_all();
        executor_->look_again();
        executing_->wake();
        if (launching_) {
            launching_->look_again();
            launching_service_->wake();
        }
        for (std::size_t i = 0; i < couriers_.size(); ++i) {
            couriers_[i]->look_again();
            carrying_[i]->wake();
        }
    }
    ticker_.hear(announcement);
    ticking_.wake();
}

void Engine::hear_own(const store::TasksReady& ready) {
    const auto connection = model::connection_of(ready.queue);
    if (connection.empty()) {
        executor_->hear(ready);
        return executing_->wake();
    }
    const auto found = connections_.find(connection);
    if (found == connections_.end()) return;
    if (!found->second.broker) {
        if (!launching_) return;
        launching_->hear(ready);
        return launching_service_->wake();
    }
    for (std::size_t i = 0; i < couriers_.size(); ++i) {
        if (!couriers_[i]->carries_to(connection)) continue;
        couriers_[i]->hear(ready);
        carrying_[i]->wake();
    }
}

void Engine::start() {
    running_ = true;
    store_.listen([this](const store::Announcement& announcement) { hear(announcement); });
    ticking_.start();
    for (auto& service : others_) service->start();
}

void Engine::stop() {
    if (!running_) return;
    running_ = false;
    store_.listen({});
    ticking_.ask();
    for (auto& service : others_) service->ask();
    if (deliverer_) deliverer_->interrupt();  // a receiver may take longer than whoever ends the server wants to wait
    for (auto& courier : couriers_) courier->interrupt();
    ticking_.stop();
    for (auto& service : others_) service->stop();
    executor_->finish();
    if (launching_) launching_->finish();
    for (auto& courier : couriers_) courier->finish();
    attendant_.leave();
}

std::vector<Quarantined> Engine::quarantined() const {
    auto all = ticker_.quarantined();
    for (auto& each : {backfiller_.quarantined(), reaper_.quarantined()}) all.insert(all.end(), each.begin(), each.end());
    return all;
}

}  // namespace belfry::engine
