// What assignees may use in a day, while one transaction decides about their schedules; and what runs in flight hold of it.
//
// A day's row is locked before anything is decided on it, so two servers never both take the last of it. All rows that the
// transaction may touch are locked together and in the order of their keys: those of the schedules' assignees today, and those
// on which the runs that may end hold their reservations.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "store/plan_rows.hpp"
#include "store/sql/database.hpp"

namespace belfry::store::sql {

struct Subject;

class BudgetGuard {
public:
    using AssigneeKey = std::pair<std::int64_t, std::string>;  // tenant and id

    BudgetGuard(Session& session, Instant now) : session_(session), now_(now) {}

    // Runs that matter beside those that the facts name.
    struct Runs {
        std::vector<model::RunKey> ending = {};     // their reservations may be settled
        std::vector<model::RunKey> reporting = {};  // what they have used has to be known
    };
    [[nodiscard]] Result<void> load(const std::vector<Subject>& subjects, const Runs& runs);
    // The same without a lock, for a decision that is written later. False when budgets have a say: that takes one.
    [[nodiscard]] Result<bool> look(const std::vector<Subject>& subjects);
    // Whether those that were not registered when the other looked are not registered now.
    [[nodiscard]] Result<bool> look_again(const BudgetGuard& seen);

    void tell(Subject& subject) const;
    void count(const Subject& subject, const decide::Plan& plan);
    [[nodiscard]] Result<void> write();

    // What is known of what the run has used.
    [[nodiscard]] const UsageByAttempt& usage(const model::RunKey& run) const;

private:
    using DayKey = std::tuple<std::int64_t, std::string, std::int64_t>;  // tenant, assignee, day
    [[nodiscard]] Result<void> read_records();
    [[nodiscard]] Result<void> read_reservations(const std::set<model::RunKey>& runs);
    [[nodiscard]] Result<void> lock_days(const std::vector<Subject>& subjects);
    // The runs whose reservations the decision may touch.
    [[nodiscard]] std::set<model::RunKey> collect(const std::vector<Subject>& subjects);
    [[nodiscard]] std::int64_t tenant_of(const model::RunKey& run) const { return tenants_.at(run.schedule); }
    void add_to(const DayKey& key, const model::BudgetDay& more);

    Session& session_;
    Instant now_;
    std::set<AssigneeKey> asked_ = {};
    std::map<AssigneeKey, model::AssigneeRecord> records_ = {};  // of those that are registered
    std::map<std::int64_t, std::int64_t> tenants_ = {};          // of the schedules
    std::map<model::RunKey, model::Reservation> reservations_ = {};
    std::map<model::RunKey, UsageByAttempt> usage_ = {};
    std::map<DayKey, model::BudgetDay> days_ = {};  // with what was counted here
    std::map<DayKey, model::BudgetDay> added_ = {};
    Batch reserved_ = {};
    Batch settled_ = {};
};

// Columns of kAssigneesById.
[[nodiscard]] Result<model::AssigneeRecord> read_assignee(const Row& row);

[[nodiscard]] inline std::int64_t day_number(model::Day day) { return day.time_since_epoch().count(); }

}  // namespace belfry::store::sql
