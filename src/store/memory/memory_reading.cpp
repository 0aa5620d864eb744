#include <algorithm>
#include <functional>
#include <limits>

#include "base/crypto/sha256.hpp"
#include "store/errors.hpp"
#include "store/listing.hpp"
#include "store/memory/memory_store.hpp"
#include "store/rules/lock_order.hpp"
#include "store/rules/run_rows.hpp"

namespace belfry::store {

namespace {

constexpr auto kFirstKey = std::numeric_limits<std::int64_t>::min();

ScheduleRecord record_of(const MemorySchedule& schedule) { return {schedule.definition(), schedule.state}; }

bool matches(const MemorySchedule& schedule, const ScheduleFilter& filter) {
    const auto& definition = schedule.definition();
    const auto& target = definition.target;
    if (!matches(filter,
                 ListedSchedule{{definition.name, schedule.key}, schedule.state.status, target.type, target.kind}))
        return false;
    return fires_in_range(filter, schedule.state.next_fire) && matches_definition(filter, definition);
}

bool was_dispatched_to(const std::string& team, const MemorySchedule& schedule, const model::Run& run) {
    const auto& definition = schedule.versions.at(run.version);
    return run.dispatch == model::DispatchStatus::dispatched && is_of_team(definition) &&
           definition.assignee->id == team;
}

bool matches(const model::Run& run, const RunFilter& filter) {
    if (filter.from && run.slot.place() < *filter.from) return false;
    if (filter.to && run.slot.place() > *filter.to) return false;
    return !filter.state || state_of(run) == *filter.state;
}

// A run, in the order of a list.
struct Listed {
    std::int64_t slot = 0;
    std::int64_t schedule = 0;
    const model::Run* run = nullptr;

