#include "decide/trigger.hpp"

#include "decide/plan_builder.hpp"

namespace belfry::decide {

Result<Plan> plan_trigger(const Facts& facts, const TriggerRequest& request, Instant now, const model::CommandContext& context) {
    PlanBuilder builder(facts, now, context);
    const model::RunSlot slot{model::RunCause::trigger, std::chrono::floor<std::chrono::milliseconds>(request.occurrence.value_or(now))};
    const Candidate candidate{slot, now, false, request.overlap, request.input};
    if (candidate.rules(facts.schedule->definition).buffers()) builder.release_buffered();  // what waits goes first
    const auto decided = builder.decide(candidate);
    if (!decided) return Error{ErrorCode::conflict, "another trigger of this schedule has the same millisecond"};
    auto plan = builder.take();
    // What was skipped was not done again.
    if (*decided != model::DispatchStatus::skipped) plan.replays = request.replays;
    return plan;
}

}  // namespace belfry::decide
