#include <algorithm>
#include <tuple>

#include "store/errors.hpp"
#include "store/memory/memory_store.hpp"

namespace belfry::store {

Result<RequestRecord> MemoryStore::request(const std::string& tenant, const std::string& key) {
    const MutexLock lock(mutex_);
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end() || !owner->second.requests.contains(key)) return request_not_found();
    return owner->second.requests.at(key);
}

Result<std::int64_t> MemoryStore::prune_requests(Instant before, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::vector<std::tuple<Instant, std::string, std::string>> old;
    for (const auto& [name, tenant] : tables_.tenants) {
        for (const auto& [key, record] : tenant.requests) {
            if (record.at < before) old.emplace_back(record.at, name, key);
        }
    }
    std::ranges::sort(old);
    if (old.size() > limit) old.resize(limit);
    for (const auto& [at, name, key] : old) tables_.tenants.at(name).requests.erase(key);
    return static_cast<std::int64_t>(old.size());
}

}  // namespace belfry::store
