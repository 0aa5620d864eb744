// What plans take from the limits of tenants and from the budgets of assignees. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "decide/plan.hpp"
#include "model/tenant/assignee.hpp"

namespace belfry::store {

// The number of runs that the plan dispatches. It counts toward the tenant's daily limit.
[[nodiscard]] std::int64_t dispatched_in(const decide::Plan& plan);

// What the plan takes from the budgets of assignees, by assignee and day: dispatched runs, and reservations for those
// that stay in flight.
using BudgetKey = std::pair<std::string, model::Day>;
[[nodiscard]] std::map<BudgetKey, model::BudgetDay> taken_by(const decide::Plan& plan);
// The change of the budget when a run with this reservation ends.
[[nodiscard]] model::BudgetDay settlement(const model::Reservation& reservation, model::Credits used);
void add(model::BudgetDay& day, const model::BudgetDay& more);

}  // namespace belfry::store
