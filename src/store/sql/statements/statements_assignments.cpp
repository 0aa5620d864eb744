#include "store/sql/statements/statements_assignments.hpp"

#include "model/schedule/schedule_json.hpp"
#include "store/sql/values.hpp"

namespace belfry::store::sql {

namespace {

Result<model::WorkflowAssignment> read_assignment(Columns& row) {
    const auto json = parse_stored(row.view());
    auto record = json ? model::assignment_from_json(*json) : Result<model::WorkflowAssignment>(json.error());
    if (record) return record;
    return Error{ErrorCode::corrupt, "a stored workflow assignment cannot be read: " + record.error().message};
}

}  // namespace

const Query<Result<model::WorkflowAssignment>> kAssignment(
    "workflow assignment", "SELECT s.body FROM assignments s WHERE s.tenant_key = :tenant AND s.id = :id::text",
    read_assignment);
const Query<Result<model::WorkflowAssignment>> kLockAssignment(
    "lock workflow assignment",
    "SELECT s.body FROM assignments s WHERE s.tenant_key = :tenant AND s.id = :id::text {for update}", read_assignment);
const Query<AssignmentKey> kShareAssignments(
    "share workflow assignments",
    "SELECT s.tenant_key, s.id FROM assignments s {, rows} WHERE s.tenant_key = :tenant AND s.id = :id::text "
    "{for share}",
    [](Columns& row) {
        return AssignmentKey{row.integer(), row.text()};
    });
const Query<Result<model::WorkflowAssignment>> kAssignmentsOfTenant(
    "workflow assignments of a tenant",
    "SELECT s.body FROM assignments s WHERE s.tenant_key = :tenant AND s.id > :after::text ORDER BY s.id LIMIT :limit",
    read_assignment);
const Query<AssignmentOfSchedule> kAssignmentsOf(
    "workflow assignments of schedules",
    "SELECT c.schedule_key, a.body FROM schedules c JOIN assignments a "
    "ON a.tenant_key = c.tenant_key AND a.id = c.assignment {, rows} WHERE c.schedule_key = :key",
    [](Columns& row) {
        return AssignmentOfSchedule{row.integer(), read_assignment(row)};
    });
const Statement kInsertAssignment(
    "insert workflow assignment",
    "INSERT INTO assignments (tenant_key, id, body) VALUES (:tenant, :id::text, :body::text)");
const Statement kUpdateAssignment(
    "update workflow assignment",
    "UPDATE assignments SET body = :body::text WHERE tenant_key = :tenant AND id = :id::text");
const Statement kDeleteAssignment("delete workflow assignment",
                                  "DELETE FROM assignments WHERE tenant_key = :tenant AND id = :id::text");
const Query<std::string> kAssignmentUser(
    "user of a workflow assignment",
    "SELECT name FROM schedules WHERE tenant_key = :tenant AND assignment = :id::text AND assignment <> '' "
    "AND status <> 3 ORDER BY name LIMIT 1",
    read_text);
const Statement kStampAssigned(
    "stamp users of a workflow assignment",
    "UPDATE schedule_state SET stamp = :stamp WHERE schedule_key IN (SELECT schedule_key FROM schedules "
    "WHERE tenant_key = :tenant AND assignment = :id::text AND assignment <> '')");

}  // namespace belfry::store::sql
