#include "simulation/sim_options.hpp"

#include "support/worlds/zones.hpp"

namespace belfry::sim {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// A fault is off in half of the worlds.
int maybe(SimRandom& random, int most) { return random.percent(50) ? random.number(1, most) : 0; }

Instant draw_beginning(SimRandom& random) {
    // Near the changes of clocks in the zones that schedules are drawn from, or far from all.
    const auto* const day = random.pick({"2026-06-01T00:00:00Z", "2026-03-07T20:00:00Z", "2026-10-31T20:00:00Z",
                                         "2026-04-04T06:00:00Z", "2026-10-03T06:00:00Z", "2026-12-31T12:00:00Z"});
    return test::instant(day) + random.between(Micros{0}, Micros{hours{12}});
}

StoreFaults draw_store(SimRandom& random, Micros pace) {
    StoreFaults faults;
    faults.slow = maybe(random, 60);
    faults.unavailable = maybe(random, 30);
    faults.conflict = maybe(random, 20);
    faults.unknown = maybe(random, 30);
    faults.crash = maybe(random, 4);
    faults.passed_over = maybe(random, 100);
    faults.latency_max = random.pick({Micros{milliseconds{2}}, Micros{milliseconds{50}}, pace / 10});
    faults.slow_max = pace * random.number(1, 6);
    return faults;
}

LineFaults draw_line(SimRandom& random, Micros pace) {
    LineFaults faults;
    faults.lost = maybe(random, 15);
    faults.doubled = maybe(random, 15);
    faults.delay_max = random.pick({Micros{milliseconds{5}}, Micros{milliseconds{200}}, pace});
    return faults;
}

ChaosRates draw_chaos(SimRandom& random) {
    ChaosRates rates;
    rates.kill = maybe(random, 400);
    rates.leave = maybe(random, 150);
    rates.freeze = maybe(random, 400);
    rates.store_outage = maybe(random, 200);
    rates.everything_down = maybe(random, 150);
    rates.clock_forward = random.percent(30) ? random.number(1, 200) : 0;
    rates.clock_back = random.percent(30) ? random.number(1, 300) : 0;
    rates.clock_step = random.percent(30) ? random.number(1, 300) : 0;
    rates.poison = maybe(random, 150);
    rates.worker_crash = maybe(random, 15);
    rates.worker_freeze = maybe(random, 15);
    return rates;
}

engine::EngineOptions draw_engine(SimRandom& random, Micros pace) {
    engine::EngineOptions options;
    options.ticker.tick = pace;
    options.ticker.limits.catchup_per_tick = random.pick({100, 100, 10, 3, 1});
    options.ticker.limits.lookahead = pace;
    options.ticker.batch = random.pick({std::size_t{1'000}, std::size_t{1'000}, std::size_t{2}, std::size_t{1}});
    options.ticker.runs_per_batch = random.pick({10'000, 10'000, 5});
    options.ticker.help_after = random.pick({Micros{milliseconds{250}}, pace / 4});
    options.ticker.sweep_every = pace * 20;
    options.ticker.sweep_least = pace;
    options.ticker.quarantine = options.backfiller.quarantine = options.reaper.quarantine = {pace * 2, pace * 10};
    options.member.lease = pace * 10;
    options.member.every = pace * 3;
    options.backfiller.tick = pace;
    options.backfiller.page = random.pick({100, 7, 1});
    options.reaper.tick = pace * 2;
    options.reaper.batch = random.pick({std::size_t{100}, std::size_t{1}});
    options.janitor.every = pace * 30;
    options.janitor.between = pace / 4;
    options.janitor.batch = random.pick({std::size_t{1'000}, std::size_t{3}});
    if (random.percent(12)) options.janitor.keep_newest = random.number(5, 30);
    if (random.percent(12)) options.janitor.keep_for = pace * random.number(20, 100);
    if (random.percent(25)) options.janitor.keep_deleted_for = pace * random.number(5, 60);
    if (random.percent(50)) options.janitor.keep_letters_for = pace * random.number(0, 60);
    options.min_interval = Seconds{1};
    return options;
}

}  // namespace

SimOptions draw_options(SimRandom& random) {
    SimOptions options;
    options.pace = random.pick({Seconds{1}, Seconds{15}, Seconds{60}, Seconds{60}, Seconds{300}});
    options.paces = random.number(60, 200);
    options.beginning = draw_beginning(random);
    options.servers = random.pick({1, 2, 2, 3, 4});
    options.workers = random.percent(10) ? 0 : random.number(1, 4);
    options.schedules = random.number(1, 4);
    options.workflows = random.percent(50) ? random.number(1, 2) : 0;
    options.commands = random.percent(15) ? 0 : random.number(3, 25);
    if (random.percent(93)) {  // a world without faults keeps the others honest
        options.store = draw_store(random, options.pace);
        options.line = draw_line(random, options.pace);
        options.notifications = draw_line(random, options.pace);
        if (random.percent(8)) options.notifications.lost = 100;  // nobody listens any more
        options.chaos = draw_chaos(random);
    }
    options.outage_max = random.percent(10) ? Micros{hours{24 * 21}} : options.pace * random.number(5, 200);
    options.clock_confirm = options.pace * random.number(1, 6);
    options.clock_step_max = options.pace * random.pick({20, 100, 1'000});
    options.worker_lease = options.pace * random.number(1, 5);
    options.work_max = options.pace * random.number(1, 6);
    options.work_fails = random.pick({0, 20, 60});
    options.engine = draw_engine(random, options.pace);
    options.broker_breaks = random.pick({0, 20, 200});
    options.publisher = {.batch = random.pick({std::size_t{100}, std::size_t{3}, std::size_t{1}}),
                         .lease = options.pace * 2,
                         .look_every = options.pace,
                         .sweep_every = options.pace * 3,
                         .pauses = {.first = options.pace / 10, .longest = options.pace}};
    if (random.percent(80)) options.agent.spending_limit = model::Credits{random.number(1, 5) * 1'000'000};
    if (random.percent(60)) options.agent.credits_per_day = model::Credits{random.number(5, 40) * 1'000'000};
    if (random.percent(30)) options.agent.max_runs_per_day = random.number(1, 30);
    return options;
}

}  // namespace belfry::sim
