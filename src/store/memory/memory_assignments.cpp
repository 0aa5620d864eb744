#include "store/errors.hpp"
#include "store/listing.hpp"
#include "store/memory/memory_store.hpp"

namespace belfry::store {

Result<void> MemoryStore::put_assignment(const std::string& tenant, const model::WorkflowAssignment& record) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end()) return tenant_not_found(tenant);
    auto& assignments = owner->second.assignments;
    const auto stored = assignments.find(record.id);
    const auto next = stored == assignments.end() ? 1 : stored->second.version + 1;
    if (record.version != next) return version_conflict("workflow assignment " + record.id, next);
    assignments.insert_or_assign(record.id, record);
    owner->second.ingredient_changes += 1;
    return {};
}

Result<void> MemoryStore::remove_assignment(const std::string& tenant, const std::string& id) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end() || !owner->second.assignments.contains(id)) return assignment_not_found(id);
    for (const auto& [schedule, key] : owner->second.names) {
        if (tables_.schedules.at(key).definition().assignment == id) return assignment_in_use(id, schedule);
    }
    owner->second.assignments.erase(id);
    owner->second.ingredient_changes += 1;
    return {};
}

Result<model::WorkflowAssignment> MemoryStore::assignment(const std::string& tenant, const std::string& id) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    const auto* const found = owner == tables_.tenants.end() ? nullptr : owner->second.find_assignment(id);
    if (found == nullptr) return assignment_not_found(id);
    return *found;
}

Result<Listing<model::WorkflowAssignment>> MemoryStore::assignments(const std::string& tenant, const Page& page) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end()) return tenant_not_found(tenant);
    std::string after;
    if (!page.after.empty()) {
        auto parsed = parse_assignment_cursor(tenant, page.after);
        if (!parsed) return parsed.error();
        after = std::move(*parsed);
    }
    Listing<model::WorkflowAssignment> listing;
    PageBudget budget(page);
    const auto& all = owner->second.assignments;
    for (auto each = all.upper_bound(after); each != all.end(); ++each) {
        if (budget.is_full()) {
            listing.next = assignment_cursor(tenant, listing.items.back().id);
            break;
        }
        listing.items.push_back(each->second);
        budget.add(bytes_of(each->second));
    }
    return listing;
}

}  // namespace belfry::store
