// Complete removal of schedules, their archive, and versions of workflows.
#include <algorithm>
#include <limits>
#include <map>

#include "store/sql/read/read_all.hpp"
#include "store/sql/sql_store.hpp"
#include "store/sql/statements/statements_audit.hpp"
#include "store/sql/statements/statements_backfills.hpp"
#include "store/sql/statements/statements_deciding.hpp"
#include "store/sql/statements/statements_retention.hpp"
#include "store/sql/statements/statements_targets.hpp"

namespace belfry::store::sql {

namespace {

constexpr auto kAnyKey = std::numeric_limits<std::int64_t>::max();

// Removes schedules inside one transaction, longest ended first.
class Remover {
public:
    Remover(Session& session, const RemovalRequest& request)
        : session_(session),
          request_(request),
          left_(static_cast<std::int64_t>(std::max(request.limit, std::size_t{1}))) {}

    // Locks the schedules against decisions and other removals. Drops those that have changed since they were found.
    Result<void> lock(std::vector<EndedPlace>& places) {
        std::vector<std::int64_t> keys;
        for (const auto& place : places) keys.push_back(place.key);
        std::ranges::sort(keys);
        Batch rows;
        for (const auto key : keys) rows.add_row(key);
        if (auto locked = session_.run(kLockStatesWait, rows); !locked) return locked.error();
        auto read = session_.run(kEndedByKey, rows, [this](const EndOfSchedule& end) {
            if (end.ended) ends_[end.key] = end;
        });
        if (!read) return read.error();
        std::erase_if(places, [this](const EndedPlace& place) {
            const auto found = ends_.find(place.key);
            return found == ends_.end() || found->second.ended != place.ended;
        });
        return {};
    }

    // Returns false when the limit is reached.
    Result<bool> remove(const EndedPlace& place, RemovalOutcome& outcome) {
        bool waits = false;
        const auto note = [&waits](const Row&) { waits = true; };
        auto read = session_.run(kBackfillNotOver, {place.key}, note);
        if (!read) return read.error();
        if (waits) return true;
        const auto letters = request_.keep_letters_since ? epoch_us(*request_.keep_letters_since) : kAnyKey;
        read = session_.run(kDeleteRuns, {place.key, kAnyKey, std::int64_t{-1}, std::int64_t{-1}, letters, left_},
                            [&](std::int64_t slot) {
                                runs_.add_row(place.key, slot);
                                --left_;
                                ++outcome.runs;
                                touched = model::RunKey{place.key, slot};
                            });
        if (!read) return read.error();
        if (left_ == 0) return false;
        read = session_.run(kAnyRun, {place.key}, note);
        if (!read) return read.error();
        if (waits) return true;
        gone_.add_row(place.key);
        const auto& end = ends_.at(place.key);
        if (end.status != model::ScheduleStatus::deleted) ++fewer_[end.tenant];
        ++outcome.schedules;
        removed = place.key;
        return true;
    }

    Result<void> write() {
        if (auto forgotten = forget_runs(session_, runs_); !forgotten) return forgotten;
        for (const auto* const step :
             {&kArchiveSchedule, &kForgetDefinitions, &kDeleteLabels, &kDeleteCalendarUses, &kDeleteWatch,
              &kDeleteSubscriptions, &kForgetBackfills, &kForgetRequests, &kForgetState, &kForgetSchedule}) {
            if (auto done = run_batch(session_, *step, gone_); !done) return done;
        }
        Batch fewer;
        for (const auto& [tenant, count] : fewer_) fewer.add_row(count, tenant);
        return run_batch(session_, kSubtractSchedules, fewer);
    }

