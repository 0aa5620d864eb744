#include "store/memory/memory_store.hpp"

#include <algorithm>

#include "store/errors.hpp"
#include "store/listing.hpp"
#include "store/rules/plan_notifications.hpp"

namespace belfry::store {

void MemoryStore::listen(Listener listener) { notifier_.listen(std::move(listener)); }

Result<void> MemoryStore::put_tenant(const model::Tenant& tenant) {
    MemoryNews news(notifier_);
    const MutexLock lock(mutex_);
    const auto stored = tables_.tenants.find(tenant.name);
    const auto next = stored == tables_.tenants.end() ? 1 : stored->second.tenant.version + 1;
    if (tenant.version != next) return version_conflict("tenant " + tenant.name, next);
    auto changed = tenant;
    if (stored != tables_.tenants.end()) {
        changed.created_at = stored->second.tenant.created_at;
        if (switches_on(stored->second.tenant, tenant)) news.add({Resync{}});
    }
    tables_.tenants[tenant.name].tenant = std::move(changed);
    return {};
}

Result<model::Tenant> MemoryStore::tenant(const std::string& name) {
    const MutexLock lock(mutex_);
    const auto stored = tables_.tenants.find(name);
    if (stored == tables_.tenants.end()) return tenant_not_found(name);
    return stored->second.tenant;
}

Result<std::vector<model::Tenant>> MemoryStore::tenants() {
    const MutexLock lock(mutex_);
    std::vector<model::Tenant> all;
    for (const auto& [name, stored] : tables_.tenants) all.push_back(stored.tenant);
    return all;
}

Result<void> MemoryStore::put_calendar(const std::string& tenant, const CalendarRecord& record) {
    if (decide::find_built_in_calendar(record.calendar.name)) return calendar_is_built_in(record.calendar.name);
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end()) return tenant_not_found(tenant);
    auto& calendars = owner->second.calendars;
    const auto stored = calendars.find(record.calendar.name);
    const auto next = stored == calendars.end() ? 1 : stored->second.version + 1;
    if (record.version != next) return version_conflict("calendar " + record.calendar.name, next);
    calendars.insert_or_assign(record.calendar.name, record);
    owner->second.ingredient_changes += 1;
    return {};
}

Result<void> MemoryStore::remove_calendar(const std::string& tenant, const std::string& name) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end() || !owner->second.calendars.contains(name)) return calendar_not_found(name);
    for (const auto& [schedule, key] : owner->second.names) {
        const auto& used = tables_.schedules.at(key).definition().calendars;
        if (std::ranges::find(used, name) != used.end()) return calendar_in_use(name, schedule);
    }
    owner->second.calendars.erase(name);
    owner->second.ingredient_changes += 1;
    return {};
}

Result<CalendarRecord> MemoryStore::calendar(const std::string& tenant, const std::string& name) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end() || !owner->second.calendars.contains(name)) return calendar_not_found(name);
    return owner->second.calendars.at(name);
}

Result<Listing<CalendarRecord>> MemoryStore::calendars(const std::string& tenant, const Page& page) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end()) return tenant_not_found(tenant);
    std::string after;
    if (!page.after.empty()) {
        auto parsed = parse_calendar_cursor(tenant, page.after);
        if (!parsed) return parsed.error();
        after = std::move(*parsed);
    }
    Listing<CalendarRecord> listing;
    PageBudget budget(page);
    const auto& all = owner->second.calendars;
    for (auto each = all.upper_bound(after); each != all.end(); ++each) {
        if (budget.is_full()) {
            listing.next = calendar_cursor(tenant, listing.items.back().calendar.name);
            break;
        }
        listing.items.push_back(each->second);
        budget.add(bytes_of(each->second));
    }
    return listing;
}

}  // namespace belfry::store
