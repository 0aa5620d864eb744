// Gathers what a decision may know, inside the transaction that will apply it. Only what the schedule's policies look at is
// read: a plain schedule costs nothing beyond its locked row.
#pragma once

#include <map>
#include <vector>

#include "store/sql/budget_guard.hpp"
#include "store/sql/database.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/run_reader.hpp"
#include "store/sql/schedule_cache.hpp"
#include "store/sql/walk_reader.hpp"

namespace belfry::store::sql {

// What the store remembers between transactions.
struct StoreMemory {
    ScheduleCache schedules;
    DefinitionCache definitions;
    WorkflowCache workflows;
    std::string default_connection = {};  // said once, before the first transaction
    decide::RunCaps caps = {};
};

// A locked schedule and what is known about it.
struct Subject {
    StateRow row;
    CachedPtr schedule = {};  // null when it cannot be read and nothing stands in for it: `broken` says why
    decide::Facts facts = {};
    std::string id = {};
    std::optional<Error> broken = {};
    std::string attempt_of = {};  // who has the attempt that reports what it uses
};

// What a decision may do: the end of an attempt starts no run but those that wait in the buffer.
enum class Purpose : std::uint8_t { tick, change, attempt };

// What becomes of a schedule that cannot be read: it is broken, or what is known of it stands in.
enum class Unreadable : std::uint8_t { broken, stands_in };

class FactsReader {
public:
    FactsReader(Session& session, StoreMemory& memory, const spec::ZoneDatabase& zones) : session_(session), memory_(memory), zones_(zones) {}

    // The schedules of the rows, from the cache or compiled anew.
    [[nodiscard]] Result<std::vector<Subject>> subjects(std::vector<StateRow> rows, Unreadable unreadable);

    [[nodiscard]] Result<void> gather(std::vector<Subject>& subjects, const Needs& needs, Purpose purpose);

    // By what the run was decided that the request is about, when that is not the definition in force.
    [[nodiscard]] Result<void> tell_own_definition(Subject& subject, const DefinitionPtr& own);

private:
    // What a schedule is compiled from, as it is stored.
    struct Ingredients {
        std::map<std::int64_t, std::vector<spec::CalendarText>> calendars = {};
        std::map<std::int64_t, model::WorkflowAssignment> assignments = {};
    };
    [[nodiscard]] Result<Ingredients> read_ingredients(const Batch& keys);
    [[nodiscard]] Result<void> compile(const std::vector<Subject*>& unknown, Unreadable unreadable);
    void compile(Subject& subject, std::string_view body, const Ingredients& from, Unreadable unreadable);
    [[nodiscard]] Result<void> stand_in(const std::vector<Subject*>& subjects, Unreadable unreadable);
    [[nodiscard]] Result<void> gather_slots(const Needs& needs, Purpose purpose);
    [[nodiscard]] Result<void> gather_buffered();
    [[nodiscard]] Result<void> gather_in_flight(const Needs& needs);
    [[nodiscard]] Result<void> gather_context(Instant now);
    [[nodiscard]] Result<void> gather_run(const Needs& needs);
    [[nodiscard]] Result<void> gather_waiting(Subject& subject);
    [[nodiscard]] Result<void> gather_workflows(Purpose purpose);

    Session& session_;
    StoreMemory& memory_;
    const spec::ZoneDatabase& zones_;
    std::map<std::int64_t, Subject*> by_key_ = {};  // those that are not broken
};

// What tenants and their assignees allow, while one transaction decides about their schedules.
class TenantGuard {
public:
    TenantGuard(Session& session, Instant now) : session_(session), now_(now), budgets_(session, now) {}
    [[nodiscard]] Result<void> load(const std::vector<Subject>& subjects, const BudgetGuard::Runs& runs = {});
    // The same without a lock, for a decision that is written later. False when a tenant's runs are counted: that takes one.
    [[nodiscard]] Result<bool> look(const std::vector<Subject>& subjects);
    // Whether it would be told the same now.
    [[nodiscard]] Result<bool> look_again(const TenantGuard& seen);
    void tell(Subject& subject) const;
    // Whether somebody follows the schedule's tenant: then what is decided goes into its feed.
    [[nodiscard]] bool follow(const Subject& subject) const { return tenants_.at(subject.schedule->tenant_key).followed; }
    void count(const Subject& subject, const decide::Plan& plan);
    [[nodiscard]] Result<void> write();
    [[nodiscard]] const BudgetGuard& budgets() const { return budgets_; }

private:
    struct Allowance {
        bool dispatch_enabled = true;
        std::optional<std::int64_t> runs_per_day = {};
        bool followed = false;
        std::int64_t used = 0;
        std::map<std::int64_t, std::int64_t> added = {};  // by day
        friend bool operator==(const Allowance&, const Allowance&) = default;
    };
    [[nodiscard]] Result<void> read(const Batch& keys);
    [[nodiscard]] Result<bool> look(const std::vector<std::int64_t>& tenants);

    Session& session_;
    Instant now_;
    std::map<std::int64_t, Allowance> tenants_ = {};
    BudgetGuard budgets_;
};

}  // namespace belfry::store::sql
