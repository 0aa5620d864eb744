// Ticks: decides due schedules. ARCHITECTURE.md describes the steps.
#include <algorithm>
#include <iterator>

#include "store/errors.hpp"
#include "store/rules/lock_order.hpp"
#include "store/rules/plan_notifications.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/state_columns.hpp"
#include "store/sql/statements/statements_deciding.hpp"

namespace belfry::store::sql {

namespace {

// Whether the error is about one schedule, so that the others may succeed.
bool is_own(const Error& error) { return error.code == ErrorCode::conflict || error.code == ErrorCode::corrupt; }

}  // namespace

// The due ones of the requested schedules. Sets when each of the requested fires next.
Result<std::vector<StateRow>> SqlStore::lock_due(Session& session, const TickRequest& request, DueTick& tick) {
    auto& upcoming = tick.outcome.upcoming;
    std::vector<StateRow> due;
    due.reserve(request.keys.size());
    const auto take = [&](StateRow row) {
        upcoming.push_back({row.key, row.state.next_fire});
        const bool is_due = row.state.next_fire && *row.state.next_fire <= request.now;
        if (is_due || waits_for_release(row.state)) due.push_back(std::move(row));
    };
    Batch keys;
    for (const auto key : request.keys) keys.add_row(key);
    const auto most = static_cast<std::int64_t>(std::min(request.limit, kTickBatchMax));
    auto locked = request.keys.empty() ? session.run(kLockDueStates, {epoch_us(request.now), most}, take)
                                       : session.run(kLockStates, keys, take);
    if (!locked) return locked.error();
    std::ranges::sort(upcoming, {}, &Upcoming::key);
    for (const auto& row : due) tick.looked.push_back(row.key);
    return due;
}

// Plans one schedule and prepares the writes. Returns why it cannot be decided.
std::optional<Error> SqlStore::decide_due_one(Subject& subject, const Planner& planner, TenantGuard& tenants,
                                              DueTick& tick, Upcoming& upcoming) {
    if (subject.broken) return subject.broken;
    tenants.tell(subject);
    auto plan = planner(subject.facts);
    if (!plan) return plan.error();
    const bool followed = tenants.follow(subject);
    if (!plan->empty()) {
        if (auto error = tick.writer.add(*subject.schedule, subject.row, subject.facts, *plan, {followed}))
            return error;
    }
    upcoming.next_fire = plan->state.next_fire;
    upcoming.tenant = subject.schedule->tenant_key;
    if (plan->empty()) return std::nullopt;
    upcoming.waits = waits_for_release(plan->state);
    tenants.count(subject, *plan);
    for (auto& each : notifications_of(*plan, subject.schedule->compiled->definition,
                                       {false, followed, limits_.default_connection})) {
        if (tick.notifications.empty() || !(tick.notifications.back() == each))
            tick.notifications.push_back(std::move(each));
    }
    tick.outcome.plans.push_back(std::move(*plan));
    return std::nullopt;
}

// Finds due schedules, gathers the facts, calls the planner and prepares the writes.
Result<void> SqlStore::decide_due(Session& session, const TickRequest& request, const Planner& planner,
                                  TenantGuard& tenants, DueTick& tick) {
    auto due = lock_due(session, request, tick);
    if (!due) return due.error();
    FactsReader reader(session, memory_, zones_);
    auto subjects = reader.subjects(std::move(*due), Unreadable::broken);
    if (!subjects) return subjects.error();
    FactsRequest needs;
    needs.now = request.now;
    if (auto gathered = reader.gather(*subjects, needs, Purpose::tick); !gathered) return gathered;
    if (tick.ahead) {
        auto free = tenants.peek(*subjects);
        if (!free) return free.error();
        if (!*free) return Error{ErrorCode::conflict, "a tenant or an assignee has a limit that needs a lock"};
    } else if (auto loaded = tenants.load(*subjects); !loaded) {
        return loaded;
    }
    auto& outcome = tick.outcome;
    outcome.plans.reserve(subjects->size());
    auto upcoming = outcome.upcoming.begin();
    for (auto& subject : *subjects) {
        while (upcoming->key != subject.row.key) ++upcoming;
        if (auto error = decide_due_one(subject, planner, tenants, tick, *upcoming))
            outcome.poisoned.push_back({subject.row.key, subject.id, std::move(*error)});
    }
    std::erase_if(outcome.upcoming, [&](const Upcoming& each) {
        return std::ranges::binary_search(outcome.poisoned, each.key, {}, &Poisoned::key);  // sorted like the subjects
    });
    return {};
}

Result<TickOutcome> SqlStore::tick_together(const TickRequest& request, const Planner& planner,
                                            std::vector<std::int64_t>& looked) {
    DueTick tick(request.keys.empty() ? request.limit : request.keys.size());
    const auto work = [&](Session& session) -> Result<void> {
        TenantGuard tenants(session, memory_.usage, request.now);
        auto decided = decide_due(session, request, planner, tenants, tick);
        looked = tick.looked;
        if (!decided) return decided;
        if (auto written = tick.writer.write(session, memory_); !written) return written;
        if (auto counted = tenants.write(); !counted) return counted;
        return notify(session, tick.notifications);
    };
    auto done = commit(work, [&tick](Session& session) { return look_for(session, tick.writer.traces()); });
    if (!done) return done.error();
    return std::move(tick.outcome);
}

// On a database where a writer locks everything, the slow part runs first on a snapshot, concurrently with other
// writers. The rows are written only if nothing that the decision used has changed: the schedule's state (its
// revision), its compiled form (its stamp), and what its tenant allows. Otherwise the result is a conflict, and
// nothing was changed.
Result<TickOutcome> SqlStore::tick_ahead(const TickRequest& request, const Planner& planner) {
    DueTick tick(request.keys.size());
    tick.ahead = true;
    std::optional<TenantGuard> seen;
    auto decided = database_->read([&](Session& session) {
        seen.emplace(session, memory_.usage, request.now);
        return decide_due(session, request, planner, *seen, tick);
    });
    if (!decided) return decided.error();
    if (tick.outcome.plans.empty()) return std::move(tick.outcome);
    const auto work = [&](Session& session) -> Result<void> {
        TenantGuard tenants(session, memory_.usage, request.now);
        auto same = tenants.look_again(*seen);
        if (!same) return same.error();
        if (!*same) return Error{ErrorCode::conflict, "a tenant was changed by another transaction"};
        if (auto written = tick.writer.write(session, memory_); !written) return written;
        return notify(session, tick.notifications);
    };
    auto done = commit(work, [&tick](Session& session) { return look_for(session, tick.writer.traces()); });
    if (!done) return done.error();
    seen->remember();
    return std::move(tick.outcome);
}

// A schedule whose rows cannot be written must not hold up the others: each gets its own transaction.
Result<TickOutcome> SqlStore::tick_one_by_one(const TickRequest& request, const Planner& planner,
                                              const std::vector<std::int64_t>& keys) {
    TickOutcome all;
    for (const auto key : keys) {
        std::vector<std::int64_t> looked;
        auto one = tick_together({request.now, {key}, 1}, planner, looked);
        if (!one) {
            const bool its_own = is_own(one.error());
            // Reports the plans that were applied; the other schedules are still due.
            if (!its_own && !all.plans.empty()) return all;
            if (!its_own) return one.error();
            all.poisoned.push_back({key, {}, one.error()});
            continue;
        }
        std::ranges::move(one->plans, std::back_inserter(all.plans));
        std::ranges::move(one->upcoming, std::back_inserter(all.upcoming));
        std::ranges::move(one->poisoned, std::back_inserter(all.poisoned));
    }
    return all;
}

Result<TickOutcome> SqlStore::tick(const TickRequest& request, const Planner& planner) {
    if (request.keys.size() > kTickBatchMax) return too_many_keys();
    const TickRequest sorted{request.now, ascending(request.keys), request.limit};
    if (!database_->dialect().locks_rows && !sorted.keys.empty()) {
        auto ahead = tick_ahead(sorted, planner);
        if (ahead || !is_own(ahead.error())) return ahead;
    }
    std::vector<std::int64_t> looked;
    auto together = tick_together(sorted, planner, looked);
    if (together) return together;
    if (looked.empty() || !is_own(together.error())) return together;
    return tick_one_by_one(sorted, planner, sorted.keys.empty() ? looked : sorted.keys);
}

}  // namespace belfry::store::sql
