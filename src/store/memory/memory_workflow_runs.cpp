#include <algorithm>

#include "model/workflow/workflow_check.hpp"
#include "store/errors.hpp"
#include "store/listing.hpp"
#include "store/memory/memory_store.hpp"
#include "store/rules/attempt_usage.hpp"
#include "store/rules/run_rows.hpp"

namespace belfry::store {

Result<std::int64_t> MemoryStore::put_workflow(const model::Workflow& workflow, const WorkflowCheck& check) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(workflow.tenant);
    if (owner == tables_.tenants.end()) return tenant_not_found(workflow.tenant);
    const auto stored = owner->second.workflows.find(workflow.name);
    const auto next =
        stored == owner->second.workflows.end() ? 1 : static_cast<std::int64_t>(stored->second.size()) + 1;
    if (workflow.version != 0 && workflow.version != next) return version_conflict("workflow " + workflow.name, next);
    if (check && next > 1) {
        if (auto refused = check(*stored->second.back())) return *refused;
    }
    auto written = workflow;
    written.version = next;
    written.cycle = model::find_cycle(written);
    owner->second.workflows[workflow.name].push_back(std::make_shared<const model::Workflow>(std::move(written)));
    owner->second.removed_workflows.erase(workflow.name);
    return next;
}

Result<void> MemoryStore::remove_workflow(const std::string& tenant, const std::string& name, Instant /*now*/) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end() || !tables_.find_workflow(owner->second, name, {}))
        return workflow_not_found(name, {});
    owner->second.removed_workflows.insert(name);
    return {};
}

Result<model::WorkflowPtr> MemoryStore::workflow(const std::string& tenant, const std::string& name,
                                                 std::optional<std::int64_t> version) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    auto found = owner == tables_.tenants.end() ? nullptr : tables_.find_workflow(owner->second, name, version);
    if (!found) return workflow_not_found(name, version);
    return found;
}

Result<Listing<WorkflowHead>> MemoryStore::workflows(const std::string& tenant, const Page& page) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end()) return tenant_not_found(tenant);
    std::string after;
    if (!page.after.empty()) {
        auto parsed = parse_workflow_cursor(tenant, page.after);
        if (!parsed) return parsed.error();
        after = std::move(*parsed);
    }
    Listing<WorkflowHead> listing;
    PageBudget budget(page);
    for (auto each = owner->second.workflows.upper_bound(after); each != owner->second.workflows.end(); ++each) {
        if (owner->second.removed_workflows.contains(each->first)) continue;
        if (budget.is_full()) {
            listing.next = workflow_cursor(tenant, listing.items.back().name);
            break;
        }
        listing.items.push_back({each->first, static_cast<std::int64_t>(each->second.size())});
        budget.add(bytes_of(listing.items.back()));
    }
    return listing;
}

Result<model::WorkflowRun> MemoryStore::workflow_run(const std::string& tenant, const std::string& run_id) {
    const MutexLock lock(mutex_);
    const auto* const row = tables_.find_run(tenant, run_id);
    if (row == nullptr) return run_not_found(run_id);
    auto workflow_run = row->workflow_run();
    for (auto& node : workflow_run.nodes) {
        std::optional<model::Lease> lease;
        if (const auto task = row->tasks.find(node.node); task != row->tasks.end() && task->second.leased()) {
            lease = {{run_id, task->second.task.attempts, node.node}, task->second.worker, task->second.since};
        }
        show_progress(node, row->run, lease);
        node.used = used_by_node(row->usage, node.node);
    }
    return workflow_run;
}

Result<std::vector<model::RunEvent>> MemoryStore::run_events(const std::string& tenant, const std::string& run_id,
                                                             std::int64_t after_sequence, std::size_t limit) {
    const MutexLock lock(mutex_);
    const auto* const row = tables_.find_run(tenant, run_id);
    if (row == nullptr) return run_not_found(run_id);
    std::vector<model::RunEvent> page;
    PageBudget budget(std::min(limit, kPageMax), kPageBytesMax);
    for (const auto& event : row->events) {
        if (event.sequence <= after_sequence || budget.is_full()) continue;
        page.push_back(event);
        budget.add(bytes_of(event));
    }
    return page;
}

Result<Listing<model::Run>> MemoryStore::dead_letters(const std::string& tenant, const Page& page) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end()) return tenant_not_found(tenant);
    std::optional<DeadPlace> after;
    if (!page.after.empty()) {
        const auto parsed = parse_dead_cursor(tenant, page.after);
        if (!parsed) return parsed.error();
        after = *parsed;
    }
    // Among runs that failed at the same time, the later occurrence comes first, as in a database.
    const auto order = [](const DeadPlace& place) {
        return std::tuple(place.first, place.second.slot, place.second.schedule);
    };
    std::vector<std::pair<DeadPlace, const MemoryRun*>> all;
    for (const auto& [name, key] : owner->second.schedules) {
        for (const auto& [slot, row] : tables_.schedules.at(key).runs) {
            if (!row.dead_since) continue;
            const DeadPlace place{epoch_us(*row.dead_since), {key, slot}};
            if (!after || order(place) < order(*after)) all.emplace_back(place, &row);
        }
    }
    std::ranges::sort(all, std::ranges::greater{}, [&](const auto& each) { return order(each.first); });
    Listing<model::Run> listing;
    RunPageBudget budget(page);
    for (const auto& [place, row] : all) {
        if (budget.is_full()) {
            listing.next = dead_cursor(tenant, all[listing.items.size() - 1].first);
            break;
        }
        listing.items.push_back(row->shown());
        budget.add(row->run, tables_.schedules.at(place.second.schedule).versions.at(row->run.version));
    }
    return listing;
}

Result<void> MemoryStore::dismiss(const std::string& tenant, const std::string& run_id) {
    const MutexLock lock(mutex_);
    auto* const row = tables_.find_run(tenant, run_id);
    if (row == nullptr || !row->dead_since) return dead_letter_not_found(run_id);
    row->dead_since.reset();
    return {};
}

}  // namespace belfry::store
