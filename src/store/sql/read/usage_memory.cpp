#include "store/sql/read/usage_memory.hpp"

namespace belfry::store::sql {

void UsageMemory::add(const Runs& runs) {
    if (runs.empty()) return;
    const MutexLock lock(mutex_);
    for (const auto& [day, count] : runs) {
        waiting_[day] += count;
        seen_.insert(day);
    }
}

UsageMemory::Runs UsageMemory::take() {
    const MutexLock lock(mutex_);
    return std::exchange(waiting_, {});
}

std::int64_t UsageMemory::waiting(const TenantDay& day) const {
    const MutexLock lock(mutex_);
    const auto found = waiting_.find(day);
    return found == waiting_.end() ? 0 : found->second;
}

std::set<std::int64_t> UsageMemory::seen(std::int64_t day) {
    const MutexLock lock(mutex_);
    std::erase_if(seen_, [day](const TenantDay& each) { return each.second != day; });
    std::set<std::int64_t> tenants;
    for (const auto& each : seen_) tenants.insert(each.first);
    return tenants;
}

void UsageMemory::put_exhausted(ExhaustedDays exhausted) {
    const MutexLock lock(mutex_);
    exhausted_ = std::move(exhausted);
}

std::optional<UsageMemory::Exhausted> UsageMemory::exhausted(const TenantDay& day) const {
    const MutexLock lock(mutex_);
    const auto found = exhausted_.find(day);
    return found == exhausted_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace belfry::store::sql
