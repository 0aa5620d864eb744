// What happens to a world from outside: servers are killed, stopped and frozen, the database is away, its clock jumps,
// a schedule's row cannot be read.
#pragma once

#include "simulation/sim_cluster.hpp"

namespace belfry::sim {

class SimChaos {
public:
    SimChaos(SimContext& context, SimCluster& cluster) : context_(context), cluster_(cluster) {}

    // Draws what happens when. REQUIRES: the loop does not outlive it.
    void begin();

private:
    // About rate / 100 times in the life of the world.
    void plan(int rate, void (SimChaos::*happens)());
    [[nodiscard]] std::size_t some_server();

    void kill();
    void stop();
    void freeze();
    void store_outage();
    void everything_down();
    void clock_forward();
    void clock_back();
    void clock_step();
    void poison();

    SimContext& context_;
    SimCluster& cluster_;
};

}  // namespace belfry::sim
