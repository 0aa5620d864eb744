// Audit chains: reading them as stored, and removing what is in an archive.
#include <algorithm>

#include "store/errors.hpp"
#include "store/listing.hpp"
#include "store/memory/memory_store.hpp"

namespace belfry::store {

namespace {

using Events = std::vector<std::pair<model::Event, model::ChainHash>>;

// The chain of a schedule, removed or not.
struct Chain {
    std::string tenant;
    std::string schedule_id;
    Events& events;
    model::ChainPoint& archived;
    model::ChainPoint end;
    bool removed = false;
};

std::optional<Chain> find_chain(MemoryTables& tables, std::int64_t key) {
    if (const auto found = tables.schedules.find(key); found != tables.schedules.end()) {
        auto& schedule = found->second;
        const auto& definition = schedule.definition();
        return Chain{definition.tenant,
                     definition.id,
                     schedule.events,
                     schedule.archived,
                     {schedule.state.events, schedule.events.back().second}};
    }
    const auto gone = tables.removed.find(key);
    if (gone == tables.removed.end()) return std::nullopt;
    auto& [id, tenant, ended, events, archived, end] = gone->second;
    return Chain{tenant, id, events, archived, end, true};
}

std::set<std::int64_t> all_keys(const MemoryTables& tables, std::int64_t from) {
    std::set<std::int64_t> keys;
    for (auto each = tables.schedules.lower_bound(from); each != tables.schedules.end(); ++each)
        keys.insert(each->first);
    for (auto each = tables.removed.lower_bound(from); each != tables.removed.end(); ++each) keys.insert(each->first);
    return keys;
}

model::ChainedEvent chained(const std::pair<model::Event, model::ChainHash>& stored) {
    const auto& [event, hash] = stored;
    return {event.sequence, event.type, event.recorded_at, to_text(event.payload), hash};
}

}  // namespace

Result<AuditChain> MemoryStore::audit_chain(const ScheduleRef& schedule, std::int64_t after_sequence,
                                            std::size_t limit) {
    const MutexLock lock(mutex_);
    const auto* const found = tables_.find(schedule);
    const auto chain = find_chain(tables_, found != nullptr ? found->key : model::key_of(schedule.id));
    const bool removed =
        chain && chain->removed && chain->schedule_id == schedule.id && chain->tenant == schedule.tenant;
    if (found == nullptr && !removed) return schedule_not_found(schedule);
    AuditChain shown{chain->schedule_id, chain->archived, chain->end};
    PageBudget budget(std::min(limit, kPageMax), kPageBytesMax);
    for (const auto& stored : chain->events) {
        if (budget.is_full()) break;
        if (stored.first.sequence <= after_sequence) continue;
        shown.events.push_back(chained(stored));
        budget.add(bytes_of(shown.events.back()));
    }
    return shown;
}

Result<std::vector<std::string>> MemoryStore::audited_schedules(const std::string& tenant, const std::string& after_id,
                                                                std::size_t limit) {
    const MutexLock lock(mutex_);
    if (!tables_.tenants.contains(tenant)) return tenant_not_found(tenant);
    std::vector<std::string> ids;
    for (const auto key : all_keys(tables_, after_id.empty() ? 0 : model::key_of(after_id) + 1)) {
        if (ids.size() == std::min(limit, kPageMax)) break;
        const auto chain = find_chain(tables_, key);
        if (chain->tenant == tenant) ids.push_back(chain->schedule_id);
    }
    return ids;
}

Result<ArchivablePage> MemoryStore::archivable(const ArchiveRequest& request) {
    const MutexLock lock(mutex_);
    ArchivablePage page;
    PageBudget budget(std::clamp(request.limit, std::size_t{1}, kPageMax), kPageBytesMax);
    auto left = std::clamp(request.schedules, std::size_t{1}, kPageMax);
    for (const auto key : all_keys(tables_, request.from.key)) {
        const auto chain = *find_chain(tables_, key);
        const bool begun = key == request.from.key && request.from.after.sequence > chain.archived.sequence;
        ArchivablePart part{chain.tenant, chain.schedule_id, begun ? request.from.after : chain.archived};
        for (const auto& stored : chain.events) {
            const auto& event = stored.first;
            if (event.sequence <= part.after.sequence || (!chain.removed && event.sequence == chain.end.sequence))
                continue;
            if (event.recorded_at >= request.before) {
                page.oldest_left = std::min(event.recorded_at, page.oldest_left.value_or(event.recorded_at));
                break;
            }
            if (budget.is_full()) {
                page.next = ArchivePlace{
                    key, part.events.empty() ? part.after
                                             : model::ChainPoint{part.events.back().sequence, part.events.back().hash}};
                break;
            }
            part.events.push_back(chained(stored));
            budget.add(bytes_of(part.events.back()));
        }
        if (!part.events.empty()) page.parts.push_back(std::move(part));
        if (!page.next && --left == 0) page.next = ArchivePlace{key + 1};
        if (page.next) return page;
    }
    return page;
}

Result<std::int64_t> MemoryStore::remove_archived(std::span<const ArchivedUpTo> chains) {
    const MutexLock lock(mutex_);
    std::int64_t removed = 0;
    for (const auto& [schedule_id, point] : chains.first(std::min(chains.size(), kPageMax))) {
        auto chain = find_chain(tables_, model::key_of(schedule_id));
        if (!chain || chain->schedule_id != schedule_id) continue;
        auto& events = chain->events;
        const auto last =
            std::ranges::find(events, point.sequence, [](const auto& stored) { return stored.first.sequence; });
        if (last == events.end() || last->second != point.hash) continue;
        if (!chain->removed && point.sequence == chain->end.sequence) continue;
        removed += last - events.begin() + 1;
        events.erase(events.begin(), last + 1);
        chain->archived = point;
    }
    return removed;
}

}  // namespace belfry::store
