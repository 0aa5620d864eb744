// Workflow assignments, for those who compile the schedules that name them and for those who write such schedules.
#pragma once

#include <set>
#include <string_view>

#include "model/assignment.hpp"
#include "store/sql/database.hpp"

namespace belfry::store::sql {

// The body of a row.
[[nodiscard]] Result<model::WorkflowAssignment> read_assignment(std::string_view text);

// By the key of their tenant and their id.
using AssignmentKeys = std::set<std::pair<std::int64_t, std::string>>;

// Keeps their rows as they are until the session has committed: whoever changes or removes one finds the schedule that names it.
// invalid_argument when one is not there.
[[nodiscard]] Result<void> hold_assignments(Session& session, const AssignmentKeys& named);

}  // namespace belfry::store::sql
