#include <algorithm>

#include "store/errors.hpp"
#include "store/memory/memory_store.hpp"
#include "store/rules/lock_order.hpp"
#include "store/rules/plan_notifications.hpp"

namespace belfry::store {

Result<void> MemoryStore::create(std::span<const decide::Plan> plans) {
    MemoryNews news(notifier_);
    const MutexLock lock(mutex_);
    if (auto error = tables_.create(plans)) return *error;
    for (const auto& plan : plans)
        tell(*tables_.find_key(model::key_of(plan.schedule_id)), plan, *plan.definition,
             plan.state.next_fire.has_value(), news);
    return {};
}

void MemoryStore::tell(const MemorySchedule& schedule, const decide::Plan& plan, const model::Schedule& definition,
                       bool moved, MemoryNews& news) {
    const bool followed = !plan.empty() && tables_.tenant_of(schedule).is_followed(plan.decided_at);
    news.add(notifications_of(plan, definition, {moved, followed, tables_.limits.default_connection}));
}

std::optional<Error> MemoryStore::apply_one(MemorySchedule& schedule, const decide::Plan& plan, MemoryNews& news) {
    const auto& definition = schedule.definition();  // the plan's definition; versions do not move in memory
    const auto next_fire = schedule.state.next_fire;
    if (auto error = tables_.apply(schedule, plan)) return error;
    tell(schedule, plan, definition, is_moved(plan, next_fire), news);
    return std::nullopt;
}

Result<decide::Plan> MemoryStore::change(const ScheduleRef& schedule, const FactsRequest& needs,
                                         const Planner& planner) {
    MemoryNews news(notifier_);
    const MutexLock lock(mutex_);
    auto* const found = tables_.find(schedule);
    if (found == nullptr) return schedule_not_found(schedule);
    const auto facts = tables_.gather(*found, needs);
    if (!facts) return facts.error();
    auto plan = planner(*facts);
    if (!plan) return plan;
    if (auto error = apply_one(*found, *plan, news)) return *error;
    return plan;
}

// Scans all schedules. Timers in memory supply the keys of due schedules; a scan only makes sure that none was
// missed.
std::vector<std::int64_t> MemoryStore::due_keys(Instant now, std::size_t limit) {
    std::vector<std::int64_t> keys;
    for (const auto& [key, schedule] : tables_.schedules) {
        if (keys.size() >= limit) break;
        if (schedule.state.next_fire && *schedule.state.next_fire <= now) keys.push_back(key);
    }
    return keys;
}

Result<decide::Plan> MemoryStore::tick_one(MemorySchedule& schedule, Instant now, const Planner& planner,
                                           MemoryNews& news) {
    const auto facts = tables_.gather_for_tick(schedule, now);
    if (!facts) return facts.error();
    auto plan = planner(*facts);
    if (!plan) return plan;
    const auto& definition = schedule.definition();
    if (auto error = tables_.apply(schedule, *plan)) return *error;
    // The caller gets the next fire time from the result, so this is not a move.
    tell(schedule, *plan, definition, false, news);
    return plan;
}

Result<TickOutcome> MemoryStore::tick(const TickRequest& request, const Planner& planner) {
    if (request.keys.size() > kTickBatchMax) return too_many_keys();
    MemoryNews news(notifier_);
    const MutexLock lock(mutex_);
    TickOutcome outcome;
    for (const auto key : request.keys.empty() ? due_keys(request.now, std::min(request.limit, kTickBatchMax))
                                               : ascending(request.keys)) {
        auto* const schedule = tables_.find_key(key);
        if (schedule == nullptr) continue;
        const bool is_due = schedule->state.next_fire && *schedule->state.next_fire <= request.now;
        if (!is_due && !waits_for_release(schedule->state)) {
            outcome.upcoming.push_back({key, schedule->state.next_fire});
            continue;
        }
        auto plan = tick_one(*schedule, request.now, planner, news);
        if (!plan) {
            outcome.poisoned.push_back({key, schedule->definition().id, plan.error()});
            continue;
        }
        outcome.upcoming.push_back(
            {key, schedule->state.next_fire, schedule->tenant_key, !plan->empty() && waits_for_release(plan->state)});
        if (!plan->empty()) outcome.plans.push_back(std::move(*plan));
    }
    return outcome;
}

Result<std::vector<std::optional<Error>>> MemoryStore::apply(std::span<const decide::Plan> plans) {
    MemoryNews news(notifier_);
    const MutexLock lock(mutex_);
    std::vector<std::optional<Error>> errors;
    for (const auto& plan : plans) {
        auto* const schedule = tables_.find_key(model::key_of(plan.schedule_id));
        if (schedule == nullptr || schedule->definition().id != plan.schedule_id) {
            errors.emplace_back(schedule_not_found({.tenant = {}, .id = plan.schedule_id}));
        } else if (const auto compiled = tables_.compile(*schedule); !compiled) {
            errors.emplace_back(compiled.error());
        } else {
            errors.push_back(apply_one(*schedule, plan, news));
        }
    }
    return errors;
}

}  // namespace belfry::store
