#include "engine/usecases/attempts.hpp"

#include <unordered_map>

namespace belfry::engine {

Result<std::vector<Result<decide::AttemptPlan>>> end_attempts(store::TaskStore& store, Observer& observer,
                                                              std::span<const store::AttemptReport> reports,
                                                              Instant now) {
    std::unordered_map<std::string, decide::CompiledPtr> schedules;
    auto ended = store.complete(
        reports, now, [&](const decide::Facts& facts, const decide::AttemptEnd& end) -> Result<decide::AttemptPlan> {
            schedules[facts.schedule->definition.id] = facts.schedule;
            return decide::plan_attempt_end(facts, end, now);
        });
    if (!ended) return ended;
    for (const auto& each : *ended) {
        const auto* const plan = each ? std::get_if<decide::Plan>(&*each) : nullptr;
        if (plan == nullptr || plan->empty()) continue;
        if (const auto found = schedules.find(plan->schedule_id); found != schedules.end()) {
            observer.decided(found->second->definition, *plan, now);
        }
    }
    return ended;
}

}  // namespace belfry::engine
