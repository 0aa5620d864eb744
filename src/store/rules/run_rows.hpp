// The ledger row of a run, and what users see of a run and its nodes. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "decide/plan.hpp"
#include "model/run/run.hpp"
#include "model/run/task.hpp"
#include "model/schedule/schedule.hpp"
#include "model/workflow/node.hpp"

namespace belfry::store {

// The ledger row of a new or released run.
[[nodiscard]] model::Run run_row(const decide::Plan& plan, const decide::PlannedRun& planned, std::int64_t version);

// The input that a run takes from the definition. The ledger row does not repeat it.
[[nodiscard]] const Json& own_input(const model::Schedule& definition,
                                    const std::optional<std::int64_t>& rotation_index);

// Whether the schedule's assignee is a team.
[[nodiscard]] bool is_of_team(const model::Schedule& definition);

// The slot of the requested run, if the plan has one. It comes last: released runs precede it.
[[nodiscard]] std::optional<std::int64_t> requested_slot(const decide::Plan& plan);

// Sets a node's visible status: `running` if it has a lease, and the final status if its run has ended.
void show_progress(model::NodeRun& node, const model::Run& run, const std::optional<model::Lease>& lease);

}  // namespace belfry::store
