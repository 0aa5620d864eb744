#include "decide/run/completion.hpp"

#include "base/text/ascii.hpp"
#include "decide/plan_builder.hpp"

namespace belfry::decide {

using model::ExecutionStatus;

std::optional<Error> complete(PlanBuilder& builder, const Completion& completion) {
    if (!is_terminal(completion.status))
        return invalid("a run does not end as " + std::string(name_of(completion.status)));
    if (!may_become(completion.from, completion.status)) {
        return Error{ErrorCode::conflict, "the run is " + std::string(name_of(completion.from)) +
                                              " and cannot become " + std::string(name_of(completion.status))};
    }
    const auto now = builder.now();
    const auto error = storable(completion.error);  // a worker may send any bytes
    builder.end({completion.run_id, completion.status, completion.result, error});
    auto& state = builder.state();
    state.last_completed_at = now;
    state.last_completed_run = completion.run_id;
    if (is_failure(completion.status)) {
        const auto& definition = builder.facts().schedule->definition;
        const bool was_open = is_breaker_open(definition, state);
        state.failures += 1;
        state.consecutive_failures += 1;
        state.last_error_at = now;
        state.last_error = whole_characters(error, kLastErrorMax);
        if (is_breaker_open(definition, state) && (!was_open || definition.breaker_retry_after)) builder.open_breaker();
    } else if (completion.status == ExecutionStatus::succeeded) {
        builder.close_breaker("a run succeeded");
    }
    builder.settle();
    builder.learn_end(completion);
    builder.release_buffered();
    return std::nullopt;
}

std::optional<Error> advance(PlanBuilder& builder, const model::Run& run, WorkflowStep step) {
    for (auto& node : step.changed) builder.change({run.id, std::move(node)});
    for (auto& event : step.events) builder.note({run.id, std::move(event)});
    for (auto& asked : step.asks) builder.ask_for(std::move(asked));
    if (!step.over) return std::nullopt;
    auto& over = *step.over;
    return complete(builder, {run.id, run.execution, over.status, std::move(over.result), std::move(over.error)});
}

Result<Plan> plan_completion(const Facts& facts, const Completion& completion, Instant now) {
    PlanBuilder builder(facts, now);
    if (auto error = complete(builder, completion)) return *error;
    return builder.take();
}

}  // namespace belfry::decide
