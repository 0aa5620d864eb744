// Statements for workflow assignments. They repeat the condition `assignment <> ''`, because the index contains only
// such rows.
#pragma once

#include <string>
#include <utility>

#include "base/result.hpp"
#include "model/tenant/assignment.hpp"
#include "store/sql/row.hpp"

namespace belfry::store::sql {

struct AssignmentOfSchedule {
    std::int64_t schedule = 0;
    Result<model::WorkflowAssignment> assignment;
};
using AssignmentKey = std::pair<std::int64_t, std::string>;  // the tenant's key, and the id

extern const Query<Result<model::WorkflowAssignment>> kAssignment;
extern const Query<Result<model::WorkflowAssignment>> kLockAssignment;
extern const Query<AssignmentKey> kShareAssignments;  // for schedules that newly use them
extern const Query<Result<model::WorkflowAssignment>> kAssignmentsOfTenant;
extern const Query<AssignmentOfSchedule> kAssignmentsOf;  // assignments that schedules use, to compile them
extern const Statement kInsertAssignment;
extern const Statement kUpdateAssignment;
extern const Statement kDeleteAssignment;
extern const Query<std::string> kAssignmentUser;
extern const Statement kStampAssigned;

}  // namespace belfry::store::sql
