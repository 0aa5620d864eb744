// One life of a server process: the real engine's parts on a simulated store and clock. Made when the process starts,
// destroyed when it dies; whatever it knew is gone then.
#pragma once

#include <memory>
#include <string>

#include "engine/attendant.hpp"
#include "engine/backfills.hpp"
#include "engine/courier.hpp"
#include "engine/housekeeping.hpp"
#include "engine/runs.hpp"
#include "engine/schedules.hpp"
#include "engine/ticker.hpp"
#include "engine/workflows.hpp"
#include "simulation/mutant_store.hpp"
#include "simulation/sim_store.hpp"

namespace belfry::sim {

// Counts what the engine tells of itself.
class SimObserver final : public engine::Observer {
public:
    explicit SimObserver(Sights& sights) : sights_(sights) {}
    void pruned(std::int64_t /*runs*/) override { sights_.see(Sight::pruned); }
    void quarantined(const engine::Quarantined& what) override { sights_.see(what.subject.empty() ? Sight::quarantined : Sight::work_quarantined); }
    void released(const engine::Quarantined& /*schedule*/) override { sights_.see(Sight::released_from_quarantine); }
    void clock(const engine::ClockState& state) override {
        if (state.steps.withdrawn > 0) sights_.see(Sight::clock_step_withdrawn);
        if (state.steps.last) sights_.see(Sight::clock_step_accepted);
    }

private:
    Sights& sights_;
};

class SimServer {
public:
    SimServer(SimContext& context, ProcessId process, std::string name);

    // Starts the loops of the workers, each an activity of the process.
    void start();
    // Gives up its place, as a server does that is asked to stop.
    void leave() { attendant_.leave(); }
    void hear(const store::Announcement& announcement);

    [[nodiscard]] ProcessId process() const { return process_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] Standing standing() const { return {name_, attendant_.leading(), attendant_.term()}; }
    [[nodiscard]] bool leads() const { return attendant_.leading(); }
    [[nodiscard]] ServerSteadyClock& steady() { return steady_; }

    [[nodiscard]] store::Store& store() { return store_; }
    [[nodiscard]] engine::Schedules& schedules() { return schedules_; }
    [[nodiscard]] engine::Runs& runs() { return runs_; }
    [[nodiscard]] engine::Workflows& workflows() { return workflows_; }
    [[nodiscard]] engine::Backfills& backfills() { return backfills_; }

private:
    void loop(engine::Worker& worker, ActivityId& activity);
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
    engine::Attendant attendant_;
    engine::Backfiller backfiller_;
    engine::Reaper reaper_;
    engine::Janitor janitor_;
    engine::ConnectionBook book_;
    engine::Courier courier_;
    ActivityId ticking_ = 0;
    ActivityId carrying_ = 0;
    ActivityId others_ = 0;
};

}  // namespace belfry::sim
