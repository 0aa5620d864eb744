#include <algorithm>
#include <tuple>

#include "store/errors.hpp"
#include "store/memory/memory_store.hpp"

namespace belfry::store {

MemoryBackfill* MemoryStore::find_backfill(const std::string& tenant, const std::string& id) {
    const auto found = tables_.backfills.find(id);
    if (found == tables_.backfills.end()) return nullptr;
    return tables_.schedules.at(found->second.schedule).definition().tenant == tenant ? &found->second : nullptr;
}

Result<void> MemoryStore::create_backfill(const std::string& tenant, const model::Backfill& backfill,
                                          const std::optional<model::RequestKey>& request) {
    const MutexLock lock(mutex_);
    const ScheduleRef ref{.tenant = tenant, .id = backfill.schedule_id};
    const auto* const schedule = tables_.find(ref);
    if (schedule == nullptr) return schedule_not_found(ref);
    auto& requests = tables_.tenants.at(tenant).requests;
    if (request && requests.contains(request->key)) return request_taken();
    for (const auto& [id, other] : tables_.backfills) {
        if (other.schedule == schedule->key && !is_over(other.backfill.status)) return backfill_running(id);
    }
    const bool is_new = tables_.backfills.try_emplace(backfill.id, MemoryBackfill{schedule->key, backfill}).second;
    if (!is_new) return backfill_taken(backfill.id);
    if (request) {
        requests.emplace(request->key, RequestRecord{.fingerprint = request->fingerprint,
                                                     .schedule_id = backfill.schedule_id,
                                                     .backfill_id = backfill.id,
                                                     .at = backfill.created_at});
    }
    return {};
}

Result<model::Backfill> MemoryStore::backfill(const std::string& tenant, const std::string& id) {
    const MutexLock lock(mutex_);
    const auto* const found = find_backfill(tenant, id);
    if (found == nullptr) return backfill_not_found(id);
    return found->backfill;
}

Result<std::vector<model::Backfill>> MemoryStore::backfills(const ScheduleRef& schedule) {
    const MutexLock lock(mutex_);
    const auto* const found = tables_.find(schedule);
    if (found == nullptr) return schedule_not_found(schedule);
    std::vector<model::Backfill> all;
    for (const auto& [id, each] : tables_.backfills) {
        if (each.schedule == found->key) all.push_back(each.backfill);
    }
    // Newest first; backfills of the same instant stay sorted by id.
    std::ranges::stable_sort(all, std::ranges::greater{}, &model::Backfill::created_at);
    return all;
}

Result<std::vector<std::pair<std::string, model::Backfill>>> MemoryStore::running_backfills(std::size_t limit) {
    const MutexLock lock(mutex_);
    std::vector<const MemoryBackfill*> running;
    for (const auto& [id, each] : tables_.backfills) {
        if (each.backfill.status == model::BackfillStatus::running) running.push_back(&each);
    }
    std::ranges::stable_sort(running, {}, [](const auto* each) { return each->backfill.created_at; });
    running.resize(std::min(limit, running.size()));
    std::vector<std::pair<std::string, model::Backfill>> all;
    for (const auto* const each : running)
        all.emplace_back(tables_.schedules.at(each->schedule).definition().tenant, each->backfill);
    return all;
}

Result<BackfillStep> MemoryStore::step_backfill(const std::string& tenant, const std::string& id,
                                                const FactsRequest& needs, const BackfillPlanner& planner) {
    MemoryNews news(notifier_);
    const MutexLock lock(mutex_);
    auto* const found = find_backfill(tenant, id);
    if (found == nullptr) return backfill_not_found(id);
    auto& schedule = tables_.schedules.at(found->schedule);
    const auto facts = tables_.gather(schedule, needs);
    if (!facts) return facts.error();
    auto step = planner(*facts, found->backfill);
    if (!step) return step;
    const auto next = found->backfill.version + 1;
    if (step->backfill.version != next) return version_conflict("backfill " + id, next);
    if (auto error = apply_one(schedule, step->plan, news)) return *error;
    found->backfill = step->backfill;
    return step;
}

}  // namespace belfry::store
