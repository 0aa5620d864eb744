#include "decide/trigger.hpp"

#include "decide/plan_builder.hpp"

namespace belfry::decide {

Result<Plan> plan_trigger(const Facts& facts, const TriggerRequest& request, Instant now, const model::CommandContext& context) {
    PlanBuilder builder(facts, now, context);
    const model::RunSlot slot{model::RunCause::trigger, std::chrono::floor<std::chrono::milliseconds>(request.occurrence.value_or(now))};
    if (!builder.decide({slot, now, false, request.overlap, request.input})) {
        return Error{ErrorCode::conflict, "another trigger of this schedule has the same millisecond"};
    }
    return builder.take();
}

}  // namespace belfry::decide
