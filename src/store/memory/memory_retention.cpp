// Retention: removes ended runs, unused versions, ended schedules, and records that are too old.
#include <algorithm>
#include <set>
#include <tuple>

#include "store/errors.hpp"
#include "store/memory/memory_store.hpp"
#include "store/rules/retention_rules.hpp"
#include "store/rules/workflow_targets.hpp"

namespace belfry::store {

namespace {

// Removes the rows for which `goes(row, age)` is true, oldest first. `age` is the number of newer rows.
template <typename Goes>
std::int64_t forget(MemoryTables& tables, MemorySchedule& schedule, std::size_t limit, const Goes& goes) {
    std::vector<std::int64_t> gone;
    auto newer = static_cast<std::int64_t>(schedule.runs.size());
    for (const auto& [slot, row] : schedule.runs) {
        if (gone.size() >= limit) break;
        newer -= 1;
        if (is_history(row.run) && goes(row, newer)) gone.push_back(slot);
    }
    for (const auto slot : gone) tables.erase_run(schedule, slot);
    return static_cast<std::int64_t>(gone.size());
}

// A running backfill needs the past runs for its decisions.
bool is_backfilled(const MemoryTables& tables, std::int64_t key) {
    return std::ranges::any_of(tables.backfills, [key](const auto& each) {
        return each.second.schedule == key && !is_over(each.second.backfill.status);
    });
}

bool is_kept_letter(const MemoryRun& row, const std::optional<Instant>& since) {
    return since && row.dead_since && *row.dead_since >= *since;
}

std::int64_t forget_history(MemoryTables& tables, MemorySchedule& schedule, const Retention& retention,
                            std::size_t limit) {
    if (is_backfilled(tables, schedule.key)) return 0;
    const auto& state = schedule.state;
    return forget(tables, schedule, limit, [&](const MemoryRun& row, std::int64_t newer) {
        const auto& run = row.run;
        if (run.id == state.last_run_id || run.id == state.last_completed_run) return false;
        if (is_kept_letter(row, retention.keep_letters_since)) return false;
        const bool too_old = retention.occurred_before && run.slot.place() < *retention.occurred_before;
        const bool too_many = retention.keep_newest && newer >= *retention.keep_newest;
        return too_old || too_many;
    });
}

// Removes versions that are neither current nor used by a run, oldest first.
std::int64_t forget_versions(MemorySchedule& schedule, std::size_t limit) {
    std::set<std::int64_t> needed{schedule.version};
    for (const auto& [slot, row] : schedule.runs) needed.insert(row.run.version);
    return static_cast<std::int64_t>(std::erase_if(schedule.versions, [&, left = limit](const auto& each) mutable {
        return !needed.contains(each.first) && left > 0 && left-- > 0;
    }));
}

// Removes rows that are old enough, oldest first, up to the limit.
template <typename Rows, typename Age>
std::int64_t erase_oldest(Rows& rows, std::size_t limit, const Age& age) {
    std::vector<std::pair<Instant, typename Rows::key_type>> old;
    for (const auto& [key, row] : rows) {
        if (const std::optional<Instant> at = age(row)) old.emplace_back(*at, key);
    }
    std::ranges::sort(old);
    if (old.size() > limit) old.resize(limit);
    for (const auto& [at, key] : old) rows.erase(key);
    return static_cast<std::int64_t>(old.size());
}

}  // namespace

Result<std::int64_t> MemoryStore::purge(const ScheduleRef& schedule, std::size_t limit) {
    const MutexLock lock(mutex_);
    auto* const found = tables_.find(schedule);
    if (found == nullptr) return schedule_not_found(schedule);
    if (!found->is_deleted()) return not_deleted(schedule);
    return forget(tables_, *found, limit, [](const MemoryRun&, std::int64_t) { return true; });
}

Result<std::int64_t> MemoryStore::prune(const ScheduleRef& schedule, const Retention& retention, std::size_t limit) {
    const MutexLock lock(mutex_);
    auto* const found = tables_.find(schedule);
    if (found == nullptr) return schedule_not_found(schedule);
    return forget_history(tables_, *found, retention, limit);
}

Result<PruneOutcome> MemoryStore::prune_some(const PruneRequest& request) {
    const MutexLock lock(mutex_);
    PruneOutcome outcome;
    const auto schedules = std::clamp(request.schedules, std::size_t{1}, kPageMax);
    const auto most = std::max(request.limit, std::size_t{1});
    std::vector<MemorySchedule*> page;
    for (auto each = tables_.schedules.upper_bound(request.after_key);
         each != tables_.schedules.end() && page.size() < schedules; ++each) {
        page.push_back(&each->second);
    }
    for (auto* const schedule : page) {
        outcome.removed +=
            forget_history(tables_, *schedule, request.retention, most - static_cast<std::size_t>(outcome.removed));
        if (std::cmp_less(outcome.removed, most)) continue;
        outcome.next_after = schedule->key - 1;
        return outcome;
    }
    for (auto* const schedule : page)
        outcome.definitions += forget_versions(*schedule, most - static_cast<std::size_t>(outcome.definitions));
    if (page.size() == schedules) outcome.next_after = page.back()->key;
    return outcome;
}

Result<RemovalOutcome> MemoryStore::remove_ended(const RemovalRequest& request) {
    const MutexLock lock(mutex_);
    std::vector<EndedPlace> ended;
    for (const auto& [key, schedule] : tables_.schedules) {
        if (!schedule.ended || *schedule.ended <= Instant{} || *schedule.ended >= request.ended_before) continue;
        if (const EndedPlace place{*schedule.ended, key}; place > request.after) ended.push_back(place);
    }
    std::ranges::sort(ended);
    const auto page = std::clamp(request.schedules, std::size_t{1}, kPageMax);
    RemovalOutcome outcome;
    if (ended.size() >= page) {
        ended.resize(page);
        outcome.next_after = ended.back();
    }
    auto left = static_cast<std::int64_t>(std::max(request.limit, std::size_t{1}));
    auto before = request.after;
    for (const auto& place : ended) {
        auto& schedule = tables_.schedules.at(place.key);
        if (!is_backfilled(tables_, place.key)) {
            const auto runs = forget(
                tables_, schedule, static_cast<std::size_t>(left),
                [&](const MemoryRun& row, std::int64_t) { return !is_kept_letter(row, request.keep_letters_since); });
            outcome.runs += runs;
            left -= runs;
            if (left == 0) {
                outcome.next_after = before;
                return outcome;
            }
            if (schedule.runs.empty()) {
                tables_.erase_schedule(place.key);
                outcome.schedules += 1;
            }
        }
        before = place;
    }
    return outcome;
}

Result<std::int64_t> MemoryStore::prune_archive(Instant before, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::vector<std::pair<Instant, std::int64_t>> old;
    for (const auto& [key, each] : tables_.removed) {
        if (each.ended < before) old.emplace_back(each.ended, key);
    }
    std::ranges::sort(old);
    std::size_t left = limit;
    for (const auto& [ended, key] : old) {
        auto& [id, tenant, since, events, archived, end] = tables_.removed.at(key);
        const auto gone = std::min(left, events.size());
        if (gone > 0) archived = {events[gone - 1].first.sequence, events[gone - 1].second};
        events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(gone));
        left -= gone;
        if (left == 0) break;
        tables_.removed.erase(key);
        left -= 1;
    }
    return static_cast<std::int64_t>(limit - left);
}

