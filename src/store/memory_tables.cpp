#include "store/memory_tables.hpp"

#include <algorithm>

#include "store/plan_rows.hpp"

namespace belfry::store {

using model::DispatchStatus;
using model::ExecutionStatus;

MemoryTables::MemoryTables(const spec::ZoneDatabase& zones, StoreLimits allowed) : limits(allowed), zones_(zones) {
    tenants[model::kDefaultTenant].tenant.name = model::kDefaultTenant;
}

bool MemoryTenant::is_followed(Instant now) const {
    return followed_until > now || std::ranges::any_of(webhooks, [](const auto& each) { return each.second.webhook.enabled; });
}

void MemoryTables::tell(MemoryTenant& tenant, model::FeedItem item) {
    item.position = ++feed_position;
    tenant.feed.emplace(item.position, std::move(item));
}

MemorySchedule* MemoryTables::find_key(std::int64_t key) {
    const auto found = schedules.find(key);
    return found == schedules.end() ? nullptr : &found->second;
}

MemorySchedule* MemoryTables::find(const ScheduleRef& schedule) {
    if (!schedule.id.empty()) {
        auto* const found = find_key(model::key_of(schedule.id));
        // Another id may have the same key.
        const bool same = found != nullptr && found->definition().id == schedule.id && found->definition().tenant == schedule.tenant;
        return same ? found : nullptr;
    }
    const auto tenant = tenants.find(schedule.tenant);
    if (tenant == tenants.end()) return nullptr;
    const auto named = tenant->second.names.find(schedule.name);
    return named == tenant->second.names.end() ? nullptr : &schedules.at(named->second);
}

Result<std::pair<MemorySchedule*, MemoryRun*>> MemoryTables::find_leased(const model::LeaseRef& lease) {
    const auto key = model::parse_run_id(lease.run_id);
    auto* const schedule = key ? find_key(key->schedule) : nullptr;
    if (schedule == nullptr || !schedule->runs.contains(key->slot)) return run_not_found(lease.run_id);
    auto& row = schedule->runs.at(key->slot);
    if (row.run.execution != ExecutionStatus::running || row.run.attempts != lease.attempt) return lease_lost(lease);
    return std::pair{schedule, &row};
}

// Queue and priority are those of the definition that the run was decided by, which never change.
std::pair<std::set<ReadyTask>&, ReadyTask> MemoryTables::task_of(MemorySchedule& schedule, const MemoryRun& row) {
    const auto& target = schedule.versions.at(row.run.version).target;
    const model::RunKey key{schedule.key, model::slot_number(row.run.slot)};
    return {tenant_of(schedule).queues[target.queue], ReadyTask{-std::int64_t{target.priority}, row.ready_at, key}};
}

void MemoryTables::index(MemorySchedule& schedule, const MemoryRun& row) {
    const auto slot = model::slot_number(row.run.slot);
    if (row.run.dispatch == DispatchStatus::buffered) schedule.buffered.insert(slot);
    if (is_in_flight(row.run.execution)) schedule.in_flight.insert(slot);
    if (row.run.execution == ExecutionStatus::running) leases.insert({schedule.key, slot});
    if (row.run.execution == ExecutionStatus::queued) {
        auto [queue, task] = task_of(schedule, row);
        queue.insert(task);
    }
}

void MemoryTables::unindex(MemorySchedule& schedule, const MemoryRun& row) {
    const auto slot = model::slot_number(row.run.slot);
    schedule.buffered.erase(slot);
    schedule.in_flight.erase(slot);
    leases.erase({schedule.key, slot});
    if (row.run.execution == ExecutionStatus::queued) {
        auto [queue, task] = task_of(schedule, row);
        queue.erase(task);
    }
}

void MemoryTables::put_run(MemorySchedule& schedule, MemoryRun row) {
    const auto slot = model::slot_number(row.run.slot);
    if (const auto before = schedule.runs.find(slot); before != schedule.runs.end()) unindex(schedule, before->second);
    index(schedule, row);
    schedule.runs.insert_or_assign(slot, std::move(row));
}

void MemoryTables::erase_run(MemorySchedule& schedule, std::int64_t slot) {
    const auto row = schedule.runs.find(slot);
    if (row == schedule.runs.end()) return;
    unindex(schedule, row->second);
    schedule.runs.erase(row);
}

}  // namespace belfry::store
