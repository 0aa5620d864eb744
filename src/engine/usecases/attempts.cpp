#include "engine/usecases/attempts.hpp"

#include <unordered_map>

namespace belfry::engine {

namespace {

using AttemptPlans = Result<std::vector<Result<decide::AttemptPlan>>>;
using CompiledById = std::unordered_map<std::string, decide::CompiledPtr>;

AttemptPlans observed(AttemptPlans done, const CompiledById& schedules, Observer& observer, Instant now) {
    if (!done) return done;
    for (const auto& each : *done) {
        const auto* const plan = each ? std::get_if<decide::Plan>(&*each) : nullptr;
        if (plan == nullptr || plan->empty()) continue;
        if (const auto found = schedules.find(plan->schedule_id); found != schedules.end()) {
            observer.decided(found->second->definition, *plan, now);
        }
    }
    return done;
}

}  // namespace

AttemptPlans end_attempts(store::TaskStore& store, Observer& observer, std::span<const store::AttemptReport> reports,
                          Instant now) {
    CompiledById schedules;
    auto ended = store.complete(reports, now, [&](const decide::Facts& facts, const decide::AttemptEnd& end) {
        schedules[facts.schedule->definition.id] = facts.schedule;
        return decide::plan_attempt_end(facts, end, now);
    });
    return observed(std::move(ended), schedules, observer, now);
}

AttemptPlans report_usage(store::TaskStore& store, Observer& observer, std::span<const store::UsageReport> reports,
                          Instant now) {
    CompiledById schedules;
    auto taken = store.report_usage(reports, now, [&](const decide::Facts& facts) {
        schedules[facts.schedule->definition.id] = facts.schedule;
        return decide::plan_usage_report(facts, now);
    });
    return observed(std::move(taken), schedules, observer, now);
}

}  // namespace belfry::engine
