// People and programs that make schedules, change them and ask for runs, through any server.
#pragma once

#include <string>

#include "simulation/sim_cluster.hpp"

namespace belfry::sim {

class SimOperator {
public:
    SimOperator(SimContext& context, SimCluster& cluster) : context_(context), cluster_(cluster) {}

    // The bodies of two activities: the schedules and some commands about them; and the answers to what waits for
    // approval.
    void run();
    void approve_what_waits();

private:
    void deploy(const std::string& workflow);
    void change_workflow();
    void create();
    void command();
    // Commands that come just when the schedule fires meet the ticks of the servers.
    void wait_for_fire(const std::string& id);
    void update(const std::string& id);
    // A schedule whose newest occurrence was decided before its time, by jitter or by a clock that went back since. A
    // change of its spec now puts the cursor before what is decided.
    [[nodiscard]] std::optional<std::string> decided_early() const;
    void put_back(const std::string& id);
    void pause(const std::string& id);
    void resume(const std::string& id);
    void remove(const std::string& id);
    void trigger(const std::string& id);
    void backfill(const std::string& id);
    void change_backfill(const std::string& id);
    void touch_run(const std::string& id);

    // Asks, and tells the oracle what was answered.
    template <typename T>
    void ask(CommandKind kind, const std::function<Result<T>(SimServer&, const model::CommandContext&)>& handle);
    [[nodiscard]] store::ScheduleRef ref(const std::string& id) const { return {"default", id}; }

    SimContext& context_;
    SimCluster& cluster_;
    int names_ = 0;
};

}  // namespace belfry::sim