Result<std::int64_t> MemoryStore::prune_letters(Instant before, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::vector<std::tuple<Instant, std::int64_t, MemoryRun*>> old;
    for (auto& [key, schedule] : tables_.schedules) {
        for (auto& [slot, row] : schedule.runs) {
            if (row.dead_since && *row.dead_since < before) old.emplace_back(*row.dead_since, slot, &row);
        }
    }
    std::ranges::sort(old);
    if (old.size() > limit) old.resize(limit);
    for (const auto& [since, slot, row] : old) row->dead_since.reset();
    return static_cast<std::int64_t>(old.size());
}

Result<std::int64_t> MemoryStore::prune_backfills(Instant before, std::size_t limit) {
    const MutexLock lock(mutex_);
    return erase_oldest(tables_.backfills, limit, [before](const MemoryBackfill& each) {
        const bool old = is_over(each.backfill.status) && each.backfill.updated_at < before;
        return old ? std::optional(each.backfill.updated_at) : std::nullopt;
    });
}

Result<PruneOutcome> MemoryStore::prune_workflows(std::int64_t after_key, std::int64_t keep, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::map<std::int64_t, std::pair<MemoryTenant*, std::string>> by_key;
    for (auto& [name, tenant] : tables_.tenants) {
        for (const auto& [workflow, versions] : tenant.workflows)
            by_key[workflow_key(name, workflow)] = {&tenant, workflow};
    }
    const auto page = std::clamp(limit, std::size_t{1}, kPageMax);
    PruneOutcome outcome;
    std::size_t seen = 0;
    for (auto each = by_key.upper_bound(after_key); each != by_key.end(); ++each) {
        if (seen++ == page) return outcome;
        outcome.next_after = each->first;
        auto& [tenant, name] = each->second;
        auto& versions = tenant->workflows.at(name);
        for (std::size_t i = 0;
             std::cmp_less_equal(i + 1 + static_cast<std::size_t>(std::max<std::int64_t>(keep, 1)), versions.size());
             ++i) {
            if (!versions[i] || is_needed(*tenant, *versions[i])) continue;
            versions[i] = nullptr;
            outcome.removed += 1;
        }
    }
    if (seen < page) outcome.next_after.reset();
    return outcome;
}

// Whether a run uses or has used the workflow version, or a schedule that is not deleted names it. A run that waits
// for its approval has only the version's number: it keeps that number of every workflow.
bool MemoryStore::is_needed(const MemoryTenant& tenant, const model::Workflow& workflow) const {
    return std::ranges::any_of(tenant.keys, [&](std::int64_t key) {
        const auto& schedule = tables_.schedules.at(key);
        const auto& target = schedule.definition().target;
        const bool named = target.type == model::TargetType::workflow && target.kind == workflow.name &&
                           target.version == workflow.version;
        if (named && !schedule.is_deleted()) return true;
        return std::ranges::any_of(schedule.runs, [&](const auto& each) {
            const auto waits_for_it = [&workflow](const model::Approval& approval) {
                return approval.status == model::ApprovalStatus::pending &&
                       approval.workflow_version == workflow.version;
            };
            if (std::ranges::any_of(each.second.approvals, waits_for_it)) return true;
            const auto& walked = each.second.workflow;
            return walked && walked->name == workflow.name && walked->version == workflow.version;
        });
    });
}

}  // namespace belfry::store