    [[nodiscard]] std::pair<std::int64_t, std::int64_t> order() const { return {slot, schedule}; }
};

// Adds the newest runs of a schedule after the cursor, as many as a page can hold.
void add_newest(std::vector<Listed>& listed, const MemorySchedule& schedule, const RunFilter& filter,
                const std::optional<model::RunKey>& after, std::size_t most) {
    std::size_t added = 0;
    auto row = after ? schedule.runs.upper_bound(after->slot) : schedule.runs.end();
    while (row != schedule.runs.begin() && added < most) {
        --row;
        const Listed each{row->first, schedule.key, &row->second.run};
        if (after && each.order() >= std::pair{after->slot, after->schedule}) continue;
        if (filter.from && each.run->slot.place() < *filter.from) return;
        if (!matches(*each.run, filter)) continue;
        if (!filter.team.empty() && !was_dispatched_to(filter.team, schedule, *each.run)) continue;
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

Result<std::vector<ScheduleRecord>> MemoryStore::schedules_by_keys(const std::string& tenant,
                                                                   std::span<const std::int64_t> keys) {
    if (keys.size() > kPageMax) return too_many_keys();
    const MutexLock lock(mutex_);
    std::vector<ScheduleRecord> records;
    for (const auto key : keys) {
        const auto* const schedule = tables_.find_key(key);
        if (schedule != nullptr && schedule->definition().tenant == tenant) records.push_back(record_of(*schedule));
    }
    return records;
}

Result<Listing<ScheduleRecord>> MemoryStore::schedules(const ScheduleFilter& filter, const Page& page) {
    const MutexLock lock(mutex_);
    const auto tenant = tables_.tenants.find(filter.tenant);
    if (tenant == tables_.tenants.end()) return tenant_not_found(filter.tenant);
    const auto& all = tenant->second.schedules;
    const auto [first, beyond] = names_of(filter);
    std::optional<SchedulePlace> after;
    if (!page.after.empty()) {
        auto parsed = parse_schedule_cursor(filter, page.after);
        if (!parsed) return parsed.error();
        after = std::move(*parsed);
    }
    Listing<ScheduleRecord> listing;
    PageBudget budget(page);
    std::size_t left = scan_limit(page);
    // Returns false when the page is full.
    const auto visit = [&](const SchedulePlace& place) {
        const auto& schedule = tables_.schedules.at(place.second);
        const bool listed = matches(schedule, filter);
        if (left == 0 || (listed && budget.is_full())) {
            listing.next = schedule_cursor(filter, *after);
            return false;
        }
        left -= 1;
        after = place;
        if (!listed) return true;
        listing.items.push_back(record_of(schedule));
        budget.add(bytes_of(listing.items.back()));
        return true;
    };
    if (walks_by_age(filter)) {
        const auto& keys = tenant->second.keys;
        auto each = after ? keys.lower_bound(after->second) : keys.end();
        while (each != keys.begin() && visit({tables_.schedules.at(*--each).definition().name, *each})) {
        }
    } else if (walks_backward(filter)) {
        auto each = all.lower_bound(after ? *after : SchedulePlace{beyond, kFirstKey});
        while (each != all.begin() && (--each)->first >= first && visit(*each)) {
        }
    } else {
        auto each = after ? all.upper_bound(*after) : all.lower_bound({first, kFirstKey});
        while (each != all.end() && each->first < beyond && visit(*each)) ++each;
    }
    return listing;
}

namespace {

// Largest first; equal sizes keep their order.
template <typename T, typename Size>
void keep_largest(std::vector<T>& all, const Size& size) {
    std::ranges::stable_sort(all, std::ranges::greater{}, size);
    if (all.size() > kCountsMax) all.resize(kCountsMax);
}

}  // namespace

Result<Counts> MemoryStore::counts(Instant now) {
    const MutexLock lock(mutex_);
    std::map<std::pair<std::string, model::ScheduleStatus>, std::int64_t> schedules;
    std::map<std::pair<std::string, std::string>, QueueDepth> queues;
    for (const auto& [key, schedule] : tables_.schedules)
        schedules[{schedule.definition().tenant, schedule.state.status}] += 1;
    for (const auto& [name, tenant] : tables_.tenants) {
        for (const auto& [queue, tasks] : tenant.queues) {
            for (const auto& task : tasks) {
                auto& depth = queues[{name, std::string(model::without_receiver(queue.first))}];
                const auto& kept = tables_.schedules.at(task.run.schedule).runs.at(task.run.slot).tasks.at(task.node);
                (kept.ready || task.ready_at <= now ? depth.ready : depth.delayed) += 1;
            }
        }
    }
    for (const auto& lease : tables_.leases) {
        const auto& schedule = tables_.schedules.at(lease.run.schedule);
        const auto& queue = schedule.runs.at(lease.run.slot).tasks.at(lease.node).task.queue;
        queues[{schedule.definition().tenant, std::string(model::without_receiver(queue))}].leased += 1;
    }
    Counts counts{.at = now};
    for (const auto& [of, count] : schedules) counts.schedules.push_back({of.first, of.second, count});
    for (const auto& [of, depth] : queues)
        counts.queues.push_back({of.first, of.second, depth.ready, depth.delayed, depth.leased});
    std::map<std::string, ApprovalCount> approvals;
    for (const auto& [expires_at, key] : tables_.pending_approvals) {
        const auto& schedule = tables_.schedules.at(key.run.schedule);
        auto& count = approvals[schedule.definition().tenant];
        for (const auto& approval : schedule.runs.at(key.run.slot).approvals) {
            if (approval.node != key.node || approval.status != model::ApprovalStatus::pending) continue;
            count.oldest = count.pending == 0 ? approval.requested_at : std::min(count.oldest, approval.requested_at);
            count.pending += 1;
        }
    }
    for (auto& [tenant, count] : approvals) {
        count.tenant = tenant;
        counts.approvals.push_back(count);
    }
    keep_largest(counts.approvals, &ApprovalCount::pending);
    keep_largest(counts.schedules, &ScheduleCount::count);
    keep_largest(counts.queues, [](const QueueDepth& depth) { return depth.ready + depth.delayed + depth.leased; });
    return counts;
}

Result<Listing<QueueLine>> MemoryStore::waiting_lines(std::span<const std::string> queues, const Page& page) {
    const MutexLock lock(mutex_);
    Listing<QueueLine> lines;
    auto tenant = tables_.tenants.upper_bound(page.after);
    for (std::size_t i = 0; i < page_limit(page) && tenant != tables_.tenants.end(); ++i, ++tenant) {
        for (const auto& queue : queues) {
            const bool waits = std::ranges::any_of(tenant->second.queues, [&queue](const auto& each) {
                const auto& [name, assignee] = each.first;
                return model::without_receiver(name) == queue && assignee.empty() && !each.second.empty();
            });
            if (waits) lines.items.push_back({tenant->first, queue});
        }
        lines.next = tenant->first;
    }
    if (tenant == tables_.tenants.end()) lines.next.clear();
    return lines;
}

Result<std::vector<std::string>> MemoryStore::receiver_queues(const ReceiverQueues& wanted) {
    const MutexLock lock(mutex_);
    const auto tenant = tables_.tenants.find(wanted.tenant);
    if (tenant == tables_.tenants.end()) return tenant_not_found(wanted.tenant);
    const auto is_ready = [&](const ReadyTask& task) {
        return task.ready_at <= wanted.now || task_at({task.run, task.node}).ready;
    };
    constexpr std::int64_t kNone = -1;  // for tasks without a receiver
    std::set<std::int64_t> found;
    for (const auto& [queue, tasks] : tenant->second.queues) {
        if (model::without_receiver(queue.first) != model::kHttpQueue || !queue.second.empty()) continue;
        if (std::ranges::any_of(tasks, is_ready)) found.insert(model::receiver_in(queue.first).value_or(kNone));
    }
    std::vector<std::string> names;
    const auto add = [&](auto first, auto last) {
        for (; first != last && names.size() < wanted.limit; ++first)
            names.push_back(*first == kNone ? model::kHttpQueue : model::receiver_queue(*first));
    };
    const auto start = found.upper_bound(model::receiver_in(wanted.after).value_or(kNone));
    add(start, found.end());
    add(found.begin(), start);
    return names;
}

Result<std::vector<model::DefinitionPtr>> MemoryStore::definitions(const std::string& tenant,
                                                                   std::span<const DefinitionRef> wanted) {
    const MutexLock lock(mutex_);
    std::vector<model::DefinitionPtr> found;
    for (const auto& [id, version] : wanted.first(std::min(wanted.size(), kPageMax))) {
        const auto* const schedule = tables_.find({.tenant = tenant, .id = id});
        const bool there = schedule != nullptr && schedule->versions.contains(version);
        found.push_back(there ? std::make_shared<const model::Schedule>(schedule->versions.at(version)) : nullptr);
    }
    return found;
}

Result<Listing<std::string>> MemoryStore::subscribers(const std::string& tenant, const std::string& event,
                                                      const Page& page) {
    const MutexLock lock(mutex_);
    const auto after = parse_subscriber_cursor(tenant, event, page.after);
    if (!after) return after.error();
    const auto owner = tables_.tenants.find(tenant);
    if (owner == tables_.tenants.end()) return tenant_not_found(tenant);
    Listing<std::string> listing;
    PageBudget budget(page);
    for (auto key = owner->second.keys.upper_bound(*after); key != owner->second.keys.end(); ++key) {
        const auto& schedule = tables_.schedules.at(*key);
        const auto& events = schedule.definition().spec.events;
        if (schedule.is_deleted() || std::ranges::find(events, event, &spec::EventText::name) == events.end()) continue;
        if (budget.is_full()) {
            listing.next = subscriber_cursor(tenant, event, listing.items.back());
            break;
        }
        listing.items.push_back(schedule.definition().id);
        budget.add(bytes_of(listing.items.back()));
    }
    return listing;
}

Result<model::Run> MemoryStore::run(const std::string& tenant, const std::string& run_id) {
    const MutexLock lock(mutex_);
    const auto* const row = tables_.find_run(tenant, run_id);
    if (row == nullptr) return run_not_found(run_id);
    return row->shown();
}

Result<Listing<model::Run>> MemoryStore::runs(const RunFilter& filter, const Page& page) {
    const MutexLock lock(mutex_);
    const auto tenant = tables_.tenants.find(filter.tenant);
    if (tenant == tables_.tenants.end()) return tenant_not_found(filter.tenant);
    std::optional<model::RunKey> after;
    if (!page.after.empty()) {
        const auto parsed = parse_run_cursor(filter, page.after);
        if (!parsed) return parsed.error();
        after = *parsed;
    }
    const auto limit = page_limit(page);
    std::vector<Listed> listed;
    if (filter.schedule_id.empty()) {
        for (const auto& [name, key] : tenant->second.schedules)
            add_newest(listed, tables_.schedules.at(key), filter, after, limit + 1);
    } else {
        const ScheduleRef ref{.tenant = filter.tenant, .id = filter.schedule_id};
        const auto* const schedule = tables_.find(ref);
        if (schedule == nullptr) return schedule_not_found(ref);
        add_newest(listed, *schedule, filter, after, limit + 1);
    }
    std::ranges::sort(listed, std::ranges::greater{}, &Listed::order);
    Listing<model::Run> listing;
    RunPageBudget budget(page);
    for (const auto& each : listed) {
        if (budget.is_full()) {
            listing.next = run_cursor(filter, *model::parse_run_id(listing.items.back().id));
            break;
        }
        const auto& schedule = tables_.schedules.at(each.schedule);
        listing.items.push_back(schedule.runs.at(each.slot).shown());
        budget.add(listing.items.back(), schedule.versions.at(listing.items.back().version));
    }
    return listing;
}

Result<std::vector<EventRecord>> MemoryStore::events(const ScheduleRef& schedule, std::int64_t after_sequence,
                                                     std::size_t limit) {
    const MutexLock lock(mutex_);
    const auto* const found = tables_.find(schedule);
    const auto gone = tables_.removed.find(model::key_of(schedule.id));
    const bool removed =
        gone != tables_.removed.end() && gone->second.id == schedule.id && gone->second.tenant == schedule.tenant;
    if (found == nullptr && !removed) return schedule_not_found(schedule);
    const auto& events = found != nullptr ? found->events : gone->second.events;
    std::vector<EventRecord> page;
    PageBudget budget(std::min(limit, kPageMax), kPageBytesMax);
    for (const auto& [event, hash] : events) {
        if (budget.is_full()) break;
        if (event.sequence <= after_sequence) continue;
        page.push_back({event, to_hex(hash)});
        budget.add(bytes_of(page.back()));
    }
    return page;
}

Result<std::vector<Upcoming>> MemoryStore::upcoming(std::int64_t after_key, std::size_t limit) {
    const MutexLock lock(mutex_);
    std::vector<Upcoming> page;
    for (auto each = tables_.schedules.upper_bound(after_key); each != tables_.schedules.end() && page.size() < limit;
         ++each) {
        const auto& state = each->second.state;
        if (state.next_fire || waits_for_release(state))
            page.push_back({each->first, state.next_fire, each->second.tenant_key, waits_for_release(state)});
    }
    return page;
}

Result<std::vector<Upcoming>> MemoryStore::peek_next_fires(std::span<const std::int64_t> keys) {
    if (keys.size() > kTickBatchMax) return too_many_keys();
    const MutexLock lock(mutex_);
    std::vector<Upcoming> found;
    for (const auto key : ascending(keys)) {
        if (const auto* const schedule = tables_.find_key(key)) {
            found.push_back({key, schedule->state.next_fire, schedule->tenant_key, waits_for_release(schedule->state)});
        }
    }
    return found;
}

}  // namespace belfry::store
