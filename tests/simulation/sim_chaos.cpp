#include "simulation/sim_chaos.hpp"

namespace belfry::sim {

void SimChaos::begin() {
    const auto& rates = context_.options.chaos;
    plan(rates.kill, &SimChaos::kill);
    plan(rates.leave, &SimChaos::stop);
    plan(rates.freeze, &SimChaos::freeze);
    plan(rates.store_outage, &SimChaos::store_outage);
    plan(rates.everything_down, &SimChaos::everything_down);
    plan(rates.clock_forward, &SimChaos::clock_forward);
    plan(rates.clock_back, &SimChaos::clock_back);
    plan(rates.clock_step, &SimChaos::clock_step);
    plan(rates.poison, &SimChaos::poison);
}

void SimChaos::plan(int rate, void (SimChaos::*happens)()) {
    const int times = rate / 100 + (context_.random.percent(rate % 100) ? 1 : 0);
    for (int i = 0; i < times; ++i) {
        context_.loop.at(context_.random.between(Micros{0}, context_.options.duration()), [this, happens] {
            if (!context_.healed) (this->*happens)();
        });
    }
}

std::size_t SimChaos::some_server() {
    return static_cast<std::size_t>(context_.random.between(0, static_cast<std::int64_t>(cluster_.size()) - 1));
}

void SimChaos::kill() {
    context_.coverage.see(Sight::server_killed);
    // Now and then for good: the others have to do without it.
    const bool for_good = context_.random.percent(15);
    const auto downtime = context_.random.between(Micros{0}, context_.options.pace * 20);
    cluster_.kill(some_server(), for_good ? std::nullopt : std::optional{downtime});
}

void SimChaos::stop() { cluster_.stop(some_server(), context_.random.between(Micros{0}, context_.options.pace * 20)); }

void SimChaos::freeze() {
    cluster_.freeze(some_server(), context_.random.between(Micros{0}, context_.options.engine.member.lease * 3));
}

void SimChaos::store_outage() {
    context_.coverage.see(Sight::store_outage);
    const auto duration = context_.random.between(Micros{0}, context_.options.pace * 20);
    context_.store_out_until = context_.loop.time() + duration;
    context_.tell("database", 1, [&] { return "is away for " + std::to_string(duration.count() / 1'000'000) + " s"; });
}

// Long: weeks at times. Everybody else waits with them, so nothing else has to be simulated meanwhile.
void SimChaos::everything_down() {
    context_.coverage.see(Sight::everything_down);
    for (std::size_t place = 0; place < cluster_.size(); ++place) cluster_.kill(place, context_.options.pace);
    const auto duration = context_.random.between(Micros{0}, context_.options.outage_max);
    context_.tell("world", 2, [&] { return "is down for " + std::to_string(duration.count() / 1'000'000) + " s"; });
    context_.clock.jump(duration);
}

void SimChaos::clock_forward() {
    context_.coverage.see(Sight::clock_jumped_forward);
    const auto by = context_.random.between(Micros{0}, context_.options.outage_max / 4);
    context_.tell("clock", 1, [&] { return "jumps forward by " + std::to_string(by.count() / 1'000'000) + " s"; });
    context_.clock.jump(by);
}

// Slightly: what a time service does to a clock that runs fast.
void SimChaos::clock_back() {
    context_.coverage.see(Sight::clock_went_back);
    const auto by = context_.random.between(Micros{1}, std::max(Micros{Seconds{2}}, context_.options.pace / 2));
    context_.tell("clock", 2, [&] { return "goes back by " + std::to_string(by.count() / 1'000) + " ms"; });
    context_.clock.jump(-by);
}

// Far, forward or back, and perhaps it is put right again: at once, or when servers have come to believe in it.
void SimChaos::clock_step() {
    const auto far = context_.random.between(context_.options.pace, context_.options.clock_step_max);
    const auto by = context_.random.percent(60) ? far : -far;
    context_.coverage.see(by > Micros{0} ? Sight::clock_jumped_forward : Sight::clock_stepped_back);
    context_.tell("clock", 3, [&] { return "steps by " + std::to_string(by.count() / 1'000'000) + " s"; });
    context_.clock.jump(by);
    if (context_.random.percent(30)) return;
    context_.loop.after(context_.random.between(Micros{0}, context_.options.clock_confirm * 3), [this, by] {
        if (context_.healed) return;
        context_.coverage.see(Sight::clock_put_right);
        context_.tell("clock", 4, [&] { return "is put right by " + std::to_string(-by.count() / 1'000'000) + " s"; });
        context_.clock.jump(-by);
    });
}

void SimChaos::poison() {
    if (context_.schedules.empty()) return;
    const auto id = context_.random.pick(context_.schedules);
    context_.poisoned.insert(id);
    context_.tell("database", 2, [&] { return "cannot read " + id; });
    context_.loop.after(context_.random.between(Micros{0}, context_.options.pace * 30),
                        [this, id] { context_.poisoned.erase(id); });
}

}  // namespace belfry::sim