    // One removed row of each kind: if it is gone, all are.
    std::optional<model::RunKey> touched = {};
    std::optional<std::int64_t> removed = {};

private:
    Session& session_;
    const RemovalRequest& request_;
    std::int64_t left_;
    std::map<std::int64_t, EndOfSchedule> ends_ = {};
    std::map<std::int64_t, std::int64_t> fewer_ = {};  // by tenant
    Batch runs_ = {};
    Batch gone_ = {};
};

}  // namespace

Result<RemovalOutcome> SqlStore::remove_ended(const RemovalRequest& request) {
    const auto page = std::clamp(request.schedules, std::size_t{1}, kPageMax);
    std::vector<EndedPlace> found;
    auto looked = database_->read([&](Session& session) -> Result<void> {
        // A schedule that may still fire has the epoch as its end, and is skipped.
        const auto after = std::max(request.after, EndedPlace{Instant{}, kAnyKey});
        auto read = read_all(
            session, kEndedSchedules,
            {epoch_us(after.ended), after.key, epoch_us(request.ended_before), static_cast<std::int64_t>(page)});
        if (!read) return read.error();
        found = std::move(*read);
        return {};
    });
    if (!looked) return looked.error();
    RemovalOutcome outcome;
    if (found.empty()) return outcome;
    std::optional<model::RunKey> run;
    std::optional<std::int64_t> schedule;
    const auto work = [&](Session& session) -> Result<void> {
        outcome = {};
        if (found.size() == page) outcome.next_after = found.back();
        auto places = found;
        Remover remover(session, request);
        if (auto locked = remover.lock(places); !locked) return locked;
        auto before = request.after;
        for (const auto& place : places) {
            auto more = remover.remove(place, outcome);
            if (!more) return more.error();
            if (!*more) {
                outcome.next_after = before;
                break;
            }
            before = place;
        }
        run = remover.touched;
        schedule = remover.removed;
        return remover.write();
    };
    auto done = commit(work, [&](Session& session) -> Result<CommitOutcome> {
        if (!schedule) return look_for_gone(session, run);
        bool exists = false;
        auto read = session.run(kLockStatesWait, {*schedule}, [&exists](const Row&) { exists = true; });
        if (!read) return read.error();
        return exists ? CommitOutcome::no : CommitOutcome::yes;
    });
    if (!done) return done.error();
    return outcome;
}

Result<std::int64_t> SqlStore::prune_archive(Instant before, std::size_t limit) {
    std::int64_t left = 0;
    const auto most = static_cast<std::int64_t>(limit);
    auto done = commit_repeatable([&](Session& session) -> Result<void> {
        left = most;
        const auto keys = read_all(session, kOldArchives, {epoch_us(before), most});
        if (!keys) return keys.error();
        for (const auto key : *keys) {
            if (auto put = session.run(kPutCheckpointBeyond, {key, left - 1}); !put) return put.error();
            auto events = session.run(kForgetEvents, {key, left});
            if (!events) return events.error();
            left -= *events;
            if (left == 0) return {};
            if (auto checkpoint = session.run(kDeleteCheckpoint, {key}); !checkpoint) return checkpoint.error();
            if (auto archive = session.run(kDeleteArchive, {key}); !archive) return archive.error();
            left -= 1;
            if (left == 0) return {};
        }
        return {};
    });
    if (!done) return done.error();
    return most - left;
}

Result<PruneOutcome> SqlStore::prune_workflows(std::int64_t after_key, std::int64_t keep, std::size_t limit) {
    const auto page = std::clamp(limit, std::size_t{1}, kPageMax);
    struct Old {
        std::int64_t key = 0;
        std::int64_t tenant = 0;
        std::string name = {};
        std::int64_t last = 0;  // the last version that may be removed
    };
    std::vector<Old> old;
    PruneOutcome outcome;
    std::size_t seen = 0;
    auto looked = database_->read([&](Session& session) -> Result<void> {
        auto read =
            session.run(kPrunableWorkflows, {after_key, static_cast<std::int64_t>(page)}, [&](PrunableWorkflow row) {
                ++seen;
                outcome.next_after = row.key;
                const auto last = row.newest - std::max<std::int64_t>(keep, 1);
                if (row.oldest.value_or(kAnyKey) <= last)
                    old.push_back({row.key, row.tenant, std::move(row.name), last});
            });
        if (!read) return read.error();
        return {};
    });
    if (!looked) return looked.error();
    if (seen < page) outcome.next_after.reset();
    for (const auto& each : old) {
        auto removed = prune_by(kPruneWorkflowVersions, {each.key, each.last, each.tenant, each.name});
        if (!removed) return removed.error();
        outcome.removed += *removed;
    }
    return outcome;
}

}  // namespace belfry::store::sql
