// Statements that read lists and single records.
#include "store/sql/statements/columns.hpp"
#include "store/sql/statements/statements.hpp"

namespace belfry::store::sql {

namespace {

const std::string kRunsFrom = "SELECT " + kRunColumns + " FROM runs r_" + kLeaseOfRun + "WHERE ";
const std::string kOfSchedule = "r_.schedule_key = :schedule AND r_.slot < :before AND r_.slot >= :from ";
const std::string kNewestFirst = "ORDER BY r_.slot DESC LIMIT :limit";
const std::string kOfTenant =
    "r_.tenant_key = :tenant AND (r_.slot, r_.schedule_key) < (:before, :before_key) AND r_.slot >= :from ";
const std::string kNewestOfAllFirst = "ORDER BY r_.slot DESC, r_.schedule_key DESC LIMIT :limit";

}  // namespace

const Statement kRunsByKey("runs", "SELECT " + kRunColumns + " FROM runs r_" + kLeaseOfRun +
                                       "{, rows} WHERE r_.schedule_key = :key AND r_.slot = :slot");
const Statement kRunsOfSchedule("runs of a schedule", kRunsFrom + kOfSchedule + kNewestFirst);
const Statement kRunsOfScheduleStanding("runs of a schedule by state",
                                        kRunsFrom + kOfSchedule + "AND r_.standing = :standing " + kNewestFirst);
const Statement kRunsOfScheduleSucceeded("succeeded runs of a schedule",
                                         kRunsFrom + kOfSchedule + "AND r_.execution = 4 " + kNewestFirst);
const Statement kRunsOfTenant("runs of a tenant", kRunsFrom + kOfTenant + kNewestOfAllFirst);
const Statement kRunsOfTenantStanding("runs of a tenant by state",
                                      kRunsFrom + kOfTenant + "AND r_.standing = :standing " + kNewestOfAllFirst);
const Statement kRunsOfTenantSucceeded("succeeded runs of a tenant",
                                       kRunsFrom + kOfTenant + "AND r_.execution = 4 " + kNewestOfAllFirst);

// Finds runs in flight from the small task tables, not from the large table of runs: the plus signs prevent the use
// of its index by time. A workflow run itself records that it has started; before that, all its nodes may wait for
// approval.
const std::string kUnderWay =
    "+r_.tenant_key = :tenant AND (+r_.slot, +r_.schedule_key) < (:before, :before_key) AND +r_.slot >= :from "
    "AND (:schedule IS NULL OR r_.schedule_key = :schedule) ";
const std::string kFromTasks =
    ") q JOIN runs r_ ON r_.schedule_key = q.schedule_key AND r_.slot = q.slot" + kLeaseOfRun + "WHERE " + kUnderWay;
const Statement kRunsRunning("running runs",
                             "SELECT " + kRunColumns +
                                 " FROM (SELECT schedule_key, slot FROM leases WHERE node = '' UNION ALL "
                                 "SELECT schedule_key, slot FROM walks WHERE deadline_us IS NOT NULL" +
                                 kFromTasks +
                                 "AND (r_.execution = 3 OR (r_.execution = 2 AND l.attempt IS NOT NULL)) " +
                                 kNewestOfAllFirst);
const Statement kRunsQueued(
    "queued runs",
    "SELECT " + kRunColumns +
        " FROM (SELECT schedule_key, slot FROM ready_tasks UNION SELECT schedule_key, slot FROM delayed_tasks "
        "UNION SELECT schedule_key, slot FROM approvals WHERE status = 0" +
        kFromTasks + "AND r_.execution = 2 " + kNewestOfAllFirst);

const Statement kEvents(
    "events",
    "SELECT sequence, type, recorded_us, payload, hash FROM events WHERE schedule_key = :key AND sequence > :after "
    "ORDER BY sequence LIMIT :limit");
// The same condition as waits_for_release.
const std::string kWaits = "(s.buffered > 0 AND s.in_flight = 0 AND s.status IN (0, 2))";
// Reads only schedules that may fire: only their index has this order, so no plan reads the ended ones.
const Statement kUpcoming(
    "upcoming",
    "SELECT s.schedule_key, s.next_fire_us, c.tenant_key, CASE WHEN " + kWaits +
        " THEN 1 ELSE 0 END FROM schedules c JOIN schedule_state s "
        "ON s.schedule_key = c.schedule_key WHERE (c.ended_us, c.schedule_key) > (0, :after) AND c.ended_us <= 0 "
        "AND (s.next_fire_us IS NOT NULL OR " +
        kWaits + ") ORDER BY c.ended_us, c.schedule_key LIMIT :limit");
const Statement kLook("look", "SELECT s.schedule_key, s.next_fire_us, c.tenant_key, CASE WHEN " + kWaits +
                                  " THEN 1 ELSE 0 END FROM schedule_state s JOIN schedules c "
                                  "ON c.schedule_key = s.schedule_key {, rows} WHERE s.schedule_key = :key");

}  // namespace belfry::store::sql
