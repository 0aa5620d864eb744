// What the agent of a world has used and holds, counted beside the database: from rows as they appear and from reports
// as they are taken. A second opinion on limits and budgets; invariant 23.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "decide/run/attempt_end.hpp"
#include "simulation/oracle/coverage.hpp"
#include "simulation/sim_options.hpp"
#include "store/memory/memory_store.hpp"

namespace belfry::sim {

class OracleBudgets {
public:
    using Breach = std::function<void(int, const std::string&)>;
    OracleBudgets(store::MemoryStore& database, const SimOptions& options, Coverage& coverage, Breach breach)
        : database_(database), options_(options), coverage_(coverage), breach_(std::move(breach)) {}

    // The end as it has to count, asked before it is told: a report that is too much ends the attempt, whatever else it
    // says.
    [[nodiscard]] decide::AttemptEnd counted(const model::LeaseRef& lease, const decide::AttemptEnd& end,
                                             const model::Schedule& definition) const;
    // The store has taken what the attempt said; `end` as it counts.
    void taken(const model::LeaseRef& lease, const decide::AttemptEnd& end);
    // Whether the attempt was ended by a limit.
    [[nodiscard]] bool was_stopped(const model::LeaseRef& lease) const { return stopped_.contains(place_of(lease)); }
    // By all attempts of the run.
    [[nodiscard]] std::optional<model::Usage> used(const std::string& run_id) const;

    void begin_commit() { given_back_ = {}; }
    void dispatched(const model::Run& row, const model::Schedule& definition);
    void ended(const model::Run& row);
    // Whether the budget had a reason to refuse the row.
    [[nodiscard]] bool refuses(const model::Run& row, const model::Schedule& definition) const;
    // The days in the database, against what was counted. REQUIRES: everything that the transaction has committed was
    // told.
    void check();

private:
    using Place = std::pair<std::string, std::pair<std::string, int>>;  // run, node and attempt
    [[nodiscard]] static Place place_of(const model::LeaseRef& lease) {
        return {lease.run_id, {lease.node, lease.attempt}};
    }
    [[nodiscard]] bool fits(const model::BudgetDay& taken) const;
    // The day without what the runs that this commit has ended gave back: a decision that replaces a run counts what
    // that one holds.
    [[nodiscard]] model::BudgetDay before_ends(model::Day day) const;
    [[nodiscard]] model::BudgetDay counted_on(model::Day day) const;

    struct Held {
        model::Day day = {};
        std::optional<model::Credits> cap = {};
    };
    store::MemoryStore& database_;
    model::Day latest_ = {};  // that it has been
    const SimOptions& options_;
    Coverage& coverage_;
    Breach breach_;
    std::map<Place, model::Usage> usage_;
    std::map<Place, bool> stopped_;
    std::map<std::string, Held> held_;  // by run
    std::map<model::Day, model::BudgetDay> days_;
    std::map<model::Day, model::BudgetDay> given_back_;  // by the runs that this commit has ended so far
};

}  // namespace belfry::sim
