// Workflow assignments: reading them to compile schedules, and locking them to write schedules that use them.
#pragma once

#include <set>
#include <string_view>

#include "model/tenant/assignment.hpp"
#include "store/sql/database.hpp"

namespace belfry::store::sql {

// Parses the body of a row.
[[nodiscard]] Result<model::WorkflowAssignment> read_assignment(std::string_view text);

// By the tenant's key and the id.
using AssignmentKeys = std::set<std::pair<std::int64_t, std::string>>;

// Locks the rows until the session commits, so that a change or a removal of an assignment sees the schedule that
// uses it. invalid_argument if one does not exist.
[[nodiscard]] Result<void> hold_assignments(Session& session, const AssignmentKeys& named);

}  // namespace belfry::store::sql
