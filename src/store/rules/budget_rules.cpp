#include "store/rules/budget_rules.hpp"

#include <algorithm>

namespace belfry::store {

std::int64_t dispatched_in(const decide::Plan& plan) {
    const auto is_dispatched = [](const auto& run) { return run.dispatch == model::DispatchStatus::dispatched; };
    return std::ranges::count_if(plan.runs, is_dispatched) + std::ranges::count_if(plan.releases, is_dispatched);
}

void add(model::BudgetDay& day, const model::BudgetDay& more) {
    day.runs += more.runs;
    day.reserved += more.reserved;
    day.spent += more.spent;
}

std::map<BudgetKey, model::BudgetDay> taken_by(const decide::Plan& plan) {
    std::map<BudgetKey, model::BudgetDay> taken;
    for (const auto* const rows : {&plan.runs, &plan.releases}) {
        for (const auto& run : *rows) {
            if (!run.reserves) continue;
            // A run that ends in the same plan holds no reservation.
            const auto reserved = is_in_flight(run.execution) ? run.reserves->reserved() : model::Credits{};
            add(taken[{run.reserves->assignee, run.reserves->day}], {.runs = 1, .reserved = reserved});
        }
    }
    return taken;
}

model::BudgetDay settlement(const model::Reservation& reservation, model::Credits used) {
    return {.reserved = model::Credits{} - reservation.reserved(), .spent = used};
}

}  // namespace belfry::store
