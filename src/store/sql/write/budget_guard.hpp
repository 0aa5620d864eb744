// The daily budgets of assignees while one transaction decides their schedules, and the reservations of runs in
// flight.
//
// A day's row is locked before a decision uses it, so two servers never both take the rest of a budget. All rows that
// the transaction may change are locked together, in key order: those of the schedules' assignees for today, and
// those with the reservations of runs that may end.
#pragma once

#include <boost/container/flat_map.hpp>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "decide/plan.hpp"
#include "store/rules/attempt_usage.hpp"
#include "store/sql/database.hpp"

namespace belfry::store::sql {

struct Subject;

class BudgetGuard {
public:
    using AssigneeKey = std::pair<std::int64_t, std::string>;  // tenant and id

    BudgetGuard(Session& session, Instant now) : session_(session), now_(now) {}

    // Runs that matter in addition to those in the facts.
    struct Runs {
        std::vector<model::RunKey> ending = {};     // their reservations may be settled
        std::vector<model::RunKey> reporting = {};  // their usage must be known
    };
    [[nodiscard]] Result<void> load(const std::vector<Subject>& subjects, const Runs& runs);
    // The same without a lock, for a decision that is written later. False if budgets apply, because they need a
    // lock.
    [[nodiscard]] Result<bool> peek(const std::vector<Subject>& subjects);
    // Whether assignees that were unregistered before are still unregistered.
    [[nodiscard]] Result<bool> look_again(const BudgetGuard& seen);

    void tell(Subject& subject) const;
    void count(const Subject& subject, const decide::Plan& plan);
    [[nodiscard]] Result<void> write();

    // The known usage of the run.
    [[nodiscard]] const UsageByAttempt& usage(const model::RunKey& run) const;

private:
    using DayKey = std::tuple<std::int64_t, std::string, std::int64_t>;  // tenant, assignee, day
    [[nodiscard]] Result<void> read_records();
    [[nodiscard]] Result<void> read_reservations(const std::set<model::RunKey>& runs);
    [[nodiscard]] Result<void> lock_days(const std::vector<Subject>& subjects);
    // The runs whose reservations the decision may change.
    [[nodiscard]] std::set<model::RunKey> collect(const std::vector<Subject>& subjects);
    [[nodiscard]] std::int64_t tenant_of(const model::RunKey& run) const { return tenants_.at(run.schedule); }
    void add_to(const DayKey& key, const model::BudgetDay& more);

    Session& session_;
    Instant now_;
    std::set<AssigneeKey> asked_ = {};
    std::map<AssigneeKey, model::AssigneeRecord> records_ = {};            // registered ones
    boost::container::flat_map<std::int64_t, std::int64_t> tenants_ = {};  // of the schedules
    std::map<model::RunKey, model::Reservation> reservations_ = {};
    std::map<model::RunKey, UsageByAttempt> usage_ = {};
    std::map<DayKey, model::BudgetDay> days_ = {};  // including the changes of this transaction
    std::map<DayKey, model::BudgetDay> added_ = {};
    Batch reserved_ = {};
    Batch settled_ = {};
};

[[nodiscard]] inline std::int64_t day_number(model::Day day) { return day.time_since_epoch().count(); }

}  // namespace belfry::store::sql
