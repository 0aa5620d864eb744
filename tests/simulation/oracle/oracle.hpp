// Judges a world from outside. It knows what operators asked and were answered, what the specs yield, what workers were
// given, and the rows and events as they stand in the database after every commit. It shares no code with src/decide,
// so what it says about a decision is a second opinion. Numbers are those of docs/internals/invariants.md.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "simulation/fibers/sim_clock.hpp"
#include "simulation/oracle/coverage.hpp"
#include "simulation/oracle/oracle_budgets.hpp"
#include "simulation/oracle/oracle_commands.hpp"
#include "simulation/oracle/oracle_life.hpp"
#include "simulation/oracle/oracle_walks.hpp"
#include "simulation/sim_options.hpp"
#include "store/memory/memory_store.hpp"

namespace belfry::sim {

// A transaction that has just changed one schedule.
struct Commit {
    std::string schedule;
    std::vector<std::string> runs = {};          // rows that it may have touched, in the order in which it decided them
    std::optional<model::LeaseRef> lease = {};   // the attempt that it ends
    std::optional<decide::AttemptEnd> end = {};  // and how
    std::optional<Instant> expired_before = {};  // by the reaper, for this reason
    bool by_tick = false;
    Micros server_began = {};  // real time: what the clock did before, it cannot know
    std::string server = {};
};

// How a server stands, as it sees itself.
struct Standing {
    std::string server;
    bool leading = false;
    std::int64_t term = 0;
};

class Oracle {
public:
    Oracle(store::MemoryStore& database, const DatabaseClock& clock, const SimOptions& options, Coverage& coverage);

    // What happened in the database, told right after it did.
    void committed(const Commit& commit);
    // `asked` is the real time of the request's `now`.
    void claimed(const std::vector<model::Task>& tasks, const store::ClaimRequest& request, const LeaseTime& asked);
    // Until then, which is `ends_at` of real time.
    void renewed(const std::vector<model::LeaseRef>& held, Instant until, Micros by, const LeaseTime& time);
    void redated(std::span<const store::Redated> leases);
    void pruned(std::int64_t removed);
    void removed_in_full(std::int64_t schedules);
    // How the end of an attempt has to count, asked before the store is; and that the store has taken it.
    [[nodiscard]] decide::AttemptEnd counted(const store::AttemptReport& ending);
    void taken(const model::LeaseRef& lease, const decide::AttemptEnd& end);
    // All that one call has committed was told.
    void check_budgets() { budgets_.check(); }
    void deployed(const model::Workflow& workflow, std::int64_t version) { walks_.deployed(workflow, version); }
    void removed(const std::string& workflow) { walks_.removed(workflow); }
    void attended(const store::ClusterView& view);
    void stand(const std::vector<Standing>& servers);
    void poisoned(const std::string& schedule) { excused_.insert(schedule); }
    // It stays so: nobody waits for what it owes, and all others must come to their ends.
    void lost(const std::string& schedule) { lost_ = schedule; }

    [[nodiscard]] OracleCommands& commands() { return commands_; }
    // A worker was told that its end of the attempt was taken.
    void completion_acknowledged(const model::LeaseRef& lease, const decide::AttemptEnd& end);

    // What should be over when everything works again for `bound`, and is not: 15.
    [[nodiscard]] std::vector<std::string> unsettled(Micros bound) const;
    // The database against what the oracle has seen happen to it.
    void check_rows();
    // The occurrences that it judged by, against those of a second implementation.
    void check_by_brute_force();

    [[nodiscard]] const std::vector<std::string>& breaches() const { return breaches_; }
    void breach(int invariant, const std::string& what);
    [[nodiscard]] const std::map<std::string, Life>& lives() const { return lives_; }

private:
    void read_events(Life& life, const Commit& commit, const store::ScheduleRecord& after);
    void take_event(Life& life, const model::Event& event, const store::ScheduleRecord& after, const Commit& commit);
    void take_definition(Life& life, const model::Schedule& after);
    void take_row(Life& life, const model::Run& row, const Commit& commit, const store::ScheduleRecord& after);
    void check_transition(Life& life, const model::Run& before, const model::Run& after, const Commit& commit);
    void check_new_row(Life& life, const model::Run& row);
    void check_dispatch(Life& life, const model::Run& row, const store::ScheduleRecord& after);
    void check_gates(const Life& life, const model::Run& row);
    void check_skip(Life& life, const model::Run& row, const store::ScheduleRecord& after);
    void check_input(Life& life, const model::Run& row);
    void take_rows(Life& life, const Commit& commit, const store::ScheduleRecord& after);
    [[nodiscard]] static bool is_over(const Life& life, const std::string& run_id);
    void check_released(const Life& life, const store::ScheduleRecord& after);
    void check_state(const Life& life, const Commit& commit, const store::ScheduleRecord& after);
    void check_nothing_owed(Life& life, Instant at, const char* when);
    void check_event_counts(const Life& life);
    void claimed_single(Life& life, const model::Task& task, const store::ClaimRequest& request,
                        const LeaseTime& asked);
    [[nodiscard]] SeenLease* find_lease(const model::LeaseRef& lease);
    void check_leases();
    void check_approved(const model::Task& task);
    [[nodiscard]] Life* life_of_run(const std::string& run_id);

    store::MemoryStore& database_;
    const DatabaseClock& clock_;
    const SimOptions& options_;
    Coverage& coverage_;
    OracleCommands commands_;
    WorkflowRunOracle walks_;
    OracleBudgets budgets_;
    std::map<std::string, Life> lives_;  // by schedule
    std::set<std::string> excused_;      // was poisoned once: what came due meanwhile may be swallowed by a change
    std::string lost_;                   // cannot be read any more
    std::set<std::string> pruned_;       // runs whose rows are gone
    std::map<std::int64_t, std::string> terms_;
    std::vector<std::string> breaches_;
};

}  // namespace belfry::sim
