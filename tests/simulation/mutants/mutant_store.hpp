// The database as a server with a planted bug would use it; without one it changes nothing.
#pragma once

#include <map>

#include "simulation/forwarding_store.hpp"
#include "simulation/sim_context.hpp"

namespace belfry::sim {

class MutantStore final : public ForwardingStore {
public:
    // `skew` is how wrong the server's own clock is. REQUIRES: the context outlives it.
    MutantStore(SimContext& context, Micros skew) : ForwardingStore(context.database), context_(context), skew_(skew) {}

    Result<Instant> now() override;
    Result<decide::Plan> change(const store::ScheduleRef& schedule, const store::FactsRequest& needs,
                                const store::Planner& planner) override;
    Result<store::TickOutcome> tick(const store::TickRequest& request, const store::Planner& planner) override;
    Result<std::vector<Result<decide::AttemptPlan>>> complete(std::span<const store::AttemptReport> reports,
                                                              Instant now,
                                                              const store::AttemptPlanner& planner) override;

private:
    [[nodiscard]] bool is(Mutant mutant) const { return context_.mutant == mutant; }
    void remember();
    [[nodiscard]] bool reads_stale() const;
    [[nodiscard]] decide::Facts stale(decide::Facts facts) const;
    [[nodiscard]] decide::Plan on_top_of(const decide::Facts& facts, const decide::Facts& used,
                                         decide::Plan plan) const;
    [[nodiscard]] Result<decide::Plan> tick_stale(const std::string& id, Instant now, const store::Planner& planner);
    [[nodiscard]] Result<decide::Plan> tick_twice(const std::string& id, Instant now, const store::Planner& planner);
    [[nodiscard]] store::Planner without_timeouts(const store::Planner& planner) const;
    [[nodiscard]] static store::Planner approving_what_expires(const store::Planner& planner);
    [[nodiscard]] Result<std::vector<Result<decide::AttemptPlan>>> complete_misled(
        const std::vector<store::AttemptReport>& reports, Instant now, const store::AttemptPlanner& planner);
    // The facts as a planner sees them that releases what is buffered in a wrong way.
    [[nodiscard]] decide::Facts mislead_release(decide::Facts facts, const decide::AttemptEnd& end) const;
    // Written although the lease is lost and the run is over.
    void count_late(const store::AttemptReport& report, Instant now, Result<decide::AttemptPlan>& answer);
    // Another transaction: time passes, and the process may die.
    void between();

    SimContext& context_;
    const Micros skew_;
    std::map<std::string, model::ScheduleState> remembered_;  // by schedule: as the server last saw it
    model::BudgetDay remembered_budget_;
};

}  // namespace belfry::sim
