// One life of a server process: the real engine's parts on a simulated store and clock. Made when the process starts,
// destroyed when it dies; whatever it knew is gone then.
#pragma once

#include <memory>
#include <string>

#include "engine/jobs/broker_publisher.hpp"
#include "engine/jobs/cluster_member.hpp"
#include "engine/jobs/housekeeping.hpp"
#include "engine/jobs/ticker.hpp"
#include "engine/usecases/backfills.hpp"
#include "engine/usecases/runs.hpp"
#include "engine/usecases/schedules.hpp"
#include "engine/usecases/workflows.hpp"
#include "simulation/mutants/mutant_store.hpp"
#include "simulation/sim_store.hpp"

namespace belfry::sim {

// Counts what the engine tells of itself.
class SimObserver final : public engine::Observer {
public:
    explicit SimObserver(Coverage& coverage) : coverage_(coverage) {}
    void pruned(std::int64_t /*runs*/) override { coverage_.see(Sight::pruned); }
    void quarantined(const engine::Quarantined& what) override {
        coverage_.see(what.subject.empty() ? Sight::quarantined : Sight::work_quarantined);
    }
    void released(const engine::Quarantined& /*schedule*/) override { coverage_.see(Sight::released_from_quarantine); }
    void clock(const engine::ClockState& state) override {
        if (state.steps.withdrawn > 0) coverage_.see(Sight::clock_step_withdrawn);
        if (state.steps.last) coverage_.see(Sight::clock_step_accepted);
    }

private:
    Coverage& coverage_;
};

class SimServer {
public:
    SimServer(SimContext& context, ProcessId process, std::string name);

    // Starts the loops of the workers, each an activity of the process.
    void start();
    // Gives up its place, as a server does that is asked to stop.
    void leave() { member_.leave(); }
    void on_notification(const store::Notification& notification);

    [[nodiscard]] ProcessId process() const { return process_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] Standing standing() const { return {name_, member_.leading(), member_.term()}; }
    [[nodiscard]] bool leads() const { return member_.leading(); }
    [[nodiscard]] ServerSteadyClock& steady() { return steady_; }

    [[nodiscard]] store::Store& store() { return store_; }
    [[nodiscard]] engine::Schedules& schedules() { return schedules_; }
    [[nodiscard]] engine::Runs& runs() { return runs_; }
    [[nodiscard]] engine::Workflows& workflows() { return workflows_; }
    [[nodiscard]] engine::Backfills& backfills() { return backfills_; }

private:
    void loop(engine::BackgroundJob& worker, ActivityId& activity);
    [[nodiscard]] ClockGuard* guard() { return context_.mutant == Mutant::every_reading_believed ? nullptr : &guard_; }

    SimContext& context_;
    const ProcessId process_;
    const std::string name_;
    SimRandom random_;
    ServerSteadyClock steady_;
    ClockGuard guard_;
    MutantStore planted_;
    SimStore store_;
    SimObserver observer_;
    UuidMaker ids_;
    engine::Schedules schedules_;
    const engine::Connections connections_;
    const engine::Commands commands_ = {};
    engine::Workflows workflows_;
    engine::Runs runs_;
    engine::Backfills backfills_;
    engine::Ticker ticker_;
    engine::ClusterMember member_;
    engine::Backfiller backfiller_;
    engine::Reaper reaper_;
    engine::Janitor janitor_;
    engine::ConnectionStats connection_stats_;
    engine::BrokerPublisher publisher_;
    ActivityId ticking_ = 0;
    ActivityId carrying_ = 0;
    ActivityId others_ = 0;
};

}  // namespace belfry::sim
