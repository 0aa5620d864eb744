#include "store/schedule_store.hpp"

#include "model/identity.hpp"

namespace belfry::store {

Result<std::vector<ScheduleStore::Created>> ScheduleStore::create_each(std::span<const NewSchedule> schedules) {
    std::vector<Created> all;
    for (const auto& each : schedules) {
        if (auto created = create(std::span(&each.plan, 1)); !created) {
            all.emplace_back(created.error());
            continue;
        }
        auto& first = all.emplace_back(std::nullopt);
        if (!each.first) continue;
        auto ticked = tick({each.plan.decided_at, {model::key_of(each.plan.schedule_id)}}, each.first);
        if (ticked && !ticked->plans.empty()) first = std::optional(std::move(ticked->plans.front()));
    }
    return all;
}

Result<std::vector<Result<decide::Plan>>> ScheduleStore::change_each(std::span<const ChangeRequest> requests) {
    std::vector<Result<decide::Plan>> plans;
    for (const auto& request : requests) plans.push_back(change(request.schedule, request.needs, request.planner));
    return plans;
}

}  // namespace belfry::store
