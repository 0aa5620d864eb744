#include "decide/trigger.hpp"

#include "decide/plan_builder.hpp"

namespace belfry::decide {

Result<Plan> plan_trigger(const Facts& facts, const TriggerRequest& request, Instant now, const model::CommandContext& context) {
    PlanBuilder builder(facts, now, context);
    const model::RunSlot slot{model::RunCause::trigger, std::chrono::floor<std::chrono::milliseconds>(request.occurrence.value_or(now))};
    const auto decided = builder.decide({slot, now, false, request.overlap, request.input});
    if (!decided) return Error{ErrorCode::conflict, "another trigger of this schedule has the same millisecond"};
    auto plan = builder.take();
    // What was skipped was not done again.
    if (*decided != model::DispatchStatus::skipped) plan.replays = request.replays;
    return plan;
}

}  // namespace belfry::decide
