#include "simulation/sim_server.hpp"

#include "simulation/sim_broker.hpp"

namespace belfry::sim {

namespace {

engine::ClusterMemberOptions named(engine::ClusterMemberOptions options, const std::string& server) {
    options.server = server;
    return options;
}

// As engine/member.hpp and the others know the guard.
template <typename Options>
Options guarded(Options options, const ClockGuard* guard) {
    options.clock = guard;
    return options;
}

engine::TickerOptions ticker_options(const SimContext& context) {
    auto options = context.options.engine.ticker;
    if (context.mutant == Mutant::announcements_relied_on) options.sweep_every = std::chrono::hours{24 * 365};
    return options;
}

engine::Connections connections_to(SimContext& context) {
    engine::Connections all;
    auto& far = all[kFarConnection];
    far.name = kFarConnection;
    far.kind = "nats";
    far.retry_for = std::chrono::hours{24 * 365};  // longer than any world
    far.broker = std::make_shared<SimBroker>(context);
    far.broker_call_max = context.options.pace / 4;
    return all;
}

}  // namespace

SimServer::SimServer(SimContext& context, ProcessId process, std::string name)
    : context_(context),
      process_(process),
      name_(std::move(name)),
      random_(context.random.next()),
      steady_(context.loop, context_.random.between(Micros{0}, std::chrono::hours{1000})),
      guard_(steady_, context.options.clock_confirm),
      planted_(context, random_.between(-context.options.skew_max, context.options.skew_max)),
      store_(context, planted_, name_, guard()),
      observer_(context.coverage),
      ids_([this] { return random_.next(); }),
      schedules_(store_, test::zones(), observer_, ids_,
                 {context.options.engine.min_interval, context.options.engine.ticker.limits}),
      connections_(connections_to(context)),
      workflows_(store_, schedules_, connections_, commands_, context.options.engine.executor.http_timeout),
      runs_(store_, observer_),
      backfills_(store_, observer_, ids_),
      ticker_(store_, steady_, observer_, ticker_options(context), [this] { return random_.next(); }),
      member_(
          store_, steady_, observer_, guarded(named(context.options.engine.member, name_), guard()),
          [this] { return random_.next(); },
          [this](const engine::ShardAssignment& shares) {
              ticker_.share(shares);
              context_.loop.wake(ticking_);
              publisher_.share(shares);
              context_.loop.wake(carrying_);
          }),
      backfiller_(
          store_, observer_, [this] { return member_.leading(); }, context.options.engine.backfiller,
          [this] { return random_.next(); }),
      reaper_(
          store_, observer_, [this] { return member_.leading(); }, guarded(context.options.engine.reaper, guard()),
          [this] { return random_.next(); }),
      janitor_(
          store_, store_.registry(), observer_, [this] { return member_.leading(); },
          guarded(context.options.engine.janitor, guard()), [this] { return random_.next(); }),
      connection_stats_(connections_),
      publisher_({store_, runs_, observer_, steady_, connection_stats_}, connections_.at(kFarConnection), name_,
                 context.options.publisher, [this] { return random_.next(); }) {}

void SimServer::start() {
    loop(ticker_, ticking_);
    loop(publisher_, carrying_);
    for (engine::BackgroundJob* const worker :
         std::initializer_list<engine::BackgroundJob*>{&member_, &backfiller_, &reaper_, &janitor_}) {
        loop(*worker, others_);
    }
}

// What engine/jobs/service.cpp does on a thread.
void SimServer::loop(engine::BackgroundJob& worker, ActivityId& activity) {
    activity = context_.loop.start(process_, [this, &worker] {
        try {
            while (true) {
                const auto wait = worker.step();
                if (wait > Micros{0}) context_.loop.rest(wait);
            }
        } catch (const Crash&) {
            context_.crashed.push_back(process_);
        }
    });
}

void SimServer::on_notification(const store::Notification& notification) {
    if (const auto* const ready = std::get_if<store::TasksReady>(&notification)) {
        publisher_.on_notification(*ready);
        context_.loop.wake(carrying_);
    }
    ticker_.on_notification(notification);
    context_.loop.wake(ticking_);
}

}  // namespace belfry::sim
