// Retention: removes ended runs, unused versions, and records that are too old. sql_removal.cpp removes complete
// schedules.
#include <algorithm>
#include <limits>
#include <set>

#include "store/errors.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_approvals.hpp"
#include "store/sql/statements/statements_backfills.hpp"
#include "store/sql/statements/statements_budgets.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_retention.hpp"
#include "store/sql/statements/statements_targets.hpp"
#include "store/sql/statements/statements_tasks.hpp"
#include "store/sql/statements/statements_workflow_runs.hpp"

namespace belfry::store::sql {

Result<void> forget_runs(Session& session, const Batch& runs) {
    for (const auto* const forget : {&kForgetWorkflowRuns, &kForgetNodes, &kForgetRunEvents, &kForgetApprovals,
                                     &kForgetUsage, &kForgetTeamRuns, &kDeleteDeadLetter, &kDeleteLeasesOfRun}) {
        if (auto forgotten = run_batch(session, *forget, runs); !forgotten) return forgotten;
    }
    return {};
}

// Removed rows never come back, so it is enough to check one of them.
Result<SqlStore::CommitOutcome> SqlStore::look_for_gone(Session& session, const std::optional<model::RunKey>& run) {
    if (!run) return CommitOutcome::yes;
    if (auto locked = session.run(kLockStatesWait, {run->schedule}); !locked) return locked.error();
    bool exists = false;
    auto read = session.run(kRunEnd, {run->schedule, run->slot}, [&exists](const Row&) { exists = true; });
    if (!read) return read.error();
    return exists ? CommitOutcome::no : CommitOutcome::yes;
}

namespace {

constexpr auto kNoBound = std::numeric_limits<std::int64_t>::max();

// The first slot that is young enough to stay.
std::int64_t slots_before(const Retention& retention) {
    if (!retention.occurred_before) return std::numeric_limits<std::int64_t>::min();
    return epoch_ms(*retention.occurred_before + Micros{999}) * 4;
}

std::int64_t letters_from(const std::optional<Instant>& since) { return since ? epoch_us(*since) : kNoBound; }

// Locks the schedule and removes the runs that the retention does not keep. Calls `removed` for each.
Result<void> prune_runs(Session& session, std::int64_t key, const Retention& retention, std::size_t limit,
                        const std::function<void(const model::RunKey&)>& removed) {
    const auto locked = read_one(session, kLockStatesWait, {key});
    if (!locked) return locked.error();
    if (!*locked) return {};  // removed by another transaction
    const auto& state = (*locked)->state;
    bool backfilled = false;  // a backfill needs the past runs
    auto looked = session.run(kBackfillNotOver, {key}, [&backfilled](const Row&) { backfilled = true; });
    if (!looked) return looked.error();
    if (backfilled) return {};
    auto before = slots_before(retention);
    if (retention.keep_newest) {
        auto read = session.run(kNthNewestSlot, {key, *retention.keep_newest},
                                [&before](std::int64_t slot) { before = std::max(before, slot + 1); });
        if (!read) return read.error();
    }
    const auto slot_of = [](const std::string& id) {
        return model::parse_run_id(id).value_or(model::RunKey{0, -1}).slot;
    };
    auto done = session.run(kDeleteRuns,
                            {key, before, slot_of(state.last_run_id), slot_of(state.last_completed_run),
                             letters_from(retention.keep_letters_since), static_cast<std::int64_t>(limit)},
                            [&](std::int64_t slot) {
                                removed({key, slot});
                            });
    if (!done) return done.error();
    return {};
}

}  // namespace

Result<std::int64_t> SqlStore::purge(const ScheduleRef& schedule, std::size_t limit) {
    return remove_runs([&](Session& session, const Removed& removed) -> Result<void> {
        auto key = find_schedule(session, schedule);
        if (!key) return key.error();
        const auto locked = read_one(session, kLockStatesWait, {*key});
        if (!locked) return locked.error();
        if (!*locked || (*locked)->state.status != model::ScheduleStatus::deleted) return not_deleted(schedule);
        auto done = session.run(
            kDeleteRuns,
            {*key, kNoBound, std::int64_t{-1}, std::int64_t{-1}, kNoBound, static_cast<std::int64_t>(limit)},
            [&](std::int64_t slot) {
                removed({*key, slot});
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

// `remove` locks the schedules and reports every removed run.
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
        return forget_runs(session, runs);
    };
    auto done = commit(work, [&one](Session& session) { return look_for_gone(session, one); });
    if (!done) return done.error();
    return count;
}

// The schedules of the page that have something to remove, by key. Most have nothing, so they are read without a
// lock, and such a page writes nothing. Sets in `outcome` where the next page starts.
Result<SqlStore::Prunable> SqlStore::prunable(const PruneRequest& request, PruneOutcome& outcome) {
    const auto schedules = std::clamp(request.schedules, std::size_t{1}, kPageMax);
    const auto before = slots_before(request.retention);
    std::size_t seen = 0;
    Prunable found;
    const auto take = [&](const PrunableSchedule& row) {
        ++seen;
        outcome.next_after = row.key;
        const auto& [key, oldest, beyond, version, oldest_version] = row;
        if (oldest && (*oldest < before || (beyond && *oldest <= *beyond))) found.keys.push_back(key);
        if (oldest_version.value_or(kNoBound) < version) found.versioned.push_back(key);
    };
    auto done = database_->read([&](Session& session) -> Result<void> {
        const auto most = static_cast<std::int64_t>(schedules);
        const auto& keep = request.retention.keep_newest;
        const auto letters = letters_from(request.retention.keep_letters_since);
        auto read = keep ? session.run(kPrunableBeyond, {letters, *keep, request.after_key, most}, take)
                         : session.run(kPrunable, {letters, request.after_key, most}, take);
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    if (seen < schedules) outcome.next_after.reset();
    return found;
}

Result<PruneOutcome> SqlStore::prune_some(const PruneRequest& request) {
    PruneOutcome outcome;
    auto found = prunable(request, outcome);
    if (!found) return found.error();
    const auto most = static_cast<std::int64_t>(std::max(request.limit, std::size_t{1}));
    std::optional<std::int64_t> stopped;  // the schedule that reached the limit
    const auto prune_page = [&](Session& session, const Removed& tell) -> Result<void> {
        std::int64_t left = most;
        for (const auto key : found->keys) {
            auto done = prune_runs(session, key, request.retention, static_cast<std::size_t>(left),
                                   [&](const model::RunKey& run) {
                                       --left;
                                       tell(run);
                                   });
            if (!done) return done;
            if (left > 0) continue;
            stopped = key;
            return {};
        }
        return {};
    };
    auto removed = found->keys.empty() ? Result<std::int64_t>(0) : remove_runs(prune_page);
    if (!removed) return removed.error();
    outcome.removed = *removed;
    if (stopped) {
        outcome.next_after = *stopped - 1;
        return outcome;
    }
    // In its own transaction, since it may read much. An error must mean that nothing was changed, so this one is
    // ignored after removals: the next sweep finds the versions again.
    auto versions = forget_definitions(found->versioned, static_cast<std::size_t>(most));
    if (!versions && outcome.removed == 0) return versions.error();
    outcome.definitions = versions ? *versions : 0;
    return outcome;
}

namespace {

// While the oldest version is needed, the others are checked only for schedules with fewer runs than this, because
// the check reads all runs and happens every hour.
constexpr std::int64_t kRunsOfVersionsMax = 1'000;

// Finds versions of a definition that neither the schedule nor its runs use. Later decisions use the current version
// or a newer one, so no lock is needed. Reads all runs only if the oldest version is unused and will be removed.
Result<void> find_versions(Session& session, std::int64_t key, Batch& unneeded, std::size_t limit) {
    const auto versions = read_all(session, kOldVersions, {key});
    if (!versions) return versions.error();
    if (versions->empty()) return {};
    bool needed = false;
    auto read = session.run(kRunOfVersion, {key, versions->front()}, [&needed](const Row&) { needed = true; });
    if (!read) return read.error();
    if (needed && versions->size() == 1) return {};
    std::set<std::int64_t> in_use;
    std::int64_t runs = 0;
    const auto most = needed ? kRunsOfVersionsMax : kNoBound;
    read = session.run(kVersionsOfRuns, {key, most}, [&](const VersionUse& use) {
        in_use.insert(use.version);
        runs += use.runs;
    });
    if (!read) return read.error();
    if (runs == most) return {};
    for (const auto version : *versions) {
        if (unneeded.rows() >= limit) return {};
        if (!in_use.contains(version)) unneeded.add_row(key, version);
    }
    return {};
}

}  // namespace

Result<std::int64_t> SqlStore::forget_definitions(const std::vector<std::int64_t>& keys, std::size_t limit) {
    if (keys.empty()) return 0;
    Batch unneeded;
    auto looked = database_->read([&](Session& session) -> Result<void> {
        for (const auto key : keys) {
            if (auto found = find_versions(session, key, unneeded, limit); !found) return found;
        }
        return {};
    });
    if (!looked) return looked.error();
    return unneeded.empty() ? Result<std::int64_t>(0) : prune_by(kDeleteVersions, unneeded);
}

// Idempotent: after a repetition, only the returned number may be too small.
Result<std::int64_t> SqlStore::prune_by(const Statement& statement, const Batch& batch) {
    std::int64_t removed = 0;
    auto done = commit_repeatable([&](Session& session) -> Result<void> {
        auto deleted = session.run(statement, batch);
        if (!deleted) return deleted.error();
        removed = *deleted;
        return {};
    });
    if (!done) return done.error();
    return removed;
}

Result<std::int64_t> SqlStore::prune_letters(Instant before, std::size_t limit) {
    return prune_by(kPruneLetters, {epoch_us(before), static_cast<std::int64_t>(limit)});
}

Result<std::int64_t> SqlStore::prune_backfills(Instant before, std::size_t limit) {
    return prune_by(kPruneBackfills, {epoch_us(before), static_cast<std::int64_t>(limit)});
}

// PostgreSQL reuses space itself. In an SQLite file that was created without auto_vacuum, nothing moves.
Result<bool> SqlStore::shrink() {
    if (database_->dialect().locks_rows) return false;
    bool more = false;
    auto done = commit_repeatable([&](Session& session) -> Result<void> {
        const auto before = read_one(session, kFilePages, {});
        if (!before) return before.error();
        if (!(*before)->is_wasteful()) return {};
        if (auto shrunk = session.run(kShrinkFile, {}); !shrunk) return shrunk.error();
        const auto after = read_one(session, kFilePages, {});
        if (!after) return after.error();
        more = (*after)->all < (*before)->all && (*after)->is_wasteful();
        return {};
    });
    if (!done) return done.error();
    return more;
}

}  // namespace belfry::store::sql
