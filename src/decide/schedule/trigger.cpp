#include "decide/schedule/trigger.hpp"

#include <algorithm>

#include "decide/plan_builder.hpp"

namespace belfry::decide {

namespace {

Instant millisecond_of(std::optional<Instant> occurrence, Instant now) {
    return std::chrono::floor<std::chrono::milliseconds>(occurrence.value_or(now));
}

bool starts(const CompiledSchedule& schedule, const ReceivedEvent& event) {
    return std::ranges::any_of(schedule.subscriptions, [&event](const Subscription& subscription) {
        return subscription.event == event.name && subscription.lets_pass(event.payload);
    });
}

}  // namespace

Result<Plan> plan_trigger(const Facts& facts, const TriggerRequest& request, Instant now,
                          const model::CommandContext& context) {
    PlanBuilder builder(facts, now, context);
    const model::RunSlot slot{model::RunCause::trigger, millisecond_of(request.occurrence, now)};
    const Candidate candidate{slot, now, false, request.overlap, request.input};
    if (candidate.rules(facts.schedule->definition).buffers()) builder.release_buffered();  // buffered runs go first
    const auto decided = builder.decide(candidate);
    if (!decided) return Error{ErrorCode::conflict, "another trigger of this schedule has the same millisecond"};
    auto plan = builder.take();
    // A skipped run replays nothing, and a buffered one may be skipped later.
    if (*decided == model::DispatchStatus::dispatched) plan.replays = request.replays;
    return plan;
}

Result<Plan> plan_event(const Facts& facts, const ReceivedEvent& event, std::optional<Instant> occurrence, Instant now,
                        const model::CommandContext& context) {
    PlanBuilder builder(facts, now, context);
    if (!starts(*facts.schedule, event)) return builder.take();
    const model::RunSlot slot{model::RunCause::event, millisecond_of(occurrence, now)};
    Json told = boost::json::object{
        {"event", boost::json::object{{"name", event.name}, {"id", event.id}, {"payload", event.payload}}}};
    if (!builder.decide({slot, now, false, {}, std::move(told)})) {
        return Error{ErrorCode::conflict, "another event has started this schedule in the same millisecond"};
    }
    return builder.take();
}

}  // namespace belfry::decide
