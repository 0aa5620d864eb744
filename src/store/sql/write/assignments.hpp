// Locks workflow assignments, to write schedules that use them.
#pragma once

#include <set>

#include "store/sql/database.hpp"
#include "store/sql/statements/statements_assignments.hpp"

namespace belfry::store::sql {

using AssignmentKeys = std::set<AssignmentKey>;

// Locks the rows until the session commits, so that a change or a removal of an assignment sees the schedule that
// uses it. invalid_argument if one does not exist.
[[nodiscard]] Result<void> hold_assignments(Session& session, const AssignmentKeys& named);

}  // namespace belfry::store::sql
