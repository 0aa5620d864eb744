// Statements for workflows, workflow runs and dead letters.
#include "store/sql/statements/columns.hpp"
#include "store/sql/statements/statements.hpp"

namespace belfry::store::sql {

const Statement kWorkflowHeads("workflows",
                               "SELECT s.workflow_key, s.newest, s.removed_us, s.tenant_key, s.name FROM workflows s "
                               "{, rows} WHERE s.workflow_key = :key");
const Statement kLockWorkflow("lock a workflow",
                              "SELECT s.newest, s.removed_us FROM workflows s WHERE s.workflow_key = :key AND "
                              "s.tenant_key = :tenant AND s.name = :name::text {for update}");
const Statement kInsertWorkflow(
    "insert workflow",
    "INSERT INTO workflows (workflow_key, tenant_key, name, newest) VALUES (:key, :tenant, :name::text, :newest)");
const Statement kUpdateWorkflow(
    "update workflow", "UPDATE workflows SET newest = :newest, removed_us = :removed WHERE workflow_key = :key");
const Statement kInsertWorkflowVersion(
    "insert a workflow's version",
    "INSERT INTO workflow_versions (workflow_key, version, body) VALUES (:key, :version, :body::text)");
const Statement kWorkflowVersions("versions of workflows",
                                  "SELECT s.workflow_key, s.version, s.body FROM workflow_versions s {, rows} WHERE "
                                  "s.workflow_key = :key AND s.version = :version");
const Statement kWorkflowNames(
    "workflows by name",
    "SELECT name, newest FROM workflows WHERE tenant_key = :tenant AND name > :after::text AND removed_us IS NULL "
    "ORDER BY name LIMIT :limit");

const Statement kInsertWorkflowRun("insert walk",
                                   "INSERT INTO walks (schedule_key, slot, workflow_key, version, events, deadline_us) "
                                   "{values} :key, :slot, :workflow, :version, 1, :deadline {end values, rows}");
const Statement kEndWorkflowRun(
    "end walk", "UPDATE walks SET deadline_us = NULL {rows} WHERE walks.schedule_key = :key AND walks.slot = :slot");
// Reserves the next event numbers and returns the last one.
const Statement kCountRunEvents(
    "count events of runs",
    "UPDATE walks SET events = walks.events + :more {rows} WHERE walks.schedule_key = :key AND walks.slot = :slot "
    "RETURNING walks.schedule_key, walks.slot, walks.events");
const Statement kWorkflowRunsByKey(
    "walks",
    "SELECT s.schedule_key, s.slot, s.workflow_key, s.version, s.events, s.deadline_us FROM walks s {, rows} "
    "WHERE s.schedule_key = :key AND s.slot = :slot");
const Statement kLockWorkflowRuns(
    "lock walks",
    "SELECT s.schedule_key, s.slot, s.events FROM walks s {, rows} "
    "WHERE s.schedule_key = :key AND s.slot = :slot AND s.deadline_us IS NOT NULL {for update}");
const Statement kOverdueWorkflowRuns(
    "overdue walks",
    "SELECT w.schedule_key, w.slot, w.deadline_us, t.name FROM walks w JOIN schedules c ON c.schedule_key = "
    "w.schedule_key "
    "JOIN tenants t ON t.tenant_key = c.tenant_key WHERE w.deadline_us < :now ORDER BY w.deadline_us LIMIT :limit");
const Statement kBeginRun("begin run",
                          "UPDATE runs SET execution = 3, started_us = :started {rows} "
                          "WHERE runs.schedule_key = :key AND runs.slot = :slot AND runs.execution = 2");

const Statement kPutNode(
    "put node",
    "INSERT INTO run_nodes (schedule_key, slot, node, status, attempts, attempts_before, redeliveries, queue, "
    "assignee, ready_us, timeout_us, "
    "started_us, completed_us, input, result, error, category) {values} :key, :slot, :node::text, :status, :attempts, "
    ":before, :redeliveries, "
    ":queue::text, :assignee::text, "
    ":ready, :timeout, :started, :completed, :input::text, :result::text, :error::text, :category {end values, rows} "
    "ON CONFLICT (schedule_key, slot, node) DO UPDATE SET status = excluded.status, attempts = excluded.attempts, "
    "attempts_before = excluded.attempts_before, redeliveries = excluded.redeliveries, queue = excluded.queue, "
    "assignee = excluded.assignee, "
    "ready_us = excluded.ready_us, "
    "timeout_us = excluded.timeout_us, started_us = excluded.started_us, completed_us = excluded.completed_us, input = "
    "excluded.input, "
    "result = excluded.result, error = excluded.error, category = excluded.category");
const Statement kNodesOfRuns(
    "nodes of runs",
    "SELECT s.schedule_key, s.slot, s.node, s.status, s.attempts, s.attempts_before, s.queue, s.assignee, s.ready_us, "
    "s.timeout_us, s.started_us, s.completed_us, s.input, s.result, s.error, s.category, l.attempt, l.since_us, "
    "l.worker, "
    "s.redeliveries "
    "FROM run_nodes s LEFT JOIN leases l ON l.schedule_key = s.schedule_key AND l.slot = s.slot AND l.node = s.node "
    "{, rows} WHERE s.schedule_key = :key AND s.slot = :slot");
const Statement kNodeOfRun("node of a run",
                           "SELECT status, attempts, ready_us, completed_us FROM run_nodes "
                           "WHERE schedule_key = :key AND slot = :slot AND node = :node::text");
const Statement kInsertRunEvent(
    "insert event of a run",
    "INSERT INTO run_events (schedule_key, slot, sequence, type, at_us, node, payload) "
    "{values} :key, :slot, :sequence, :type::text, :at, :node::text, :payload::text {end values, rows}");
const Statement kRunEvents(
    "events of a run",
    "SELECT sequence, type, at_us, node, payload FROM run_events WHERE schedule_key = :key AND slot = :slot "
    "AND sequence > :after ORDER BY sequence LIMIT :limit");

const Statement kInsertDeadLetter("insert dead letter",
                                  "INSERT INTO dead_letters (tenant_key, failed_us, slot, schedule_key) "
                                  "{values} :tenant, :failed, :slot, :key {end values, rows}");
const Statement kDeleteDeadLetter(
    "delete dead letter",
    "DELETE FROM dead_letters {using rows} WHERE dead_letters.schedule_key = :key AND dead_letters.slot = :slot");
const Statement kDeadLetters(
    "dead letters",
    "SELECT " + kRunColumns +
        " FROM dead_letters d JOIN runs r_ ON r_.schedule_key = d.schedule_key AND r_.slot = d.slot" + kLeaseOfRun +
        "WHERE d.tenant_key = :tenant AND (d.failed_us, d.slot, d.schedule_key) < (:failed, :slot, :key) "
        "ORDER BY d.failed_us DESC, d.slot DESC, d.schedule_key DESC LIMIT :limit");

const Statement kLockDeadLetter(
    "lock dead letter",
    "SELECT s.failed_us FROM dead_letters s WHERE s.schedule_key = :key AND s.slot = :slot {for update}");

const Statement kForgetWorkflowRuns(
    "forget walks", "DELETE FROM walks {using rows} WHERE walks.schedule_key = :key AND walks.slot = :slot");
const Statement kForgetNodes(
    "forget nodes",
    "DELETE FROM run_nodes {using rows} WHERE run_nodes.schedule_key = :key AND run_nodes.slot = :slot");
const Statement kForgetRunEvents(
    "forget events of runs",
    "DELETE FROM run_events {using rows} WHERE run_events.schedule_key = :key AND run_events.slot = :slot");

}  // namespace belfry::store::sql
