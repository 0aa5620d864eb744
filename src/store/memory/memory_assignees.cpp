#include <algorithm>

#include "store/errors.hpp"
#include "store/listing.hpp"
#include "store/memory/memory_store.hpp"

namespace belfry::store {

Result<void> MemoryStore::put_assignee(const std::string& tenant, const model::AssigneeRecord& record) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end()) return tenant_not_found(tenant);
    auto& assignees = owner->second.assignees;
    const auto stored = assignees.find(record.id);
    const auto next = stored == assignees.end() ? 1 : stored->second.version + 1;
    if (record.version != next) return version_conflict("assignee " + record.id, next);
    auto changed = record;
    if (stored != assignees.end()) changed.created_at = stored->second.created_at;
    assignees.insert_or_assign(record.id, std::move(changed));
    return {};
}

Result<void> MemoryStore::remove_assignee(const std::string& tenant, const std::string& id) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end() || owner->second.assignees.erase(id) == 0) return assignee_not_found(id);
    return {};
}

Result<model::AssigneeRecord> MemoryStore::assignee(const std::string& tenant, const std::string& id) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end() || !owner->second.assignees.contains(id)) return assignee_not_found(id);
    return owner->second.assignees.at(id);
}

Result<Listing<model::AssigneeRecord>> MemoryStore::assignees(const std::string& tenant, const Page& page) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end()) return tenant_not_found(tenant);
    std::string after;
    if (!page.after.empty()) {
        auto parsed = parse_assignee_cursor(tenant, page.after);
        if (!parsed) return parsed.error();
        after = std::move(*parsed);
    }
    Listing<model::AssigneeRecord> listing;
    PageBudget budget(page);
    const auto& all = owner->second.assignees;
    for (auto each = all.upper_bound(after); each != all.end(); ++each) {
        if (budget.is_full()) {
            listing.next = assignee_cursor(tenant, listing.items.back().id);
            break;
        }
        listing.items.push_back(each->second);
        budget.add(bytes_of(each->second));
    }
    return listing;
}

Result<model::BudgetDay> MemoryStore::budget(const std::string& tenant, const std::string& assignee, model::Day day) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end()) return tenant_not_found(tenant);
    const auto found = owner->second.budgets.find({assignee, day});
    return found == owner->second.budgets.end() ? model::BudgetDay{} : found->second;
}

Result<std::int64_t> MemoryStore::prune_budgets(model::Day before, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::size_t removed = 0;
    const auto forget = [&](auto& days, const auto& is_old) {
        removed += std::erase_if(days, [&, left = limit - removed](const auto& each) mutable {
            return is_old(each) && left > 0 && left-- > 0;
        });
    };
    for (auto& [name, tenant] : tables_.tenants) {
        forget(tenant.budgets, [&](const auto& each) {
            return each.first.second < before && each.second.reserved == model::Credits{};
        });
    }
    for (auto& [name, tenant] : tables_.tenants) {
        forget(tenant.dispatched, [&](const auto& each) { return each.first < before; });
    }
    for (auto& [name, tenant] : tables_.tenants) {
        for (auto& [target, ends] : tenant.ends) {
            const auto last = ends.empty() ? Instant{} : std::get<0>(ends.rbegin()->first);
            while (!ends.empty() && std::get<0>(ends.begin()->first) < std::min(Instant{before}, last))
                ends.erase(ends.begin());
        }
    }
    return static_cast<std::int64_t>(removed);
}

}  // namespace belfry::store
