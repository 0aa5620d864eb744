// Statements for workflow assignments. They repeat the condition `assignment <> ''`, because the index contains only
// such rows.
#include "store/sql/statements/statements.hpp"

namespace belfry::store::sql {

const Statement kAssignment("workflow assignment",
                            "SELECT s.body FROM assignments s WHERE s.tenant_key = :tenant AND s.id = :id::text");
const Statement kLockAssignment(
    "lock workflow assignment",
    "SELECT s.body FROM assignments s WHERE s.tenant_key = :tenant AND s.id = :id::text {for update}");
const Statement kShareAssignments(
    "share workflow assignments",
    "SELECT s.tenant_key, s.id FROM assignments s {, rows} WHERE s.tenant_key = :tenant AND s.id = :id::text "
    "{for share}");
const Statement kAssignmentsOfTenant(
    "workflow assignments of a tenant",
    "SELECT s.body FROM assignments s WHERE s.tenant_key = :tenant AND s.id > :after::text ORDER BY s.id LIMIT :limit");
const Statement kAssignmentsOf(
    "workflow assignments of schedules",
    "SELECT c.schedule_key, a.body FROM schedules c JOIN assignments a "
    "ON a.tenant_key = c.tenant_key AND a.id = c.assignment {, rows} WHERE c.schedule_key = :key");
const Statement kInsertAssignment(
    "insert workflow assignment",
    "INSERT INTO assignments (tenant_key, id, body) VALUES (:tenant, :id::text, :body::text)");
const Statement kUpdateAssignment(
    "update workflow assignment",
    "UPDATE assignments SET body = :body::text WHERE tenant_key = :tenant AND id = :id::text");
const Statement kDeleteAssignment("delete workflow assignment",
                                  "DELETE FROM assignments WHERE tenant_key = :tenant AND id = :id::text");
const Statement kAssignmentUser(
    "user of a workflow assignment",
    "SELECT name FROM schedules WHERE tenant_key = :tenant AND assignment = :id::text AND assignment <> '' "
    "AND status <> 3 ORDER BY name LIMIT 1");
const Statement kStampAssigned(
    "stamp users of a workflow assignment",
    "UPDATE schedule_state SET stamp = :stamp WHERE schedule_key IN (SELECT schedule_key FROM schedules "
    "WHERE tenant_key = :tenant AND assignment = :id::text AND assignment <> '')");

}  // namespace belfry::store::sql
