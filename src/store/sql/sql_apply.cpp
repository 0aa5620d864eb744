// Plans that were made before, and what may be forgotten of them: apply, purge, prune.
#include <algorithm>

#include "store/plan_rows.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements.hpp"
#include "store/sql/waves.hpp"

namespace belfry::store::sql {

namespace {

// Columns of kLockForPlans: the rest of the state is what the plan says.
StateRow read_for_plan(const Row& row) {
    StateRow read{row.integer(0), row.integer(1), {}, text_at(row, 6)};
    read.state.revision = row.integer(2);
    read.state.status = static_cast<model::ScheduleStatus>(row.integer(3));
    read.state.next_fire = optional_instant(row, 4);
    read.state.events = row.integer(5);
    return read;
}

}  // namespace

Result<std::vector<std::optional<Error>>> SqlStore::apply_together(std::span<const decide::Plan> plans) {
    std::vector<std::optional<Error>> results(plans.size());
    std::vector<PlanWriter> writers;
    const auto waves = waves_by(plans, [](const decide::Plan& plan) { return model::key_of(plan.schedule_id); });
    const auto work = [&](Session& session) -> Result<void> {
        for (const auto& wave : waves) {
            Batch keys;
            for (const auto& [key, index] : wave) keys.add_row(key);
            std::vector<StateRow> rows;
            rows.reserve(wave.size());
            auto locked = session.run(kLockForPlans, keys, [&rows](const Row& row) { rows.push_back(read_for_plan(row)); });
            if (!locked) return locked.error();
            FactsReader reader(session, memory_, zones_);
            auto subjects = reader.subjects(std::move(rows), Unreadable::broken);
            if (!subjects) return subjects.error();
            auto& writer = writers.emplace_back(wave.size());
            TenantGuard tenants(session, plans.front().decided_at);
            BudgetGuard::Runs runs;
            for (const auto& [key, index] : wave) {
                for (const auto& end : plans[index].ends) runs.ending.push_back(model::parse_run_id(end.run_id).value_or(model::RunKey{}));
            }
            if (auto loaded = tenants.load(*subjects, runs); !loaded) return loaded;
            std::vector<Announcement> announcements;
            for (const auto& [key, index] : wave) results[index] = schedule_not_found({{}, plans[index].schedule_id});
            for (const auto& subject : *subjects) {
                const auto index = wave.at(subject.row.key);
                const auto& plan = plans[index];
                results[index] = subject.broken;
                if (subject.broken || (plan.empty() && plan.revision == subject.row.state.revision)) continue;
                const bool followed = tenants.follow(subject);
                results[index] = writer.add(*subject.schedule, subject.row, plan, followed);
                if (results[index]) continue;
                tenants.count(subject, plan);
                // More than can be named become one "look again": no use in collecting them.
                if (announcements.size() > kAnnouncedMax) continue;
                const NewsOf news{plan.state.next_fire != subject.row.state.next_fire, followed, limits_.default_connection};
                for (auto& each : announcements_of(plan, subject.schedule->compiled->definition, news)) {
                    announcements.push_back(std::move(each));
                }
            }
            if (auto written = writer.write(session, memory_); !written) return written;
            if (auto counted = tenants.write(); !counted) return counted;
            if (auto told = announce(session, announcements); !told) return told;
        }
        return {};
    };
    auto done = commit(work, [&writers](Session& session) -> Result<Happened> {
        for (const auto& writer : writers) {
            if (!writer.traces().empty()) return look_for(session, writer.traces());
        }
        return Happened::yes;
    });
    if (!done) return done.error();
    return results;
}

Result<std::vector<std::optional<Error>>> SqlStore::apply(std::span<const decide::Plan> plans) {
    auto together = apply_together(plans);
    const auto one_does_not_fit = [](const Error& error) { return error.code == ErrorCode::conflict || error.code == ErrorCode::already_exists; };
    if (together || !one_does_not_fit(together.error())) return together;
    if (plans.size() == 1) return std::vector<std::optional<Error>>{together.error()};
    // One does not fit; it must not take the others with it.
    std::vector<std::optional<Error>> results;
    for (const auto& plan : plans) {
        auto one = apply({&plan, 1});
        results.push_back(one ? std::move(one->front()) : std::optional(one.error()));
    }
    return results;
}

// What was removed stays away: one of the rows tells for all.
Result<SqlStore::Happened> SqlStore::look_for_gone(Session& session, const std::optional<model::RunKey>& run) {
    if (!run) return Happened::yes;
    if (auto locked = session.run(kLockStatesWait, {run->schedule}); !locked) return locked.error();
    bool exists = false;
    auto read = session.run(kRunEnd, {run->schedule, run->slot}, [&exists](const Row&) { exists = true; });
    if (!read) return read.error();
    return exists ? Happened::no : Happened::yes;
}

namespace {

// The first slot that stays for its time: nothing below it is spared by the rule.
std::int64_t slots_before(const Retention& retention) {
    if (!retention.occurred_before) return std::numeric_limits<std::int64_t>::min();
    return epoch_ms(*retention.occurred_before + Micros{999}) * 4;
}

// Locks the schedule and removes what the retention does not keep. `removed` hears of each.
Result<void> prune_runs(Session& session, std::int64_t key, const Retention& retention, std::size_t limit,
                        const std::function<void(const model::RunKey&)>& removed) {
    std::optional<StateRow> row;
    auto locked = session.run(kLockStatesWait, {key}, [&row](const Row& each) { row = read_state(each); });
    if (!locked) return locked.error();
    if (!row) return Error{ErrorCode::not_found, "there is no schedule with key " + std::to_string(key)};
    auto before = slots_before(retention);
    if (retention.keep_newest) {
        auto read = session.run(kNthNewestSlot, {key, *retention.keep_newest},
                                [&before](const Row& each) { before = std::max(before, each.integer(0) + 1); });
        if (!read) return read.error();
    }
    const auto slot_of = [](const std::string& id) { return model::parse_run_id(id).value_or(model::RunKey{0, -1}).slot; };
    auto done = session.run(kDeleteRuns,
                            {key, before, slot_of(row->state.last_run_id), slot_of(row->state.last_completed_run), static_cast<std::int64_t>(limit)},
                            [&](const Row& each) {
                                removed({key, each.integer(0)});
                            });
    if (!done) return done.error();
    return {};
}

}  // namespace

Result<std::int64_t> SqlStore::purge(const ScheduleRef& schedule, std::size_t limit) {
    return remove_runs([&](Session& session, const Removed& removed) -> Result<void> {
        auto key = find_schedule(session, schedule);
        if (!key) return key.error();
        std::optional<StateRow> row;
        auto locked = session.run(kLockStatesWait, {*key}, [&row](const Row& each) { row = read_state(each); });
        if (!locked) return locked.error();
        if (!row || row->state.status != model::ScheduleStatus::deleted) return not_deleted(schedule);
        auto done = session.run(
            kDeleteRuns, {*key, std::numeric_limits<std::int64_t>::max(), std::int64_t{-1}, std::int64_t{-1}, static_cast<std::int64_t>(limit)},
            [&](const Row& each) {
                removed({*key, each.integer(0)});
            });
        if (!done) return done.error();
        return {};
    });
}

Result<std::int64_t> SqlStore::prune(const ScheduleRef& schedule, const Retention& retention, std::size_t limit) {
    return remove_runs([&](Session& session, const Removed& removed) -> Result<void> {
        auto key = find_schedule(session, schedule);
        if (!key) return key.error();
        return prune_runs(session, *key, retention, limit, removed);
    });
}

// `remove` locks the schedules and tells every run that it removed.
Result<std::int64_t> SqlStore::remove_runs(const std::function<Result<void>(Session&, const Removed&)>& remove) {
    std::int64_t count = 0;
    std::optional<model::RunKey> one;
    const auto work = [&](Session& session) -> Result<void> {
        Batch runs;
        auto removed = remove(session, [&](const model::RunKey& run) {
            one = run;
            ++count;
            runs.add_row(run.schedule, run.slot);
        });
        if (!removed) return removed;
        for (const auto* const forget : {&kForgetWalks, &kForgetNodes, &kForgetRunEvents, &kForgetApprovals, &kForgetUsage, &kDeleteDeadLetter}) {
            if (auto forgotten = run_batch(session, *forget, runs); !forgotten) return forgotten;
        }
        return {};
    };
    auto done = commit(work, [&one](Session& session) { return look_for_gone(session, one); });
    if (!done) return done.error();
    return count;
}

// The schedules of the page that have something to forget, by key. Most have nothing: they are looked at without a lock, and
// a page of them writes nothing. `outcome` gets where the next page begins.
Result<std::vector<std::int64_t>> SqlStore::prunable(const PruneRequest& request, PruneOutcome& outcome) {
    const auto schedules = std::clamp(request.schedules, std::size_t{1}, kPageMax);
    const auto before = slots_before(request.retention);
    std::size_t seen = 0;
    std::vector<std::int64_t> keys;
    const auto take = [&](const Row& row) {
        ++seen;
        outcome.next_after = row.integer(0);
        const auto oldest = optional_integer(row, 1);
        const auto beyond = optional_integer(row, 2);
        if (oldest && (*oldest < before || (beyond && *oldest <= *beyond))) keys.push_back(row.integer(0));
    };
    auto done = database_->read([&](Session& session) -> Result<void> {
        const auto most = static_cast<std::int64_t>(schedules);
        const auto& keep = request.retention.keep_newest;
        auto read =
            keep ? session.run(kPrunableBeyond, {*keep, request.after_key, most}, take) : session.run(kPrunable, {request.after_key, most}, take);
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    if (seen < schedules) outcome.next_after.reset();
    return keys;
}

Result<PruneOutcome> SqlStore::prune_some(const PruneRequest& request) {
    PruneOutcome outcome;
    auto keys = prunable(request, outcome);
    if (!keys) return keys.error();
    if (keys->empty()) return outcome;
    const auto most = static_cast<std::int64_t>(std::max(request.limit, std::size_t{1}));
    std::optional<std::int64_t> stopped;  // at this schedule
    auto removed = remove_runs([&](Session& session, const Removed& tell) -> Result<void> {
        std::int64_t left = most;
        for (const auto key : *keys) {
            auto done = prune_runs(session, key, request.retention, static_cast<std::size_t>(left), [&](const model::RunKey& run) {
                --left;
                tell(run);
            });
            if (!done) return done;
            if (left > 0) continue;
            stopped = key;
            return {};
        }
        return {};
    });
    if (!removed) return removed.error();
    outcome.removed = *removed;
    if (stopped) outcome.next_after = *stopped - 1;
    return outcome;
}

}  // namespace belfry::store::sql
