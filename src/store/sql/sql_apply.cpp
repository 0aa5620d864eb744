// Plans that were made before, and what depends on them: apply, purge, prune.
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
            auto subjects = reader.subjects(std::move(rows));
            if (!subjects) return subjects.error();
            auto& writer = writers.emplace_back(wave.size());
            TenantGuard tenants(session, plans.front().decided_at);
            if (auto loaded = tenants.load(*subjects); !loaded) return loaded;
            std::vector<Announcement> announcements;
            for (const auto& [key, index] : wave) results[index] = schedule_not_found({{}, plans[index].schedule_id});
            for (const auto& subject : *subjects) {
                const auto index = wave.at(subject.row.key);
                const auto& plan = plans[index];
                results[index] = subject.broken;
                if (subject.broken || (plan.empty() && plan.revision == subject.row.state.revision)) continue;
                results[index] = writer.add(*subject.schedule, subject.row, plan);
                if (results[index]) continue;
                tenants.count(subject, plan);
                // More than can be named become one "look again": no use in collecting them.
                if (announcements.size() > kAnnouncedMax) continue;
                for (auto& each :
                     announcements_of(plan, subject.schedule->compiled->definition, plan.state.next_fire != subject.row.state.next_fire)) {
                    announcements.push_back(std::move(each));
                }
            }
            if (auto written = writer.write(session, memory_.definitions); !written) return written;
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
    if (together || together.error().code != ErrorCode::conflict) return together;
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

// `which` locks the schedule and answers the parameters of kDeleteRuns.
Result<std::int64_t> SqlStore::remove_runs(const std::function<Result<Batch>(Session&)>& which) {
    std::int64_t removed = 0;
    std::optional<model::RunKey> first;
    const auto work = [&](Session& session) -> Result<void> {
        auto rows = which(session);
        if (!rows) return rows.error();
        const auto key = std::get<std::int64_t>(rows->at(0, 0));
        auto done = session.run(kDeleteRuns, *rows, [&](const Row& row) {
            first = model::RunKey{key, row.integer(0)};
            ++removed;
        });
        if (!done) return done.error();
        return {};
    };
    auto done = commit(work, [&first](Session& session) { return look_for_gone(session, first); });
    if (!done) return done.error();
    return removed;
}

Result<std::int64_t> SqlStore::purge(const ScheduleRef& schedule, std::size_t limit) {
    return remove_runs([&](Session& session) -> Result<Batch> {
        auto key = find_schedule(session, schedule);
        if (!key) return key.error();
        std::optional<StateRow> row;
        auto locked = session.run(kLockStatesWait, {*key}, [&row](const Row& each) { row = read_state(each); });
        if (!locked) return locked.error();
        if (!row || row->state.status != model::ScheduleStatus::deleted) return not_deleted(schedule);
        return Batch{*key, std::numeric_limits<std::int64_t>::max(), std::int64_t{-1}, std::int64_t{-1}, static_cast<std::int64_t>(limit)};
    });
}

Result<std::int64_t> SqlStore::prune(const ScheduleRef& schedule, const Retention& retention, std::size_t limit) {
    return remove_runs([&](Session& session) -> Result<Batch> {
        auto key = find_schedule(session, schedule);
        if (!key) return key.error();
        std::optional<StateRow> row;
        auto locked = session.run(kLockStatesWait, {*key}, [&row](const Row& each) { row = read_state(each); });
        if (!locked) return locked.error();
        if (!row) return schedule_not_found(schedule);
        auto before = std::numeric_limits<std::int64_t>::min();
        if (retention.occurred_before) before = epoch_ms(*retention.occurred_before + Micros{999}) * 4;
        if (retention.keep_newest) {
            auto read = session.run(kNthNewestSlot, {*key, *retention.keep_newest},
                                    [&before](const Row& each) { before = std::max(before, each.integer(0) + 1); });
            if (!read) return read.error();
        }
        const auto slot_of = [](const std::string& id) { return model::parse_run_id(id).value_or(model::RunKey{0, -1}).slot; };
        return Batch{*key, before, slot_of(row->state.last_run_id), slot_of(row->state.last_completed_run), static_cast<std::int64_t>(limit)};
    });
}

}  // namespace belfry::store::sql
