// The statements of tasks and leases.
#include "store/sql/statements.hpp"

namespace belfry::store::sql {

const Statement kPickDelayed("pick delayed tasks",
                             "SELECT s.queue_key, s.rank, s.ready_us, s.schedule_key, s.slot, s.attempt FROM delayed_tasks s "
                             "WHERE s.ready_us <= :now ORDER BY s.ready_us LIMIT :limit {skip locked}");
const Statement kDeleteDelayed("delete delayed tasks",
                               "DELETE FROM delayed_tasks {using rows} WHERE delayed_tasks.ready_us = :ready "
                               "AND delayed_tasks.schedule_key = :key AND delayed_tasks.slot = :slot");
const Statement kPickReady(
    "pick ready tasks",
    "SELECT s.rank, s.ready_us, s.schedule_key, s.slot, s.attempt FROM ready_tasks s WHERE s.queue_key = :queue AND s.ready_us <= :now "
    "ORDER BY s.rank, s.ready_us, s.schedule_key, s.slot LIMIT :limit {skip locked}");
const Statement kDeleteReady("delete ready tasks",
                             "DELETE FROM ready_tasks {using rows} WHERE ready_tasks.queue_key = :queue AND ready_tasks.rank = :rank "
                             "AND ready_tasks.ready_us = :ready AND ready_tasks.schedule_key = :key AND ready_tasks.slot = :slot");
const Statement kLockReady("lock a ready task",
                           "SELECT s.attempt FROM ready_tasks s WHERE s.queue_key = :queue AND s.rank = :rank AND s.ready_us = :ready "
                           "AND s.schedule_key = :key AND s.slot = :slot {for update}");
const Statement kLockDelayed(
    "lock a delayed task",
    "SELECT s.attempt FROM delayed_tasks s WHERE s.ready_us = :ready AND s.schedule_key = :key AND s.slot = :slot {for update}");
const Statement kStatusOfRuns("status of runs",
                              "SELECT s.schedule_key, s.slot, s.execution FROM runs s {, rows} WHERE s.schedule_key = :key AND s.slot = :slot");
const Statement kInsertLease("insert lease",
                             "INSERT INTO leases (schedule_key, slot, attempt, worker, since_us, until_us, queue_key) "
                             "{values} :key, :slot, :attempt, :worker::text, :since, :until, :queue {end values, rows}");
const Statement kHeartbeat("heartbeat",
                           "UPDATE leases SET until_us = :until {rows} WHERE leases.schedule_key = :key AND leases.slot = :slot "
                           "AND leases.attempt = :attempt RETURNING leases.schedule_key, leases.slot, leases.attempt");
const Statement kExpiredLeases("expired leases",
                               "SELECT schedule_key, slot, attempt, worker, since_us, until_us FROM leases WHERE until_us < :now "
                               "ORDER BY schedule_key, slot LIMIT :limit");
const Statement kLockLeases("lock leases",
                            "SELECT s.schedule_key, s.slot, s.attempt, s.since_us, s.until_us, s.worker FROM leases s {, rows} "
                            "WHERE s.schedule_key = :key AND s.slot = :slot {for update}");

}  // namespace belfry::store::sql
