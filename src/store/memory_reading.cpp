#include <algorithm>
#include <functional>
#include <limits>

#include "base/sha256.hpp"
#include "store/memory_store.hpp"
#include "store/plan_rows.hpp"

namespace belfry::store {

namespace {

std::size_t page_limit(const Page& page) { return std::clamp(page.limit, std::size_t{1}, kPageMax); }

ScheduleRecord record_of(const MemorySchedule& schedule) { return {schedule.definition(), schedule.state}; }

bool matches(const MemorySchedule& schedule, const ScheduleFilter& filter) {
    if (filter.status ? schedule.state.status != *filter.status : schedule.is_deleted()) return false;
    if (!filter.label) return true;
    const auto& labels = schedule.definition().labels;
    const auto label = labels.find(filter.label->first);
    return label != labels.end() && label->second == filter.label->second;
}

bool matches(const model::Run& run, const RunFilter& filter) {
    if (filter.from && run.slot.occurrence < *filter.from) return false;
    if (filter.to && run.slot.occurrence > *filter.to) return false;
    return !filter.state || state_of(run) == *filter.state;
}

// A row in the order of a list of runs.
struct Listed {
    std::int64_t slot = 0;
    std::int64_t schedule = 0;
    const model::Run* run = nullptr;

    [[nodiscard]] std::pair<std::int64_t, std::int64_t> order() const { return {slot, schedule}; }
};

// The newest rows of a schedule after the cursor: no more than one page needs, whichever schedules fill it.
void add_newest(std::vector<Listed>& listed, const MemorySchedule& schedule, const RunFilter& filter, const std::optional<model::RunKey>& after,
                std::size_t most) {
    std::size_t added = 0;
    auto row = after ? schedule.runs.upper_bound(after->slot) : schedule.runs.end();
    while (row != schedule.runs.begin() && added < most) {
        --row;
        const Listed each{row->first, schedule.key, &row->second.run};
        if (after && each.order() >= std::pair{after->slot, after->schedule}) continue;
        if (filter.from && each.run->slot.occurrence < *filter.from) return;
        if (!matches(*each.run, filter)) continue;
        listed.push_back(each);
        ++added;
    }
}

}  // namespace

Result<ScheduleRecord> MemoryStore::schedule(const ScheduleRef& schedule) {
    const MutexLock lock(mutex_);
    const auto* const found = tables_.find(schedule);
    if (found == nullptr) return schedule_not_found(schedule);
    return record_of(*found);
}

Result<Listing<ScheduleRecord>> MemoryStore::schedules(const ScheduleFilter& filter, const Page& page) {
    const MutexLock lock(mutex_);
    const auto tenant = tables_.tenants.find(filter.tenant);
    if (tenant == tables_.tenants.end()) return tenant_not_found(filter.tenant);
    const auto& all = tenant->second.schedules;
    auto each = all.lower_bound({filter.name_prefix, std::numeric_limits<std::int64_t>::min()});
    if (!page.after.empty()) {
        const auto after = parse_schedule_cursor(page.after);
        if (!after) return after.error();
        each = all.upper_bound(*after);
    }
    Listing<ScheduleRecord> listing;
    for (; each != all.end(); ++each) {
        const auto& [name, key] = *each;
        if (!name.starts_with(filter.name_prefix)) continue;
        const auto& schedule = tables_.schedules.at(key);
        if (!matches(schedule, filter)) continue;
        if (listing.items.size() == page_limit(page)) {
            const auto& last = listing.items.back().definition;
            listing.next = schedule_cursor(last.name, model::key_of(last.id));
            break;
        }
        listing.items.push_back(record_of(schedule));
    }
    return listing;
}

Result<model::Run> MemoryStore::run(const std::string& tenant, const std::string& run_id) {
    const MutexLock lock(mutex_);
    const auto key = model::parse_run_id(run_id);
    const auto* const schedule = key ? tables_.find_key(key->schedule) : nullptr;
    if (schedule == nullptr || schedule->definition().tenant != tenant || !schedule->runs.contains(key->slot)) return run_not_found(run_id);
    return schedule->runs.at(key->slot).run;
}

Result<Listing<model::Run>> MemoryStore::runs(const RunFilter& filter, const Page& page) {
    const MutexLock lock(mutex_);
    const auto tenant = tables_.tenants.find(filter.tenant);
    if (tenant == tables_.tenants.end()) return tenant_not_found(filter.tenant);
    std::optional<model::RunKey> after;
    if (!page.after.empty()) {
        const auto parsed = parse_run_cursor(page.after);
        if (!parsed) return parsed.error();
        after = *parsed;
    }
    const auto limit = page_limit(page);
    std::vector<Listed> listed;
    if (filter.schedule_id.empty()) {
        for (const auto& [name, key] : tenant->second.schedules) add_newest(listed, tables_.schedules.at(key), filter, after, limit + 1);
    } else {
        const ScheduleRef ref{.tenant = filter.tenant, .id = filter.schedule_id};
        const auto* const schedule = tables_.find(ref);
        if (schedule == nullptr) return schedule_not_found(ref);
        add_newest(listed, *schedule, filter, after, limit + 1);
    }
    std::ranges::sort(listed, std::ranges::greater{}, &Listed::order);
    Listing<model::Run> listing;
    for (std::size_t i = 0; i < std::min(limit, listed.size()); ++i) listing.items.push_back(*listed[i].run);
    if (listed.size() > limit) listing.next = run_cursor({listed[limit - 1].schedule, listed[limit - 1].slot});
    return listing;
}

Result<std::vector<EventRecord>> MemoryStore::events(const ScheduleRef& schedule, std::int64_t after_sequence, std::size_t limit) {
    const MutexLock lock(mutex_);
    const auto* const found = tables_.find(schedule);
    if (found == nullptr) return schedule_not_found(schedule);
    std::vector<EventRecord> page;
    // The sequence has no gaps, so an event's place is its number less one.
    for (auto i = static_cast<std::size_t>(std::max<std::int64_t>(0, after_sequence)); i < found->events.size(); ++i) {
        if (page.size() >= std::min(limit, kPageMax)) break;
        const auto& [event, hash] = found->events[i];
        page.push_back({event, to_hex(hash)});
    }
    return page;
}

Result<std::vector<Upcoming>> MemoryStore::upcoming(std::int64_t after_key, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::vector<Upcoming> page;
    for (auto each = tables_.schedules.upper_bound(after_key); each != tables_.schedules.end() && page.size() < limit; ++each) {
        if (each->second.state.next_fire) page.push_back({each->first, each->second.state.next_fire, each->second.tenant_key});
    }
    return page;
}

Result<std::vector<Upcoming>> MemoryStore::look(std::span<const std::int64_t> keys) {
    if (keys.size() > kTickBatchMax) return too_many_keys();
    const MutexLock lock(mutex_);
    std::vector<Upcoming> found;
    for (const auto key : ascending(keys)) {
        if (const auto* const schedule = tables_.find_key(key)) found.push_back({key, schedule->state.next_fire, schedule->tenant_key});
    }
    return found;
}

}  // namespace belfry::store
