#include "store/sql/statements/statements_workflow_runs.hpp"

#include "store/sql/values.hpp"

namespace belfry::store::sql {

namespace {

RunEventCount read_event_count(Columns& row) { return {row.run_key(), row.integer()}; }

OverdueRun read_overdue_run(Columns& row) {
    const auto run = row.run_key();
    const auto deadline = row.instant();
    return {row.text(), model::run_id(run.schedule, run.slot), deadline};
}

std::optional<Error> read_json(Columns& row, Json& to) {
    const auto stored = row.optional_view();
    if (!stored) return std::nullopt;
    auto parsed = parse_stored(*stored);
    if (!parsed) return parsed.error();
    to = std::move(*parsed);
    return std::nullopt;
}

Result<NodeRow> read_node_row(Columns& row) {
    NodeRow read{.run = row.run_key()};
    auto& node = read.node;
    node.node = row.text();
    node.status = row.as<model::NodeStatus>();
    node.attempts = row.small();
    node.attempts_before = row.small();
    node.redeliveries = row.small();
    node.queue = row.text();
    node.assignee = row.text();
    node.ready_at = row.instant();
    if (const auto timeout = row.optional_integer())
        node.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(Micros{*timeout});
    node.started_at = row.optional_instant();
    node.completed_at = row.optional_instant();
    if (auto error = read_json(row, node.input)) return *error;
    if (auto error = read_json(row, node.result)) return *error;
    node.error = row.text();
    node.category = row.optional_as<model::FailureCategory>();
    if (const auto attempt = row.optional_small()) {
        const auto since = row.instant();
        read.lease = {{model::run_id(read.run.schedule, read.run.slot), *attempt, node.node}, row.text(), since};
    }
    return read;
}

Result<model::RunEvent> read_run_event(Columns& row) {
    model::RunEvent event{row.integer(), row.text(), row.instant(), row.text()};
    auto payload = parse_stored(row.view());
    if (!payload) return payload.error();
    event.payload = std::move(*payload);
    return event;
}

}  // namespace

const Query<WorkflowHeadRow> kWorkflowHeads(
    "workflows",
    "SELECT s.workflow_key, s.newest, s.removed_us, s.tenant_key, s.name FROM workflows s "
    "{, rows} WHERE s.workflow_key = :key",
    [](Columns& row) {
        return WorkflowHeadRow{row.integer(), row.integer(), row.optional_instant().has_value(), row.integer(),
                               row.text()};
    });
const Query<LockedWorkflow> kLockWorkflow(
    "lock a workflow",
    "SELECT s.newest, s.removed_us FROM workflows s WHERE s.workflow_key = :key AND "
    "s.tenant_key = :tenant AND s.name = :name::text {for update}",
    [](Columns& row) {
        return LockedWorkflow{row.integer(), row.optional_instant()};
    });
const Statement kInsertWorkflow(
    "insert workflow",
    "INSERT INTO workflows (workflow_key, tenant_key, name, newest) VALUES (:key, :tenant, :name::text, :newest)");
const Statement kUpdateWorkflow(
    "update workflow", "UPDATE workflows SET newest = :newest, removed_us = :removed WHERE workflow_key = :key");
const Statement kInsertWorkflowVersion(
    "insert a workflow's version",
    "INSERT INTO workflow_versions (workflow_key, version, body) VALUES (:key, :version, :body::text)");
const Query<WorkflowVersion> kWorkflowVersions(
    "versions of workflows",
    "SELECT s.workflow_key, s.version, s.body FROM workflow_versions s {, rows} WHERE "
    "s.workflow_key = :key AND s.version = :version",
    [](Columns& row) {
        return WorkflowVersion{{row.integer(), row.integer()}, row.view()};
    });
const Query<WorkflowHead> kWorkflowNames(
    "workflows by name",
    "SELECT name, newest FROM workflows WHERE tenant_key = :tenant AND name > :after::text AND removed_us IS NULL "
    "ORDER BY name LIMIT :limit",
    [](Columns& row) {
        return WorkflowHead{row.text(), row.integer()};
    });

const Statement kInsertWorkflowRun("insert workflow run",
                                   "INSERT INTO walks (schedule_key, slot, workflow_key, version, events, deadline_us) "
                                   "{values} :key, :slot, :workflow, :version, 1, :deadline {end values, rows}");
const Statement kEndWorkflowRun(
    "end workflow run",
    "UPDATE walks SET deadline_us = NULL {rows} WHERE walks.schedule_key = :key AND walks.slot = :slot");
// Reserves the next event numbers and returns the last one.
const Query<RunEventCount> kCountRunEvents(
    "count events of runs",
    "UPDATE walks SET events = walks.events + :more {rows} WHERE walks.schedule_key = :key AND walks.slot = :slot "
    "RETURNING walks.schedule_key, walks.slot, walks.events",
    read_event_count);
const Query<WorkflowRunHead> kWorkflowRunsByKey(
    "walks",
    "SELECT s.schedule_key, s.slot, s.workflow_key, s.version, s.events, s.deadline_us FROM walks s {, rows} "
    "WHERE s.schedule_key = :key AND s.slot = :slot",
    [](Columns& row) {
        return WorkflowRunHead{row.run_key(), {row.integer(), row.integer()}, row.integer(), row.optional_instant()};
    });
const Query<RunEventCount> kLockWorkflowRuns(
    "lock walks",
    "SELECT s.schedule_key, s.slot, s.events FROM walks s {, rows} "
    "WHERE s.schedule_key = :key AND s.slot = :slot AND s.deadline_us IS NOT NULL {for update}",
    read_event_count);
const Query<OverdueRun> kOverdueWorkflowRuns(
    "overdue walks",
    "SELECT w.schedule_key, w.slot, w.deadline_us, t.name FROM walks w JOIN schedules c ON c.schedule_key = "
    "w.schedule_key "
    "JOIN tenants t ON t.tenant_key = c.tenant_key WHERE w.deadline_us < :now ORDER BY w.deadline_us LIMIT :limit",
    read_overdue_run);
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
const Query<Result<NodeRow>> kNodesOfRuns(
    "nodes of runs",
    "SELECT s.schedule_key, s.slot, s.node, s.status, s.attempts, s.attempts_before, s.redeliveries, s.queue, "
    "s.assignee, s.ready_us, "
    "s.timeout_us, s.started_us, s.completed_us, s.input, s.result, s.error, s.category, l.attempt, l.since_us, "
    "l.worker "
    "FROM run_nodes s LEFT JOIN leases l ON l.schedule_key = s.schedule_key AND l.slot = s.slot AND l.node = s.node "
    "{, rows} WHERE s.schedule_key = :key AND s.slot = :slot",
    read_node_row);
const Query<NodeProgress> kNodeOfRun(
    "node of a run",
    "SELECT status, attempts, ready_us, completed_us FROM run_nodes "
    "WHERE schedule_key = :key AND slot = :slot AND node = :node::text",
    [](Columns& row) {
        return NodeProgress{row.as<model::NodeStatus>(), row.small(), row.instant(), row.optional_instant()};
    });
const Statement kInsertRunEvent(
    "insert event of a run",
    "INSERT INTO run_events (schedule_key, slot, sequence, type, at_us, node, payload) "
    "{values} :key, :slot, :sequence, :type::text, :at, :node::text, :payload::text {end values, rows}");
const Query<Result<model::RunEvent>> kRunEvents(
    "events of a run",
    "SELECT sequence, type, at_us, node, payload FROM run_events WHERE schedule_key = :key AND slot = :slot "
    "AND sequence > :after ORDER BY sequence LIMIT :limit",
    read_run_event);

const Statement kInsertDeadLetter("insert dead letter",
                                  "INSERT INTO dead_letters (tenant_key, failed_us, slot, schedule_key) "
                                  "{values} :tenant, :failed, :slot, :key {end values, rows}");
const Statement kDeleteDeadLetter(
    "delete dead letter",
    "DELETE FROM dead_letters {using rows} WHERE dead_letters.schedule_key = :key AND dead_letters.slot = :slot");
const Query<RunRow> kDeadLetters(
    "dead letters",
    "SELECT " + kRunColumns +
        " FROM dead_letters d JOIN runs r_ ON r_.schedule_key = d.schedule_key AND r_.slot = d.slot" + kLeaseOfRun +
        "WHERE d.tenant_key = :tenant AND (d.failed_us, d.slot, d.schedule_key) < (:failed, :slot, :key) "
        "ORDER BY d.failed_us DESC, d.slot DESC, d.schedule_key DESC LIMIT :limit",
    read_run);

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
