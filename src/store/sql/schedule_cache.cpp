#include "store/sql/schedule_cache.hpp"

#include "model/identity.hpp"

namespace belfry::store::sql {

std::int64_t queue_key(const std::string& tenant, const std::string& queue) {
    // The length keeps ("a", "b c") and ("a b", "c") apart.
    return model::key_of("queue " + std::to_string(tenant.size()) + " " + tenant + " " + queue);
}

CachedPtr ScheduleCache::find(std::int64_t key, std::int64_t stamp) const {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(key);
    return found != entries_.end() && found->second->stamp == stamp ? found->second : nullptr;
}

CachedPtr ScheduleCache::keep(std::int64_t key, std::int64_t stamp, decide::CompiledPtr compiled) {
    const auto& definition = compiled->definition;
    const auto tenant_key = model::key_of(definition.tenant);
    const auto queue = queue_key(definition.tenant, definition.target.queue);
    auto entry = std::make_shared<const CachedSchedule>(CachedSchedule{std::move(compiled), key, tenant_key, queue, stamp});
    const MutexLock lock(mutex_);
    // Any one goes when it is full: whatever is needed again is compiled again.
    if (entries_.size() >= kMax && !entries_.contains(key)) entries_.erase(entries_.begin());
    entries_[key] = entry;
    return entry;
}

}  // namespace belfry::store::sql
