#include "decide/run/attempt.hpp"

#include "base/text/ascii.hpp"
#include "decide/approval/gate.hpp"
#include "decide/plan_builder.hpp"
#include "decide/run/completion.hpp"
#include "decide/run/workflow_run.hpp"
#include "model/run/task.hpp"

namespace belfry::decide {

using model::ExecutionStatus;

namespace {

bool is_failure(const AttemptEnd& end) {
    return end.status == ExecutionStatus::failed || end.status == ExecutionStatus::timed_out;
}

// The record of the run's only task. It exists after a move to the fallback assignee or after a return to the queue.
const model::NodeRun* find_record(const Facts& facts) {
    return facts.workflow_run ? facts.workflow_run->find({}) : nullptr;
}

std::int64_t number_of_end(const Facts& facts) { return model::numbers_of(facts.run->attempts, facts.handed_over).end; }

int redeliveries_of(const Facts& facts) {
    const auto* const record = find_record(facts);
    return record != nullptr ? record->redeliveries : 0;
}

// The record of a task as its definition describes it.
model::NodeRun as_defined(const Facts& facts) {
    const auto& definition = facts.definition_of_run();
    model::NodeRun task;
    task.queue = model::queue_for({.target = definition.target}, facts.default_connection);
    if (definition.assignee && !task.queue.starts_with(model::kOwnQueueMark)) task.assignee = definition.assignee->id;
    task.timeout = definition.retry.timeout;
    return task;
}

// Returns the task to its queue, like a node. Its place follows from its fire time, so the order of the schedule's
// tasks stays.
Plan put_back(const Facts& facts, const AttemptEnd& end, Instant now) {
    const auto& run = *facts.run;
    const auto* const known = find_record(facts);
    auto task = known != nullptr ? *known : as_defined(facts);
    task.attempts = run.attempts;
    task.ready_at = run.fire_at;
    task.started_at = run.started_at;
    auto back = decide::put_back(std::move(task), end, now);
    if (run.started_at) back.payload["startedAt"] = format_instant(*run.started_at);
    PlanBuilder builder(facts, now);
    builder.note(
        {run.id,
         {.sequence = number_of_end(facts), .type = back.event, .at = now, .payload = std::move(back.payload)}});
    builder.change({run.id, std::move(back.task)});
    return builder.take();
}

// Queues the task again, for the assignee in the record.
Plan queue_again(const Facts& facts, model::NodeRun task, const AttemptEnd& end, Instant now) {
    const auto& run = *facts.run;
    task.status = model::NodeStatus::queued;
    task.attempts = run.attempts;
    task.started_at = run.started_at;
    task.error = storable(end.error);
    task.category = category_of(end);
    PlanBuilder builder(facts, now);
    model::RunEvent event{.sequence = number_of_end(facts), .type = "node.failed", .at = now};
    event.payload =
        boost::json::object{{"attempt", run.attempts},
                            {"startedAt", run.started_at ? Json(format_instant(*run.started_at)) : Json(nullptr)},
                            {"cause", task.category ? Json(name_of(*task.category)) : Json(nullptr)},
                            {"error", task.error},
                            {"retryAt", format_instant(task.ready_at)},
                            {"assignee", task.assignee}};
    builder.note({run.id, std::move(event)});
    builder.change({run.id, std::move(task)});
    return builder.take();
}

// Moves the task to the fallback assignee, once. Its retries count anew.
std::optional<Plan> hand_over(const Facts& facts, const AttemptEnd& end, Instant now) {
    const auto& definition = facts.definition_of_run();
    const auto& fallback = definition.failure.fallback_assignee_id;
    const bool falls_back = definition.failure.mode == model::FailureMode::fallback && fallback && !end.final;
    if (!falls_back || !is_failure(end)) return std::nullopt;
    if (const auto* const task = find_record(facts); task != nullptr && task->assignee == *fallback)
        return std::nullopt;
    auto task = as_defined(facts);
    task.attempts_before = facts.run->attempts;
    task.redeliveries = redeliveries_of(facts);
    if (task.queue.starts_with(model::kOwnQueueMark)) return std::nullopt;  // only the server does it
    task.assignee = *fallback;
    task.ready_at = now;
    return queue_again(facts, std::move(task), end, now);
}

Result<AttemptPlan> plan_node_end(const Facts& facts, const AttemptEnd& end, Instant now) {
    const auto& run = *facts.run;
    auto step = step_workflow(*facts.workflow_run, facts.definition_of_run(),
                              {run.id, run.slot, run.input, now, facts.default_connection, approval_of_run(facts)},
                              facts.node, end, now);
    if (!step) return step.error();
    PlanBuilder builder(facts, now);
    if (auto refused = advance(builder, run, std::move(*step))) return *refused;
    return AttemptPlan{builder.take()};
}

// A report beyond a limit ends the attempt, whatever its status. No policy retries it, because it already cost too
// much.
std::optional<AttemptEnd> end_by_limit(const Facts& facts) {
    auto tripped = first_tripped(facts.spending, facts.caps);
    if (!tripped) return std::nullopt;
    AttemptEnd stopped{.status = ExecutionStatus::failed, .category = model::FailureCategory::contract_violated};
    stopped.error = describe(*tripped);
    stopped.limit = std::move(tripped);
    stopped.final = true;
    return stopped;
}

// The event that shows which limit ended the run's only task.
RunNote limit_note(const Facts& facts, const TrippedLimit& tripped, Instant now) {
    return {facts.run->id,
            {.sequence = number_of_end(facts),
             .type = "run.failed",
             .at = now,
             .payload = boost::json::object{{"error", describe(tripped)},
                                            {"cause", name_of(model::FailureCategory::contract_violated)},
                                            {"limit", to_json(tripped)}}}};
}

Result<AttemptPlan> plan_task_end(const Facts& facts, const AttemptEnd& end, Instant now) {
    const auto& run = *facts.run;
    PlanBuilder builder(facts, now);
    if (auto refused = complete(builder, {run.id, run.execution, end.status, end.result, end.error})) return *refused;
    if (end.limit) builder.note(limit_note(facts, *end.limit, now));
    return AttemptPlan{builder.take()};
}

Result<AttemptPlan> plan_end(const Facts& facts, const AttemptEnd& end, Instant now) {
    const auto& run = *facts.run;
    if (facts.workflow_run && facts.workflow_run->workflow) return plan_node_end(facts, end, now);
    // If the schedule cannot be read, the task's queue is unknown.
    const bool lost = facts.schedule->unreadable.empty() &&
                      is_redelivered(facts.definition_of_run().worker_lost, redeliveries_of(facts), end);
    const bool goes_back = end.put_back || lost;
    if (goes_back && !is_terminal(run.execution)) return AttemptPlan{put_back(facts, end, now)};
    if (!is_terminal(run.execution)) {
        const auto* const record = find_record(facts);
        const int attempt = run.attempts - (record != nullptr ? record->attempts_before : 0);
        const auto ready = retry_at(facts.definition_of_run().retry, run.id, attempt, end, now);
        // No further attempt after the run's timeout.
        if (ready && *ready < run.fire_at + facts.caps.timeout) {
            if (record == nullptr) return AttemptPlan{Retry{*ready}};
            auto task = *record;
            task.ready_at = *ready;
            return AttemptPlan{queue_again(facts, std::move(task), end, now)};
        }
        if (auto plan = hand_over(facts, end, now)) return AttemptPlan{std::move(*plan)};
    }
    return plan_task_end(facts, end, now);
}

}  // namespace

Result<AttemptPlan> plan_attempt_end(const Facts& facts, const AttemptEnd& end, Instant now) {
    const auto stopped = end.usage ? end_by_limit(facts) : std::nullopt;
    return plan_end(facts, stopped ? *stopped : end, now);
}

Result<AttemptPlan> plan_usage_report(const Facts& facts, Instant now) {
    if (const auto stopped = end_by_limit(facts)) return plan_end(facts, *stopped, now);
    return AttemptPlan{PlanBuilder(facts, now).take()};
}

}  // namespace belfry::decide
