#include <algorithm>
#include <variant>

#include "decide/feed.hpp"
#include "store/memory_store.hpp"
#include "store/plan_rows.hpp"

namespace belfry::store {

using model::ExecutionStatus;

namespace {

model::Task task_of(const model::Schedule& definition, const MemoryRun& row) {
    model::Task task;
    task.run_id = row.run.id;
    task.schedule_id = definition.id;
    task.tenant = definition.tenant;
    task.schedule_name = definition.name;
    task.idempotency_key = model::idempotency_key(definition.id, row.run.slot);
    task.instance_id = model::instance_id(definition.name, row.run.slot);
    task.target = definition.target;
    task.input = row.run.input;
    task.slot = row.run.slot;
    task.attempt = row.run.attempts;
    task.lease_until = row.lease_until;
    task.timeout = definition.retry.timeout;
    return task;
}

}  // namespace

model::Task MemoryStore::lease_to(const ClaimRequest& request, const model::RunKey& key) {
    auto& schedule = tables_.schedules.at(key.schedule);
    auto row = schedule.runs.at(key.slot);
    row.run.execution = ExecutionStatus::running;
    row.run.attempts += 1;
    row.run.started_at = request.now;
    row.worker = request.worker;
    row.lease_until = request.now + request.lease;
    auto task = task_of(schedule.versions.at(row.run.version), row);
    tables_.put_run(schedule, std::move(row));
    return task;
}

Result<std::vector<model::Task>> MemoryStore::claim(const ClaimRequest& request) {
    const MutexLock lock(mutex_);
    const auto tenant = tables_.tenants.find(request.tenant);
    if (tenant == tables_.tenants.end()) return tenant_not_found(request.tenant);
    const auto limit = std::min(request.limit, kClaimMax);
    std::vector<model::RunKey> picked;
    if (const auto queue = tenant->second.queues.find(request.queue); queue != tenant->second.queues.end()) {
        for (const auto& task : queue->second) {
            if (picked.size() >= limit) break;
            if (task.ready_at <= request.now) picked.push_back(task.run);
        }
    }
    std::vector<model::Task> tasks;
    tasks.reserve(picked.size());
    for (const auto& key : picked) tasks.push_back(lease_to(request, key));
    return tasks;
}

Result<std::vector<model::LeaseRef>> MemoryStore::heartbeat(std::span<const model::LeaseRef> leases, Instant until) {
    const MutexLock lock(mutex_);
    std::vector<model::LeaseRef> held;
    for (const auto& lease : leases) {
        const auto leased = tables_.find_leased(lease);
        if (!leased) continue;
        leased->second->lease_until = until;  // in no index
        held.push_back(lease);
    }
    return held;
}

Result<std::vector<model::Lease>> MemoryStore::expired(Instant now, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::vector<model::Lease> found;
    for (const auto& key : tables_.leases) {
        if (found.size() >= limit) break;
        const auto& row = tables_.schedules.at(key.schedule).runs.at(key.slot);
        if (row.lease_until < now) found.push_back({{row.run.id, row.run.attempts}, row.worker, *row.run.started_at, row.lease_until});
    }
    return found;
}

Result<decide::AttemptPlan> MemoryStore::complete_one(const Ending& ending, Instant now, const AttemptPlanner& planner, MemoryNews& news) {
    const auto leased = tables_.find_leased(ending.lease);
    if (!leased) return leased.error();
    auto& [schedule, row] = *leased;
    if (ending.expired_before && row->lease_until >= *ending.expired_before) return lease_prolonged(ending.lease);
    const auto facts = tables_.gather(*schedule, {.now = now, .run = ending.lease.run_id});
    if (!facts) return facts.error();
    auto decided = planner(*facts, ending.end);
    if (!decided) return decided;
    if (const auto* const plan = std::get_if<decide::Plan>(&*decided)) {
        if (auto error = apply_one(*schedule, *plan, news)) return *error;
        return decided;
    }
    auto waiting = *row;
    waiting.run.execution = ExecutionStatus::queued;
    waiting.run.error = ending.end.error;
    waiting.ready_at = std::get<decide::Retry>(*decided).ready_at;
    waiting.worker.clear();
    const auto& definition = schedule->versions.at(waiting.run.version);
    news.add({TasksReady{definition.tenant, definition.target.queue}});
    if (auto& tenant = tables_.tenant_of(*schedule); tenant.is_followed(now)) {
        tables_.tell(tenant, decide::retrying_item(row->run, schedule->definition(), ending.end, std::get<decide::Retry>(*decided), now));
        news.add({FeedGrown{definition.tenant}});
    }
    tables_.put_run(*schedule, std::move(waiting));
    return decided;
}

Result<std::vector<Result<decide::AttemptPlan>>> MemoryStore::complete(std::span<const Ending> endings, Instant now, const AttemptPlanner& planner) {
    MemoryNews news(announcer_);
    const MutexLock lock(mutex_);
    std::vector<Result<decide::AttemptPlan>> done;
    for (const auto& ending : endings) done.push_back(complete_one(ending, now, planner, news));
    return done;
}

}  // namespace belfry::store
