// What this server knows about its own work, for health checks, probes and metrics. From any thread. It never queries
// the store.
#pragma once

#include <string>
#include <vector>

#include "engine/jobs/cluster_member.hpp"
#include "engine/jobs/housekeeping.hpp"
#include "engine/jobs/ticker.hpp"
#include "engine/outgoing/connection_stats.hpp"

namespace belfry::engine {

// REQUIRES: the jobs outlive it.
struct ServerStatus {
    const std::string& server;  // the id in the cluster
    const Ticker& ticker;
    const ClusterMember& member;
    const Backfiller& backfiller;
    const Reaper& reaper;
    const ConnectionStats& connections;

    // What this server cannot process: schedules first, then runs and backfills.
    [[nodiscard]] std::vector<Quarantined> quarantined() const;
};

}  // namespace belfry::engine
