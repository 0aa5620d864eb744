#include "store/rules/retention_rules.hpp"

#include "model/schedule/cause.hpp"

namespace belfry::store {

using model::DispatchStatus;
using model::ExecutionStatus;

bool is_dead_letter(ExecutionStatus status) {
    return status == ExecutionStatus::failed || status == ExecutionStatus::timed_out;
}

bool is_history(const model::Run& run) { return run.dispatch == DispatchStatus::skipped || is_terminal(run.execution); }

std::optional<Instant> ended_since(const decide::Plan& plan, const model::Schedule& definition) {
    using model::ScheduleStatus;
    const auto status = plan.state.status;
    if (status == ScheduleStatus::active || status == ScheduleStatus::paused) return Instant{};
    if (status == ScheduleStatus::completed && plan.state.buffered > 0) return Instant{};
    if (status == ScheduleStatus::completed && !model::is_immediate(definition)) return std::nullopt;
    return plan.decided_at;
}

}  // namespace belfry::store
