#include "simulation/oracle/oracle_budgets.hpp"

#include <algorithm>

#include "engine/jobs/housekeeping.hpp"
#include "simulation/sim_workflows.hpp"

namespace belfry::sim {

using model::Credits;

namespace {

model::Day day_of(const model::Run& row) { return std::chrono::floor<std::chrono::days>(row.decided_at); }

bool names_agent(const model::Schedule& definition) { return definition.assignee && definition.assignee->id == kAgent; }

std::string words(const model::BudgetDay& day) {
    return std::to_string(day.runs) + " runs, " + format_credits(day.reserved) + " reserved, " +
           format_credits(day.spent) + " spent";
}

}  // namespace

std::optional<model::Usage> OracleBudgets::used(const std::string& run_id) const {
    std::optional<model::Usage> sum;
    for (auto each = usage_.lower_bound({run_id, {}}); each != usage_.end() && each->first.first == run_id; ++each) {
        if (!sum) sum.emplace();
        *sum += each->second;
    }
    return sum;
}

decide::AttemptEnd OracleBudgets::counted(const model::LeaseRef& lease, const decide::AttemptEnd& end,
                                          const model::Schedule& definition) const {
    if (!end.usage) return end;
    const auto walk = database_.workflow_run("default", lease.run_id);
    const auto* const node = walk ? walk->find(lease.node) : nullptr;
    const bool own = node != nullptr && !node->assignee.empty() ? node->assignee == kAgent : names_agent(definition);
    std::optional<Credits> cap;
    if (own) cap = options_.agent.spending_limit;
    if (const auto held = held_.find(lease.run_id); held != held_.end() && held->second.cap)
        cap = std::min(cap.value_or(*held->second.cap), *held->second.cap);
    auto sum = used(lease.run_id).value_or(model::Usage{}).credits;
    const auto known = usage_.find(place_of(lease));
    const auto before = known == usage_.end() ? Credits{} : known->second.credits;
    sum += std::max(before, end.usage->credits) - before;
    if (!cap || sum <= *cap) return end;
    decide::AttemptEnd stopped{.status = model::ExecutionStatus::failed,
                               .category = model::FailureCategory::contract_violated};
    stopped.usage = end.usage;
    stopped.final = true;
    return stopped;
}

void OracleBudgets::taken(const model::LeaseRef& lease, const decide::AttemptEnd& end) {
    if (!end.usage) return;
    auto& known = usage_[place_of(lease)];
    known = raised(std::move(known), *end.usage);
    if (end.final) {
        coverage_.see(Sight::limit_tripped);
        stopped_[place_of(lease)] = true;
    }
    const auto row = database_.run("default", lease.run_id);
    if (!row || row->used != used(lease.run_id))
        breach_(23, lease.run_id + " has used something else than was reported");
}

bool OracleBudgets::fits(const model::BudgetDay& taken) const {
    const auto& policies = options_.agent;
    if (policies.max_runs_per_day && taken.runs >= *policies.max_runs_per_day) return false;
    if (!policies.credits_per_day) return true;
    const auto sum = taken.spent + taken.reserved;
    return policies.spending_limit ? sum + *policies.spending_limit <= *policies.credits_per_day
                                   : sum < *policies.credits_per_day;
}

void OracleBudgets::dispatched(const model::Run& row, const model::Schedule& definition) {
    if (!names_agent(definition)) return;
    auto& day = days_[day_of(row)];
    if (!fits(day) && !fits(before_ends(day_of(row)))) breach_(23, row.id + " was dispatched with " + words(day));
    day.runs += 1;
    if (!is_in_flight(row.execution)) return;  // the same commit has replaced it
    held_[row.id] = {day_of(row), options_.agent.spending_limit};
    day.reserved += options_.agent.spending_limit.value_or(Credits{});
}

void OracleBudgets::ended(const model::Run& row) {
    const auto held = held_.find(row.id);
    if (held == held_.end()) return;
    const auto reserved = held->second.cap.value_or(Credits{});
    const auto spent = used(row.id).value_or(model::Usage{}).credits;
    auto& day = days_[held->second.day];
    day.reserved -= reserved;
    day.spent += spent;
    auto& back = given_back_[held->second.day];
    back.reserved += reserved;
    back.spent += spent;
    if (spent > Credits{}) coverage_.see(Sight::budget_settled);
    held_.erase(held);
}

bool OracleBudgets::refuses(const model::Run& row, const model::Schedule& definition) const {
    if (!names_agent(definition)) return false;
    return !fits(counted_on(day_of(row))) || !fits(before_ends(day_of(row)));
}

model::BudgetDay OracleBudgets::counted_on(model::Day day) const {
    const auto found = days_.find(day);
    return found == days_.end() ? model::BudgetDay{} : found->second;
}

model::BudgetDay OracleBudgets::before_ends(model::Day day) const {
    auto taken = counted_on(day);
    const auto back = given_back_.find(day);
    if (back == given_back_.end()) return taken;
    taken.reserved += back->second.reserved;
    taken.spent -= back->second.spent;
    return taken;
}

void OracleBudgets::check() {
    // A clock that was ahead may have been put back since.
    latest_ = std::max(latest_, model::day_of(database_.now().value()));
    for (const auto& [day, counted] : days_) {
        // A janitor may have forgotten what is old.
        if (day < latest_ - engine::Janitor::Options{}.keep_budgets_for) continue;
        const auto stored = database_.budget("default", kAgent, day);
        if (!stored || *stored != counted)
            breach_(23,
                    "the budget has " + (stored ? words(*stored) : "no row") + ", and counted are " + words(counted));
    }
}

}  // namespace belfry::sim
