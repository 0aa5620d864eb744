// Checks of a plan before it is written. A plan that fails one of them is not written at all. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "decide/plan.hpp"
#include "model/schedule/schedule.hpp"
#include "model/workflow/workflow.hpp"

namespace belfry::store {

// Returns an error for a plan that must not be written: an event's payload does not match the registry, or the
// sequence has a gap. `before` is the sequence of the newest stored event.
[[nodiscard]] std::optional<Error> check_events(const decide::Plan& plan, std::int64_t before);
// The same for a new schedule.
[[nodiscard]] std::optional<Error> check_new(const decide::Plan& plan);
// A schedule that is created as deleted, because it was rejected, does not take its name and does not count.
[[nodiscard]] inline bool takes_name(const decide::Plan& plan) {
    return plan.state.status != model::ScheduleStatus::deleted;
}

// Returns an error for a plan that must not be written: it starts work that needs an approval, or it lets work wait
// without requesting one. `approval` is the schedule's policy. `workflow` finds the workflow of a run, which may
// require more; null if it does not exist.
using WalkedBy = std::function<model::WorkflowPtr(const decide::WorkflowStart& workflow_run)>;
[[nodiscard]] std::optional<Error> check_asks(const decide::Plan& plan, const model::ApprovalPolicy& approval,
                                              const WalkedBy& workflow);

// The assignment that the schedule newly uses; null: none, or the same as before. `before` is null for a new
// schedule.
[[nodiscard]] const std::string* newly_assigned(const decide::Plan& plan, const model::Schedule* before);

}  // namespace belfry::store
