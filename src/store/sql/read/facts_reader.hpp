// Gathers the facts of a decision, inside the transaction that will apply it. Reads only what the schedule's policies
// need: a plain schedule costs nothing beyond its locked row.
#pragma once

#include <boost/container/flat_map.hpp>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "store/sql/database.hpp"
#include "store/sql/read/run_reader.hpp"
#include "store/sql/read/schedule_cache.hpp"
#include "store/sql/read/usage_memory.hpp"
#include "store/sql/read/workflow_run_reader.hpp"
#include "store/sql/statements/state_columns.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/write/budget_guard.hpp"

namespace belfry::store::sql {

// What the store caches between transactions.
struct StoreMemory {
    ScheduleCache schedules;
    DefinitionCache definitions;
    WorkflowCache workflows;
    std::string default_connection = {};  // set once, before the first transaction
    decide::RunCaps caps = {};
    UsageMemory usage;
};

// A locked schedule with its facts.
struct Subject {
    StateRow row;
    CachedPtr schedule = {};  // null if it is unreadable and has no stand-in: `broken` has the reason
    decide::Facts facts = {};
    std::string id = {};
    std::optional<Error> broken = {};
    std::optional<Error> unreadable = {};  // why its schedule is a stand-in
    const FactsRequest* needs = nullptr;   // its own; null: those of all
    std::string attempt_of = {};           // the assignee of the reporting attempt
};

// The kind of decision. The end of an attempt starts no runs except buffered ones.
enum class Purpose : std::uint8_t { tick, change, attempt };

// How to treat an unreadable schedule: as an error, or with a stand-in of its known data.
enum class Unreadable : std::uint8_t { broken, stands_in };

class FactsReader {
public:
    FactsReader(Session& session, StoreMemory& memory, const spec::ZoneDatabase& zones)
        : session_(session), memory_(memory), zones_(zones) {}

    // Loads the schedules of the rows, from the cache or newly compiled.
    [[nodiscard]] Result<std::vector<Subject>> subjects(std::vector<StateRow> rows, Unreadable unreadable);

    [[nodiscard]] Result<void> gather(std::vector<Subject>& subjects, const FactsRequest& needs, Purpose purpose);

    // Gathers only the workflows that new runs would follow.
    [[nodiscard]] Result<void> tell_workflows(std::vector<Subject>& subjects);

    // Sets the definition that decided the requested run, if it is not the current one.
    [[nodiscard]] Result<void> tell_own_definition(Subject& subject, const DefinitionPtr& own);

private:
    // The stored data that a schedule is compiled from.
    struct Ingredients {
        std::map<std::int64_t, std::vector<spec::CalendarText>> calendars = {};
        std::map<std::int64_t, model::WorkflowAssignment> assignments = {};
    };
    [[nodiscard]] Result<Ingredients> read_ingredients(const Batch& keys);
    [[nodiscard]] Result<void> compile(const std::vector<Subject*>& unknown, Unreadable unreadable);
    void compile(Subject& subject, std::string_view body, const Ingredients& from, Unreadable unreadable);
    [[nodiscard]] Result<void> stand_in(const std::vector<Subject*>& subjects, Unreadable unreadable);
    void look_at(std::vector<Subject>& subjects);
    [[nodiscard]] Result<void> gather_slots(const FactsRequest& needs, Purpose purpose);
    [[nodiscard]] Result<void> gather_buffered();
    [[nodiscard]] Result<void> gather_in_flight(const FactsRequest& needs);
    [[nodiscard]] Result<void> gather_context(const FactsRequest& needs);
    [[nodiscard]] Result<void> gather_run(Subject& subject, const std::string& run_id);
    [[nodiscard]] Result<void> gather_waiting(Subject& subject);
    [[nodiscard]] Result<void> gather_workflows(Purpose purpose);

    Session& session_;
    StoreMemory& memory_;
    const spec::ZoneDatabase& zones_;
    boost::container::flat_map<std::int64_t, Subject*> by_key_ = {};  // those that are not broken
};

// The limits of tenants and their assignees, while one transaction decides their schedules.
class TenantGuard {
public:
    TenantGuard(Session& session, UsageMemory& usage, Instant now)
        : session_(session), usage_(usage), now_(now), budgets_(session, now) {}
    // Asks for these tenants before their schedules are locked, in the same round trip.
    [[nodiscard]] Result<void> ask_for(const std::set<std::int64_t>& tenants);
    [[nodiscard]] Result<void> load(const std::vector<Subject>& subjects, const BudgetGuard::Runs& runs = {});
    // The same without a lock, for a decision that is written later. False if a tenant's runs are counted, because
    // that needs a lock.
    [[nodiscard]] Result<bool> peek(const std::vector<Subject>& subjects);
    // Whether the limits are still the same.
    [[nodiscard]] Result<bool> look_again(const TenantGuard& seen);
    void tell(Subject& subject) const;
    // Whether the schedule's tenant is followed, so that its decisions go to the feed.
    [[nodiscard]] bool follow(const Subject& subject) const {
        return tenants_.at(subject.schedule->tenant_key).followed;
    }
    // Whether a condition may use results of the schedule's tenant.
    [[nodiscard]] bool watch(const Subject& subject) const { return tenants_.at(subject.schedule->tenant_key).watched; }
    void count(const Subject& subject, const decide::Plan& plan);
    [[nodiscard]] Result<void> write();
    // Passes on the counts that have no row, as write() also does. This happens before the commit, because it is a
    // measurement and need not be exact.
    void remember() { usage_.add(std::exchange(uncounted_, {})); }
    [[nodiscard]] const BudgetGuard& budgets() const { return budgets_; }

private:
    struct Allowance {
        bool dispatch_enabled = true;
        std::optional<std::int64_t> runs_per_day = {};
        bool followed = false;
        bool watched = false;
        std::int64_t used = 0;
        std::map<std::int64_t, std::int64_t> added = {};  // by day
        friend bool operator==(const Allowance&, const Allowance&) = default;
    };
    void learn(const TenantFacts& facts);
    [[nodiscard]] Result<void> read(const Batch& keys);
    [[nodiscard]] Result<bool> peek(const std::vector<std::int64_t>& tenants);

    Session& session_;
    UsageMemory& usage_;
    Instant now_;
    bool noted_ = false;
    std::map<std::int64_t, Allowance> tenants_ = {};
    UsageMemory::Runs uncounted_ = {};  // of tenants without their own limit
    BudgetGuard budgets_;
};

}  // namespace belfry::store::sql
