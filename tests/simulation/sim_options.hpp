// What one simulated world is like. Each seed draws its own mix (a swarm): rare bugs hide from a fixed mix, because a
// fault that is always there keeps the world from getting far enough for another.
#pragma once

#include "base/time/instant.hpp"
#include "engine/engine.hpp"
#include "engine/jobs/broker_publisher.hpp"
#include "simulation/fibers/sim_random.hpp"

namespace belfry::sim {

// How often a call to the store goes wrong, in thousandths.
struct StoreFaults {
    int slow = 0;
    int unavailable = 0;
    int conflict = 0;
    int unknown = 0;  // half of them committed
    int crash = 0;    // before or after the effect
    int passed_over = 0;
    Micros latency_max = std::chrono::milliseconds{20};
    Micros slow_max = Seconds{1};
};

// Of what is sent between clients and servers, in hundredths.
struct LineFaults {
    int lost = 0;
    int doubled = 0;
    Micros delay_max = std::chrono::milliseconds{50};
};

// How many times in the life of a world, on average; hundredths.
struct ChaosRates {
    int kill = 0;
    int leave = 0;
    int freeze = 0;
    int store_outage = 0;
    int everything_down = 0;
    int clock_forward = 0;
    int clock_back = 0;
    int clock_step = 0;
    int poison = 0;
    int worker_crash = 0;  // in hundredths of tasks
    int worker_freeze = 0;
};

struct SimOptions {
    Micros pace = Seconds{60};  // everything periodic is a multiple of this
    int paces = 200;            // how long the faults last
    Instant beginning = {};
    int servers = 1;
    int workers = 1;
    int schedules = 1;
    int workflows = 0;  // names of them; what each means is deployed anew now and then
    int commands = 10;  // of operators, after the schedules are made
    StoreFaults store = {};
    LineFaults line = {};
    LineFaults notifications = {};
    ChaosRates chaos = {};
    Micros outage_max = std::chrono::hours{6};
    Micros clock_confirm = Seconds{60};  // what a step of the database's clock has to hold for
    Micros clock_step_max = std::chrono::hours{1};
    Micros skew_max = std::chrono::hours{3};  // of a server's own clock, which nothing may depend on
    Micros worker_lease = Seconds{60};
    Micros work_max = Seconds{60};
    int work_fails = 20;    // percent
    int broker_breaks = 0;  // permille of messages, twice: on the way there and on the way back
    engine::BrokerPublisherOptions publisher = {};
    model::AssigneePolicies agent = {};  // what the agent may use
    engine::EngineOptions engine = {};

    [[nodiscard]] Micros duration() const { return pace * paces; }
    // How long a call may take, which is how far apart the moments are between which the clock was read.
    [[nodiscard]] Micros clock_blur() const {
        const auto call = store.latency_max * 2 + (store.slow > 0 ? store.slow_max * 2 : Micros{0});
        return 2 * kClockTolerance + call + (chaos.freeze > 0 ? engine.member.lease * 3 : Micros{0});
    }
};

[[nodiscard]] SimOptions draw_options(SimRandom& random);

}  // namespace belfry::sim
