#include "store/sql/write/budget_guard.hpp"

#include "store/rules/budget_rules.hpp"
#include "store/sql/read/facts_reader.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/usage_reader.hpp"
#include "store/sql/statements/statements_budgets.hpp"
#include "store/sql/write/plan_writer.hpp"

namespace belfry::store::sql {

namespace {

model::RunKey key_of_run(const std::string& run_id) { return model::parse_run_id(run_id).value_or(model::RunKey{}); }

}  // namespace

std::set<model::RunKey> BudgetGuard::collect(const std::vector<Subject>& subjects) {
    std::set<model::RunKey> runs;
    tenants_.reserve(tenants_.size() + subjects.size());
    for (const auto& subject : subjects) {
        if (subject.broken) continue;
        const auto tenant = subject.schedule->tenant_key;
        tenants_.emplace_hint(tenants_.end(), subject.row.key, tenant);
        if (!subject.attempt_of.empty()) asked_.emplace(tenant, subject.attempt_of);
        if (!subject.schedule->may_reserve()) continue;
        if (const auto& assignee = subject.schedule->compiled->definition.assignee)
            asked_.emplace(tenant, assignee->id);
        if (subject.facts.run) runs.insert(key_of_run(subject.facts.run->id));
        for (const auto& run : subject.facts.in_flight) runs.insert(key_of_run(run.id));
    }
    return runs;
}

Result<void> BudgetGuard::load(const std::vector<Subject>& subjects, const Runs& more) {
    auto runs = collect(subjects);
    for (const auto& run : more.ending) {
        if (tenants_.contains(run.schedule)) runs.insert(run);
    }
    if (auto read = read_records(); !read) return read;
    if (auto read = read_reservations(runs); !read) return read;
    Batch used;
    std::set<model::RunKey> known(more.reporting.begin(), more.reporting.end());
    for (const auto& [run, reservation] : reservations_) known.insert(run);
    for (const auto& run : known) used.add_row(run.schedule, run.slot);
    auto usage = read_usage(session_, used);
    if (!usage) return usage.error();
    usage_ = std::move(*usage);
    return lock_days(subjects);
}

Result<void> BudgetGuard::read_records() {
    if (asked_.empty()) return {};
    Batch keys;
    for (const auto& [tenant, id] : asked_) keys.add_row(tenant, id);
    auto assignees = read_all(session_, kAssigneesById, keys);
    if (!assignees) return assignees.error();
    for (auto& [tenant, record] : *assignees) {
        auto id = record.id;
        records_.insert_or_assign({tenant, std::move(id)}, std::move(record));
    }
    return {};
}

Result<void> BudgetGuard::read_reservations(const std::set<model::RunKey>& runs) {
    if (runs.empty()) return {};
    Batch keys;
    for (const auto& run : runs) keys.add_row(run.schedule, run.slot);
    auto read = session_.run(kReservations, keys,
                             [this](ReservationRow row) { reservations_[row.run] = std::move(row.reservation); });
    if (!read) return read.error();
    return {};
}

Result<void> BudgetGuard::lock_days(const std::vector<Subject>& subjects) {
    std::set<DayKey> keys;
    for (const auto& subject : subjects) {
        if (subject.broken) continue;
        const auto& assignee = subject.schedule->compiled->definition.assignee;
        const auto tenant = subject.schedule->tenant_key;
        if (assignee && records_.contains({tenant, assignee->id}))
            keys.emplace(tenant, assignee->id, day_number(model::day_of(now_)));
    }
    for (const auto& [run, reservation] : reservations_)
        keys.emplace(tenant_of(run), reservation.assignee, day_number(reservation.day));
    if (keys.empty()) return {};
    Batch rows;
    for (const auto& [tenant, assignee, day] : keys)
        rows.add_row(tenant, assignee, day, std::int64_t{0}, std::int64_t{0}, std::int64_t{0});
    auto locked = session_.run(kAddToBudget, rows, [this](BudgetRow row) {
        days_[{row.tenant, std::move(row.assignee), row.day}] = row.budget;
    });
    if (!locked) return locked.error();
    return {};
}

Result<bool> BudgetGuard::peek(const std::vector<Subject>& subjects) {
    const auto runs = collect(subjects);
    if (auto read = read_records(); !read) return read.error();
    if (auto read = read_reservations(runs); !read) return read.error();
    return records_.empty() && reservations_.empty();
}

Result<bool> BudgetGuard::look_again(const BudgetGuard& seen) {
    asked_ = seen.asked_;
    if (auto read = read_records(); !read) return read.error();
    return records_.empty();
}

const UsageByAttempt& BudgetGuard::usage(const model::RunKey& run) const {
    static const UsageByAttempt kNone;
    const auto found = usage_.find(run);
    return found == usage_.end() ? kNone : found->second;
}

void BudgetGuard::tell(Subject& subject) const {
    auto& facts = subject.facts;
    const auto tenant = subject.schedule->tenant_key;
    if (const auto& assignee = facts.schedule->definition.assignee) {
        if (const auto record = records_.find({tenant, assignee->id}); record != records_.end()) {
            const auto today = days_.find({tenant, assignee->id, day_number(model::day_of(now_))});
            facts.budget.assignee = decide::AssigneeBudget{assignee->id, record->second.policies, today->second};
        }
    }
    if (const auto record = records_.find({tenant, subject.attempt_of}); record != records_.end())
        facts.spending.assignee = record->second;
    if (!facts.run) return;
    const auto run = key_of_run(facts.run->id);
    if (const auto found = reservations_.find(run); found != reservations_.end())
        facts.spending.reservation = found->second;
    facts.spending.others = used_by_all(usage(run)).value_or(model::Usage{});
}

void BudgetGuard::add_to(const DayKey& key, const model::BudgetDay& more) {
    add(added_[key], more);
    add(days_[key], more);
}

void BudgetGuard::count(const Subject& subject, const decide::Plan& plan) {
    const auto tenant = subject.schedule->tenant_key;
    for (const auto& [key, taken] : taken_by(plan)) add_to({tenant, key.first, day_number(key.second)}, taken);
    for (const auto* const rows : {&plan.runs, &plan.releases}) {
        for (const auto& run : *rows) {
            if (!run.reserves || !is_in_flight(run.execution)) continue;
            reserved_.add_row(subject.row.key, slot_number(run.slot), run.reserves->assignee,
                              day_number(run.reserves->day),
                              run.reserves->cap ? Value(run.reserves->cap->micros) : Value());
        }
    }
    for (const auto& end : plan.ends) {
        const auto run = key_of_run(end.run_id);
        const auto found = reservations_.find(run);
        if (found == reservations_.end()) continue;
        // The run of the facts may just have reported more usage.
        const bool told = subject.facts.run && subject.facts.run->id == end.run_id;
        const auto used = told ? subject.facts.spending.used() : used_by_all(usage(run)).value_or(model::Usage{});
        add_to({tenant, found->second.assignee, day_number(found->second.day)},
               settlement(found->second, used.credits));
        settled_.add_row(run.schedule, run.slot);
        reservations_.erase(found);
    }
}

Result<void> BudgetGuard::write() {
    if (auto done = run_batch(session_, kInsertReservation, reserved_); !done) return done;
    if (auto done = run_exactly(session_, kDeleteReservation, settled_, "a run was settled by another transaction");
        !done)
        return done;
    Batch days;
    for (const auto& [key, more] : added_) {
        days.add_row(std::get<0>(key), std::get<1>(key), std::get<2>(key), more.runs, more.reserved.micros,
                     more.spent.micros);
    }
    return run_batch(session_, kAddToBudget, days);
}

}  // namespace belfry::store::sql
