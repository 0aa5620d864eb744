#include "decide/attempt.hpp"

#include "base/ascii.hpp"
#include "decide/completion.hpp"
#include "decide/plan_builder.hpp"
#include "decide/walk.hpp"
#include "model/task.hpp"

namespace belfry::decide {

using model::ExecutionStatus;

namespace {

bool is_failure(const AttemptEnd& end) { return end.status == ExecutionStatus::failed || end.status == ExecutionStatus::timed_out; }

// The run's only task, in the hands of somebody else than its definition says.
const model::NodeRun* find_reassigned(const Facts& facts) { return facts.walk ? facts.walk->find({}) : nullptr; }

// Queued again, for whom the record says. Its number is the attempt's: see retry_event in store/plan_rows.cpp.
Plan queue_again(const Facts& facts, model::NodeRun task, const AttemptEnd& end, Instant now) {
    const auto& run = *facts.run;
    task.status = model::NodeStatus::queued;
    task.attempts = run.attempts;
    task.started_at = run.started_at;
    task.error = storable(end.error);
    task.category = category_of(end);
    PlanBuilder builder(facts, now);
    model::RunEvent event{.sequence = run.attempts + 2, .type = "node.failed", .at = now};
    event.payload = boost::json::object{{"attempt", run.attempts},
                                        {"startedAt", run.started_at ? Json(format_instant(*run.started_at)) : Json(nullptr)},
                                        {"cause", task.category ? Json(name_of(*task.category)) : Json(nullptr)},
                                        {"error", task.error},
                                        {"retryAt", format_instant(task.ready_at)},
                                        {"assignee", task.assignee}};
    builder.note({run.id, std::move(event)});
    builder.change({run.id, std::move(task)});
    return builder.take();
}

// The task goes to the fallback once, and its retries count anew.
std::optional<Plan> hand_over(const Facts& facts, const AttemptEnd& end, Instant now) {
    const auto& definition = facts.schedule->definition;
    const auto& fallback = definition.failure.fallback_assignee_id;
    const bool falls_back = definition.failure.mode == model::FailureMode::fallback && fallback && !end.final;
    if (!falls_back || !is_failure(end) || find_reassigned(facts) != nullptr) return std::nullopt;
    model::NodeRun task;
    task.attempts_before = facts.run->attempts;
    task.queue = model::queue_for({.target = definition.target}, facts.default_connection);
    if (task.queue.starts_with(model::kOwnQueueMark)) return std::nullopt;  // nobody else does it
    task.assignee = *fallback;
    task.ready_at = now;
    task.timeout = definition.retry.timeout;
    return queue_again(facts, std::move(task), end, now);
}

Result<AttemptPlan> plan_node_end(const Facts& facts, const AttemptEnd& end, Instant now) {
    const auto& run = *facts.run;
    auto step = step_walk(*facts.walk, facts.schedule->definition,
                          {run.id, run.slot, run.input, now, facts.default_connection, facts.schedule->approval}, facts.node, end, now);
    if (!step) return step.error();
    PlanBuilder builder(facts, now);
    if (auto refused = advance(builder, run, std::move(*step))) return *refused;
    return AttemptPlan{builder.take()};
}

// A report beyond a limit ends the attempt, whatever else it says: nobody may try again what has cost too much already.
std::optional<AttemptEnd> end_by_limit(const Facts& facts, const AttemptEnd& end) {
    if (!end.usage) return std::nullopt;
    auto tripped = first_tripped(facts.spending, facts.caps);
    if (!tripped) return std::nullopt;
    AttemptEnd stopped{.status = ExecutionStatus::failed, .category = model::FailureCategory::contract_violated};
    stopped.error = describe(*tripped);
    stopped.usage = end.usage;
    stopped.limit = std::move(tripped);
    stopped.final = true;
    return stopped;
}

// Why a limit ended the run's only task. Numbered as the failures of its attempts are: see retry_event in store/plan_rows.cpp.
RunNote limit_note(const model::Run& run, const TrippedLimit& tripped, Instant now) {
    return {run.id,
            {.sequence = run.attempts + 2,
             .type = "run.failed",
             .at = now,
             .payload = boost::json::object{
                 {"error", describe(tripped)}, {"cause", name_of(model::FailureCategory::contract_violated)}, {"limit", to_json(tripped)}}}};
}

Result<AttemptPlan> plan_task_end(const Facts& facts, const AttemptEnd& end, Instant now) {
    const auto& run = *facts.run;
    PlanBuilder builder(facts, now);
    if (auto refused = complete(builder, {run.id, run.execution, end.status, end.result, end.error})) return *refused;
    if (end.limit) builder.note(limit_note(run, *end.limit, now));
    return AttemptPlan{builder.take()};
}

}  // namespace

Result<AttemptPlan> plan_attempt_end(const Facts& facts, const AttemptEnd& told, Instant now) {
    const auto stopped = end_by_limit(facts, told);
    const auto& end = stopped ? *stopped : told;
    if (end.status == ExecutionStatus::running) return AttemptPlan{PlanBuilder(facts, now).take()};
    const auto& run = *facts.run;
    if (facts.walk && facts.walk->workflow) return plan_node_end(facts, end, now);
    // In the order of the fire times, which is the order in which its schedule's tasks were made.
    if (end.put_back && !is_terminal(run.execution)) return AttemptPlan{Retry{run.fire_at, true}};
    if (!is_terminal(run.execution)) {
        const auto* const reassigned = find_reassigned(facts);
        const int attempt = run.attempts - (reassigned != nullptr ? reassigned->attempts_before : 0);
        if (const auto ready = retry_at(facts.schedule->definition.retry, run.id, attempt, end, now)) {
            if (reassigned == nullptr) return AttemptPlan{Retry{*ready}};
            auto task = *reassigned;
            task.ready_at = *ready;
            return AttemptPlan{queue_again(facts, std::move(task), end, now)};
        }
        if (auto plan = hand_over(facts, end, now)) return AttemptPlan{std::move(*plan)};
    }
    return plan_task_end(facts, end, now);
}

}  // namespace belfry::decide
