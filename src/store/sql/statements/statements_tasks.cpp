#include "store/sql/statements/statements_tasks.hpp"

namespace belfry::store::sql {

namespace {

const std::string kTaskColumns = "rank, ready_us, schedule_key, slot, node, attempt, timeout_us";
QueuedTask read_queued_task(Columns& row) {
    return {row.integer(), row.integer(), row.run_key(), row.text(), row.integer(), row.optional_integer()};
}

const std::string kLeaseColumns =
    "schedule_key, slot, attempt, node, worker, since_us, until_us, deadline_us, renewed_us, queue_key";
LeaseRow read_lease(Columns& row) {
    const auto run = row.run_key();
    return {run,
            {{model::run_id(run.schedule, run.slot), row.small(), row.text()},
             row.text(),
             row.instant(),
             row.instant(),
             row.optional_instant(),
             row.instant()},
            row.integer()};
}

// The queues of a range that have tasks, in order. Jumps from queue to queue, however many tasks each has.
std::string queues_in(const std::string& table) {
    const auto next = [&table](const char* from) {
        return "(SELECT s.queue_key FROM " + table + " s WHERE s.queue_key " + from +
               " AND s.queue_key <= :last ORDER BY s.queue_key LIMIT 1)";
    };
    return "WITH RECURSIVE found(queue_key) AS (SELECT " + next(">= :first") + " UNION ALL SELECT " +
           next("> found.queue_key") +
           " FROM found WHERE found.queue_key IS NOT NULL) "
           "SELECT found.queue_key FROM found WHERE found.queue_key IS NOT NULL ";
}

}  // namespace

const Query<std::int64_t> kWaitingLines(
    "queues in which tasks wait",
    "SELECT :first {rows} "
    "WHERE EXISTS (SELECT 1 FROM ready_tasks s WHERE s.queue_key >= :first AND s.queue_key <= :last) "
    "OR EXISTS (SELECT 1 FROM delayed_tasks s WHERE s.queue_key >= :first AND s.queue_key <= :last)",
    read_integer);
const Query<std::int64_t> kReadyQueues("queues with ready tasks", queues_in("ready_tasks") + "LIMIT :limit",
                                       read_integer);
const Query<std::int64_t> kDueQueues("queues with delayed tasks that are due",
                                     queues_in("delayed_tasks") +
                                         "AND EXISTS (SELECT 1 FROM delayed_tasks s WHERE s.queue_key = "
                                         "found.queue_key AND s.ready_us <= :now) LIMIT :limit",
                                     read_integer);
const Query<QueuedTask> kPickDelayed(
    "pick delayed tasks",
    "SELECT " + kTaskColumns +
        " FROM delayed_tasks s "
        "WHERE s.queue_key = :queue AND s.ready_us <= :now ORDER BY s.queue_key, s.ready_us LIMIT :limit {skip locked}",
    read_queued_task);
const Statement kDeleteDelayed(
    "delete delayed tasks",
    "DELETE FROM delayed_tasks {using rows} WHERE delayed_tasks.queue_key = :queue AND delayed_tasks.ready_us = :ready "
    "AND delayed_tasks.schedule_key = :key AND delayed_tasks.slot = :slot AND delayed_tasks.node = :node::text "
    "{any delayed_tasks.queue_key = :queue} {any delayed_tasks.ready_us = :ready}");
// Returns tasks in any order, with their sort columns. Every task in this table is ready, even if the clock was set
// back since.
const Query<QueuedTask> kPickReady(
    "pick ready tasks",
    "DELETE FROM ready_tasks WHERE {is a task of} FROM ready_tasks s "
    "WHERE s.queue_key = :queue "
    "ORDER BY s.rank, s.ready_us, s.schedule_key, s.slot, s.node LIMIT :limit {skip locked} {end of those} "
    "RETURNING " +
        kTaskColumns,
    read_queued_task);
// A run without an input of its own has that of its definition, which is no larger than all of it.
const Query<TaskBytes> kTaskBytes(
    "bytes of tasks",
    "SELECT s.schedule_key, s.slot, {octets}s.input{end octets}, {octets}d.body{end octets} FROM runs s "
    "JOIN definitions d ON d.schedule_key = s.schedule_key AND d.version = s.version {, rows} "
    "WHERE s.schedule_key = :key AND s.slot = :slot",
    [](Columns& row) {
        return TaskBytes{row.run_key(), row.optional_integer(), row.integer()};
    });
const Query<NodeBytes> kNodeBytes(
    "bytes of nodes' inputs",
    "SELECT s.schedule_key, s.slot, s.node, {octets}s.input{end octets} FROM run_nodes s {, rows} "
    "WHERE s.schedule_key = :key AND s.slot = :slot AND s.node = :node::text {any s.schedule_key = :key}",
    [](Columns& row) {
        return NodeBytes{row.run_key(), row.text(), row.integer()};
    });
const Statement kLockReady(
    "lock a ready task",
    "SELECT s.attempt FROM ready_tasks s WHERE s.queue_key = :queue AND s.rank = :rank AND s.ready_us = :ready "
    "AND s.schedule_key = :key AND s.slot = :slot AND s.node = :node::text {for update}");
const Statement kLockDelayed("lock a delayed task",
                             "SELECT s.attempt FROM delayed_tasks s WHERE s.queue_key = :queue AND s.ready_us = :ready "
                             "AND s.schedule_key = :key AND s.slot = :slot "
                             "AND s.node = :node::text {for update}");
const Statement kInsertLease("insert lease",
                             "INSERT INTO leases (schedule_key, slot, node, attempt, worker, since_us, renewed_us, "
                             "until_us, deadline_us, queue_key) "
                             "{values} :key, :slot, :node::text, :attempt, :worker::text, :since, :since, :until, "
                             ":deadline, :queue {end values, rows}");
// For a lease that was renewed before a step of the clock.
const std::string kMovedDeadline = "leases.deadline_us + CASE WHEN leases.renewed_us < :before THEN :by ELSE 0 END";
const Query<HeldLease> kHeartbeat(
    "heartbeat",
    "UPDATE leases SET deadline_us = " + kMovedDeadline + ", until_us = CASE WHEN " + kMovedDeadline +
        " < :until THEN " + kMovedDeadline +
        " ELSE :until END, renewed_us = :now "
        "{rows} WHERE leases.schedule_key = :key AND leases.slot = :slot AND leases.node = :node::text "
        "AND leases.attempt = :attempt {any leases.schedule_key = :key} RETURNING leases.schedule_key, "
        "leases.slot, leases.attempt, leases.node",
    [](Columns& row) {
        return HeldLease{row.run_key(), row.integer(), row.text()};
    });
const Query<LeaseRow> kExpiredLeases(
    "expired leases",
    "SELECT " + kLeaseColumns + " FROM (SELECT " + kLeaseColumns +
        " FROM leases WHERE until_us < :now ORDER BY until_us, schedule_key, slot, node LIMIT :limit) ran_out "
        "UNION ALL SELECT " +
        kLeaseColumns + " FROM (SELECT " + kLeaseColumns +
        " FROM leases WHERE renewed_us > :latest AND until_us >= :now ORDER BY renewed_us LIMIT :limit) to_come",
    read_lease);
const Query<LeaseRow> kLockLeases("lock leases",
                                  "SELECT " + kLeaseColumns +
                                      " FROM leases s {, rows} "
                                      "WHERE s.schedule_key = :key AND s.slot = :slot AND s.node = :node::text {any "
                                      "s.schedule_key = :key} {for update}",
                                  read_lease);
// A report that ends its attempt takes the lease: most are accepted, and so read and remove it in one step.
const Query<LeaseRow> kTakeLeases("take leases",
                                  "DELETE FROM leases {using rows} WHERE leases.schedule_key = :key "
                                  "AND leases.slot = :slot AND leases.node = :node::text "
                                  "AND leases.attempt = :attempt {any leases.schedule_key = :key} RETURNING " +
                                      kLeaseColumns,
                                  read_lease);
const Statement kRestoreLease("restore lease",
                              "INSERT INTO leases (schedule_key, slot, node, attempt, worker, since_us, renewed_us, "
                              "until_us, deadline_us, queue_key) "
                              "{values} :key, :slot, :node::text, :attempt, :worker::text, :since, :renewed, :until, "
                              ":deadline, :queue {end values, rows}");
// The time limit of the first worker no longer applies.
const Statement kPassOn(
    "pass leases on",
    "UPDATE leases SET worker = :worker::text, until_us = :until, deadline_us = :until, renewed_us = :now {rows} "
    "WHERE leases.schedule_key = :key AND leases.slot = :slot AND leases.node = :node::text {any leases.schedule_key = "
    ":key}");
const Statement kRedate(
    "redate leases",
    "UPDATE leases SET until_us = :until, deadline_us = :deadline, renewed_us = :now {rows} "
    "WHERE leases.schedule_key = :key AND leases.slot = :slot AND leases.node = :node::text AND leases.attempt = "
    ":attempt "
    "AND leases.until_us = :before AND leases.renewed_us = :renewed {any leases.schedule_key = :key}");
const Statement kDeleteLease("delete lease",
                             "DELETE FROM leases {using rows} WHERE leases.schedule_key = :key AND leases.slot = :slot "
                             "AND leases.node = :node::text {any leases.schedule_key = :key}");
const Statement kDeleteLeasesOfRun(
    "delete the leases of a run",
    "DELETE FROM leases {using rows} WHERE leases.schedule_key = :key AND leases.slot = :slot "
    "{any leases.schedule_key = :key}");

}  // namespace belfry::store::sql
