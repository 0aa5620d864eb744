#include "store/memory/memory_tables.hpp"

#include <algorithm>

#include "decide/approval/gate.hpp"
#include "store/errors.hpp"
#include "store/rules/attempt_usage.hpp"
#include "store/rules/fact_rules.hpp"
#include "store/rules/new_task.hpp"

namespace belfry::store {

using model::DispatchStatus;

MemoryTables::MemoryTables(const spec::ZoneDatabase& zones, StoreLimits allowed) : limits(allowed), zones_(zones) {
    tenants[model::kDefaultTenant].tenant.name = model::kDefaultTenant;
}

void MemoryRun::put_task(NewTask task, Instant now) {
    auto node = task.node;
    const bool ready = task.ready_at <= now;
    tasks.insert_or_assign(std::move(node), MemoryTask{.task = std::move(task), .ready = ready});
}

void MemoryRun::put_node(model::NodeRun node, int priority, Instant now) {
    tasks.erase(node.node);
    if (node.status == model::NodeStatus::queued) put_task(node_task(node, run.input, {}, priority), now);
    auto name = node.node;
    nodes.insert_or_assign(std::move(name), std::move(node));
}

void MemoryRun::put_event(model::RunEvent event) {
    if (event.sequence == 0) event.sequence = static_cast<std::int64_t>(events.size()) + 2;
    events.push_back(std::move(event));
}

model::Approval* MemoryRun::find_approval(const std::string& node, int attempts) {
    const auto found = std::ranges::find_if(
        approvals, [&](const auto& each) { return each.node == node && each.attempts == attempts; });
    return found == approvals.end() ? nullptr : &*found;
}

bool MemoryRun::may_begin(const std::string& node) const {
    const auto* const asked = decide::newest_of(approvals, node);
    return asked == nullptr || asked->status == model::ApprovalStatus::approved;
}

model::WorkflowRun MemoryRun::workflow_run() const {
    model::WorkflowRun workflow_run{.workflow = workflow, .deadline = deadline};
    for (const auto& [name, node] : nodes) workflow_run.nodes.push_back(node);
    if (workflow) workflow_run.events += static_cast<std::int64_t>(events.size());
    return workflow_run;
}

model::Run MemoryRun::shown() const {
    auto shown = run;
    shown.used = used_by_all(usage);
    return shown;
}

const model::WorkflowAssignment* MemoryTenant::find_assignment(const std::string& id) const {
    const auto found = assignments.find(id);
    return found == assignments.end() ? nullptr : &found->second;
}

bool MemoryTenant::is_followed(Instant now) const {
    return followed_until > now ||
           std::ranges::any_of(webhooks, [](const auto& each) { return each.second.webhook.enabled; });
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
        // Another id can have the same key.
        const bool same =
            found != nullptr && found->definition().id == schedule.id && found->definition().tenant == schedule.tenant;
        return same ? found : nullptr;
    }
    const auto tenant = tenants.find(schedule.tenant);
    if (tenant == tenants.end()) return nullptr;
    const auto named = tenant->second.names.find(schedule.name);
    return named == tenant->second.names.end() ? nullptr : &schedules.at(named->second);
}

MemoryRun* MemoryTables::find_run(const std::string& tenant, const std::string& run_id) {
    const auto key = model::parse_run_id(run_id);
    auto* const schedule = key ? find_key(key->schedule) : nullptr;
    if (schedule == nullptr || schedule->definition().tenant != tenant) return nullptr;
    const auto row = schedule->runs.find(key->slot);
    return row == schedule->runs.end() ? nullptr : &row->second;
}

Result<std::pair<MemorySchedule*, MemoryRun*>> MemoryTables::find_leased(const model::LeaseRef& lease) {
    const auto key = model::parse_run_id(lease.run_id);
    auto* const schedule = key ? find_key(key->schedule) : nullptr;
    if (schedule == nullptr || !schedule->runs.contains(key->slot)) return run_not_found(lease.run_id);
    auto& row = schedule->runs.at(key->slot);
    const auto task = row.tasks.find(lease.node);
    if (task == row.tasks.end() || !task->second.leased() || task->second.task.attempts != lease.attempt)
        return lease_lost(lease);
    return std::pair{schedule, &row};
}

model::WorkflowPtr MemoryTables::find_workflow(const MemoryTenant& tenant, const std::string& name,
                                               std::optional<std::int64_t> version) const {
    return tenant.removed_workflows.contains(name) ? nullptr : find_version(tenant, name, version);
}

model::WorkflowPtr MemoryTables::find_version(const MemoryTenant& tenant, const std::string& name,
                                              std::optional<std::int64_t> version) const {
    const auto found = tenant.workflows.find(name);
    if (found == tenant.workflows.end()) return nullptr;
    const auto newest = static_cast<std::int64_t>(found->second.size());
    const auto wanted = version.value_or(newest);
    return wanted >= 1 && wanted <= newest ? found->second[static_cast<std::size_t>(wanted - 1)] : nullptr;
}

