// Statements for assignees, usage and budgets.
#pragma once

#include <string>

#include "base/result.hpp"
#include "model/run/usage.hpp"
#include "model/tenant/assignee.hpp"
#include "store/sql/row.hpp"

namespace belfry::store::sql {

struct AssigneeRow {
    std::int64_t tenant = 0;
    model::AssigneeRecord record;
};
struct BudgetRow {
    std::int64_t tenant = 0;
    std::string assignee;
    std::int64_t day = 0;
    model::BudgetDay budget;
};
struct BudgetPlace {
    std::int64_t tenant = 0;
    std::string assignee;
    std::int64_t day = 0;
};
struct ReservationRow {
    model::RunKey run;
    model::Reservation reservation;
};
// The usage of one attempt.
struct UsageRow {
    model::RunKey run;
    std::string node;
    int attempt = 0;
    model::Usage usage;
};

extern const Query<Result<AssigneeRow>> kAssigneesById;
extern const Query<Result<model::AssigneeRecord>> kAssigneesOfTenant;
extern const Statement kInsertAssignee;
extern const Statement kUpdateAssignee;
extern const Statement kDeleteAssignee;
extern const Query<BudgetRow> kAddToBudget;
extern const Query<model::BudgetDay> kBudgetDay;
extern const Query<BudgetPlace> kOldBudgetDays;
extern const Statement kDeleteBudgetDays;
extern const Query<ReservationRow> kReservations;
extern const Statement kInsertReservation;
extern const Statement kDeleteReservation;
extern const Statement kPutUsage;
extern const Query<Result<UsageRow>> kUsageOfRuns;
extern const Statement kForgetUsage;

}  // namespace belfry::store::sql
