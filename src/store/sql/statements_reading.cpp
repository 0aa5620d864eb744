// The statements that read lists and single things.
#include "store/sql/columns.hpp"
#include "store/sql/statements.hpp"

namespace belfry::store::sql {

namespace {

const std::string kRunsFrom = "SELECT " + kRunColumns + " FROM runs r_" + kLeaseOfRun + "WHERE ";
const std::string kOfSchedule = "r_.schedule_key = :schedule AND r_.slot < :before AND r_.slot >= :from ";
const std::string kNewestFirst = "ORDER BY r_.slot DESC LIMIT :limit";
const std::string kOfTenant = "r_.tenant_key = :tenant AND (r_.slot, r_.schedule_key) < (:before, :before_key) AND r_.slot >= :from ";
const std::string kNewestOfAllFirst = "ORDER BY r_.slot DESC, r_.schedule_key DESC LIMIT :limit";

}  // namespace

const Statement kRunsByKey("runs",
                           "SELECT " + kRunColumns + " FROM runs r_" + kLeaseOfRun + "{, rows} WHERE r_.schedule_key = :key AND r_.slot = :slot");
const Statement kRunsOfSchedule("runs of a schedule", kRunsFrom + kOfSchedule + kNewestFirst);
const Statement kRunsOfScheduleStanding("runs of a schedule by state", kRunsFrom + kOfSchedule + "AND r_.standing = :standing " + kNewestFirst);
const Statement kRunsOfScheduleSucceeded("succeeded runs of a schedule", kRunsFrom + kOfSchedule + "AND r_.execution = 4 " + kNewestFirst);
const Statement kRunsOfTenant("runs of a tenant", kRunsFrom + kOfTenant + kNewestOfAllFirst);
const Statement kRunsOfTenantStanding("runs of a tenant by state", kRunsFrom + kOfTenant + "AND r_.standing = :standing " + kNewestOfAllFirst);
const Statement kRunsOfTenantSucceeded("succeeded runs of a tenant", kRunsFrom + kOfTenant + "AND r_.execution = 4 " + kNewestOfAllFirst);

// What is under way is found from the small tables of tasks, not from the long one of runs: the plus signs keep its index by
// time out of it. A run that walks a workflow says itself that it has begun; before that, all its nodes may wait for approval.
const std::string kUnderWay =
    "+r_.tenant_key = :tenant AND (+r_.slot, +r_.schedule_key) < (:before, :before_key) AND +r_.slot >= :from "
    "AND (:schedule IS NULL OR r_.schedule_key = :schedule) ";
const std::string kFromTasks = ") q JOIN runs r_ ON r_.schedule_key = q.schedule_key AND r_.slot = q.slot" + kLeaseOfRun + "WHERE " + kUnderWay;
const Statement kRunsRunning("running runs", "SELECT " + kRunColumns +
                                                 " FROM (SELECT schedule_key, slot FROM leases WHERE node = '' UNION ALL "
                                                 "SELECT schedule_key, slot FROM walks WHERE deadline_us IS NOT NULL" +
                                                 kFromTasks + "AND (r_.execution = 3 OR (r_.execution = 2 AND l.attempt IS NOT NULL)) " +
                                                 kNewestOfAllFirst);
const Statement kRunsQueued("queued runs", "SELECT " + kRunColumns +
                                               " FROM (SELECT schedule_key, slot FROM ready_tasks UNION SELECT schedule_key, slot FROM delayed_tasks "
                                               "UNION SELECT schedule_key, slot FROM approvals WHERE status = 0" +
                                               kFromTasks + "AND r_.execution = 2 " + kNewestOfAllFirst);

const Statement kEvents("events",
                        "SELECT sequence, type, recorded_us, payload, hash FROM events WHERE schedule_key = :key AND sequence > :after "
                        "ORDER BY sequence LIMIT :limit");
const Statement kUpcoming("upcoming",
                          "SELECT s.schedule_key, s.next_fire_us, c.tenant_key FROM schedule_state s JOIN schedules c "
                          "ON c.schedule_key = s.schedule_key WHERE s.schedule_key > :after AND s.next_fire_us IS NOT NULL "
                          "ORDER BY s.schedule_key LIMIT :limit");
const Statement kLook("look",
                      "SELECT s.schedule_key, s.next_fire_us, c.tenant_key FROM schedule_state s JOIN schedules c "
                      "ON c.schedule_key = s.schedule_key {, rows} WHERE s.schedule_key = :key");

const Statement kNthNewestSlot("nth newest slot", "SELECT slot FROM runs WHERE schedule_key = :key ORDER BY slot DESC LIMIT 1 OFFSET :keep");
// The oldest run of each schedule that may be forgotten, if there is one, and the newest that is beyond those to keep.
const std::string kOldestHistory =
    "(SELECT h.slot FROM runs h WHERE h.schedule_key = s.schedule_key AND (h.dispatch = 2 OR h.execution >= 4) "
    "AND h.slot <> COALESCE(s.last_run_slot, -1) AND h.slot <> COALESCE(s.last_completed_slot, -1) ORDER BY h.slot LIMIT 1)";
const std::string kPageOfSchedules = " FROM schedule_state s WHERE s.schedule_key > :after ORDER BY s.schedule_key LIMIT :schedules";
const Statement kPrunable("prunable schedules", "SELECT s.schedule_key, " + kOldestHistory + ", NULL" + kPageOfSchedules);
const Statement kPrunableBeyond("prunable schedules beyond the newest",
                                "SELECT s.schedule_key, " + kOldestHistory +
                                    ", (SELECT n.slot FROM runs n WHERE n.schedule_key = s.schedule_key ORDER BY n.slot DESC LIMIT 1 "
                                    "OFFSET :keep)" +
                                    kPageOfSchedules);
// What was skipped, and what has ended.
const Statement kDeleteRuns(
    "delete runs",
    "DELETE FROM runs WHERE schedule_key = :key AND slot IN (SELECT slot FROM runs WHERE schedule_key = :key AND slot < :before "
    "AND (dispatch = 2 OR execution >= 4) AND slot <> :spared AND slot <> :spared_too ORDER BY slot LIMIT :limit) RETURNING slot");

}  // namespace belfry::store::sql