void MemoryTables::index(MemorySchedule& schedule, const MemoryRun& row) {
    const auto slot = model::slot_number(row.run.slot);
    const model::RunKey key{schedule.key, slot};
    if (row.run.dispatch == DispatchStatus::buffered) schedule.buffered.insert(slot);
    if (is_in_flight(row.run.execution)) schedule.in_flight.insert(slot);
    if (row.deadline) deadlines.emplace(*row.deadline, key);
    for (const auto& approval : row.approvals) {
        if (approval.status == model::ApprovalStatus::pending)
            pending_approvals.insert({approval.expires_at, {key, approval.node}});
    }
    for (const auto& [node, task] : row.tasks) {
        if (task.leased()) {
            leases.insert({key, node});
        } else {
            tenant_of(schedule).queues[{task.task.queue, task.task.assignee}].insert(
                {-std::int64_t{task.task.priority}, task.task.ready_at, key, node});
        }
    }
}

void MemoryTables::unindex(MemorySchedule& schedule, const MemoryRun& row) {
    const auto slot = model::slot_number(row.run.slot);
    const model::RunKey key{schedule.key, slot};
    schedule.buffered.erase(slot);
    schedule.in_flight.erase(slot);
    if (row.deadline) deadlines.erase({*row.deadline, key});
    for (const auto& approval : row.approvals) pending_approvals.erase({approval.expires_at, {key, approval.node}});
    for (const auto& [node, task] : row.tasks) {
        leases.erase({key, node});
        tenant_of(schedule).queues[{task.task.queue, task.task.assignee}].erase(
            {-std::int64_t{task.task.priority}, task.task.ready_at, key, node});
    }
}

void MemoryTables::put_run(MemorySchedule& schedule, MemoryRun row) {
    const auto slot = model::slot_number(row.run.slot);
    bool was_over = false;
    if (const auto before = schedule.runs.find(slot); before != schedule.runs.end()) {
        was_over = is_terminal(before->second.run.execution);
        unindex(schedule, before->second);
    }
    index(schedule, row);
    if (!was_over && is_terminal(row.run.execution)) note_end(schedule, row.run);
    schedule.runs.insert_or_assign(slot, std::move(row));
}

namespace {

// The target at the time of the run: its schedule may start something else now.
model::TargetName target_of(const MemorySchedule& schedule, const model::Run& run) {
    return schedule.versions.at(run.version).target.name();
}

void add_end(TargetEnds& ends, const MemorySchedule& schedule, const model::Run& run) {
    if (run.completed_at)
        ends.emplace(std::tuple(*run.completed_at, model::slot_number(run.slot), schedule.key), run.execution);
}

}  // namespace

void MemoryTables::note_end(const MemorySchedule& schedule, const model::Run& run) {
    auto& tenant = tenant_of(schedule);
    const auto target = target_of(schedule, run);
    const auto watched = tenant.watchers.find(target);
    if (watched != tenant.watchers.end() && !watched->second.empty()) add_end(tenant.ends[target], schedule, run);
}

void MemoryTables::watch_target(const MemorySchedule& schedule) {
    auto& tenant = tenant_of(schedule);
    for (auto& [target, watchers] : tenant.watchers) watchers.erase(schedule.key);
    if (schedule.is_deleted() || schedule.definition().condition.is_null()) return;
    const auto target = schedule.definition().target.name();
    auto& watchers = tenant.watchers[target];
    // The first watcher loads earlier results from the ledger.
    const auto from = epoch_ms(schedule.definition().updated_at - 2 * kStatsSpan) * 4;
    for (const auto key : watchers.empty() ? tenant.keys : std::set<std::int64_t>{}) {
        const auto& other = schedules.at(key);
        if (other.definition().target.name() != target) continue;
        for (const auto& [slot, row] : other.runs) {
            const bool wanted = slot >= from || row.run.id == other.state.last_completed_run;
            if (wanted && is_terminal(row.run.execution)) add_end(tenant.ends[target], other, row.run);
        }
    }
    watchers.insert(schedule.key);
}

void MemoryTables::erase_run(MemorySchedule& schedule, std::int64_t slot) {
    const auto row = schedule.runs.find(slot);
    if (row == schedule.runs.end()) return;
    unindex(schedule, row->second);
    schedule.runs.erase(row);
}

void MemoryTables::erase_schedule(std::int64_t key) {
    const auto found = schedules.find(key);
    auto& schedule = found->second;
    const auto& definition = schedule.definition();
    auto& tenant = tenant_of(schedule);
    tenant.schedules.erase({definition.name, key});
    tenant.keys.erase(key);
    if (const auto named = tenant.names.find(definition.name); named != tenant.names.end() && named->second == key)
        tenant.names.erase(named);
    std::erase_if(backfills, [key](const auto& each) { return each.second.schedule == key; });
    std::erase_if(tenant.requests, [&](const auto& each) { return each.second.schedule_id == definition.id; });
    const model::ChainPoint end{schedule.state.events, schedule.events.back().second};
    removed.emplace(key, MemoryRemoved{definition.id, definition.tenant, *schedule.ended, std::move(schedule.events),
                                       std::move(schedule.archived), end});
    schedules.erase(found);
}

}  // namespace belfry::store
