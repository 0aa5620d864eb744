// What all parts of one simulated world share.
#pragma once

#include <map>
#include <set>
#include <string>

#include "simulation/fibers/sim_clock.hpp"
#include "simulation/fibers/sim_loop.hpp"
#include "simulation/fibers/sim_random.hpp"
#include "simulation/mutants/mutant.hpp"
#include "simulation/oracle/coverage.hpp"
#include "simulation/oracle/oracle.hpp"
#include "simulation/sim_options.hpp"
#include "simulation/sim_trace.hpp"
#include "store/memory/memory_store.hpp"
#include "support/worlds/zones.hpp"

namespace belfry::sim {

struct SimContext {
    SimContext(Fibers& fibers, std::uint64_t seed, Mutant planted, bool keeps_lines)
        : mutant(planted),
          random(seed),
          options(draw_options(random)),
          trace(keeps_lines),
          loop(fibers),
          clock(loop, options.beginning, options.clock_confirm, options.clock_blur()),
          database(test::zones(), &clock),
          oracle(database, clock, options, coverage) {}

    const Mutant mutant;
    SimRandom random;
    const SimOptions options;
    SimTrace trace;
    Coverage coverage;
    SimLoop loop;
    DatabaseClock clock;
    store::MemoryStore database;
    Oracle oracle;

    bool healed = false;                      // no faults any more
    Micros store_out_until{0};                // of real time
    std::set<std::string> poisoned = {};      // schedules that cannot be decided at the moment
    std::set<std::string> arrived = {};       // keys of messages that the broker has
    std::vector<ProcessId> crashed = {};      // processes that are to be buried
    std::vector<std::string> schedules = {};  // ids, in the order in which they were made

    // A line of the trace and a part of its hash. `make` says the words, when somebody reads them.
    template <typename Make>
    void tell(std::string_view who, std::uint64_t mixed, const Make& make) {
        trace.mix(static_cast<std::uint64_t>(loop.time().count()));
        trace.mix(who);
        trace.mix(mixed);
        if (trace.keeps_lines()) trace.add_line(format_instant(clock.now()) + " " + std::string(who) + " " + make());
    }
};

}  // namespace belfry::sim
