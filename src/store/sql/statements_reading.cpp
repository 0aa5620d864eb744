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

const std::string kScheduleColumns = "c.id, c.tenant_key, c.version, d.body, " + kStateColumns;
const std::string kScheduleTables =
    " FROM schedules c JOIN definitions d ON d.schedule_key = c.schedule_key AND d.version = c.version "
    "JOIN schedule_state s ON s.schedule_key = c.schedule_key ";

}  // namespace

const Statement kSchedule("schedule", "SELECT " + kScheduleColumns + kScheduleTables + "WHERE c.schedule_key = :key");

const Statement kRunsByKey("runs",
                           "SELECT " + kRunColumns + " FROM runs r_" + kLeaseOfRun + "{, rows} WHERE r_.schedule_key = :key AND r_.slot = :slot");
const Statement kRunsOfSchedule("runs of a schedule", kRunsFrom + kOfSchedule + kNewestFirst);
const Statement kRunsOfScheduleStanding("runs of a schedule by state", kRunsFrom + kOfSchedule + "AND r_.standing = :standing " + kNewestFirst);
const Statement kRunsOfScheduleSucceeded("succeeded runs of a schedule", kRunsFrom + kOfSchedule + "AND r_.execution = 4 " + kNewestFirst);
const Statement kRunsOfTenant("runs of a tenant", kRunsFrom + kOfTenant + kNewestOfAllFirst);
const Statement kRunsOfTenantStanding("runs of a tenant by state", kRunsFrom + kOfTenant + "AND r_.standing = :standing " + kNewestOfAllFirst);
const Statement kRunsOfTenantSucceeded("succeeded runs of a tenant", kRunsFrom + kOfTenant + "AND r_.execution = 4 " + kNewestOfAllFirst);

// What is under way is found from the small tables of tasks, not from the long one of runs: the plus signs keep its index by
// time out of it.
const std::string kUnderWay =
    "+r_.tenant_key = :tenant AND (+r_.slot, +r_.schedule_key) < (:before, :before_key) AND +r_.slot >= :from AND r_.execution = 2 "
    "AND (:schedule IS NULL OR r_.schedule_key = :schedule) ";
const Statement kRunsRunning("running runs", "SELECT " + kRunColumns +
                                                 " FROM leases l JOIN runs r_ ON r_.schedule_key = l.schedule_key AND r_.slot = l.slot WHERE " +
                                                 kUnderWay + kNewestOfAllFirst);
const Statement kRunsQueued("queued runs",
                            "SELECT " + kRunColumns +
                                " FROM (SELECT schedule_key, slot FROM ready_tasks UNION ALL SELECT schedule_key, slot FROM delayed_tasks) q "
                                "JOIN runs r_ ON r_.schedule_key = q.schedule_key AND r_.slot = q.slot" +
                                kLeaseOfRun + "WHERE " + kUnderWay + kNewestOfAllFirst);

const Statement kSchedulesByName("schedules by name", "SELECT " + kScheduleColumns + kScheduleTables +
                                                          "WHERE c.tenant_key = :tenant AND c.status <> 3 AND (c.name, c.schedule_key) > "
                                                          "(:after::text, :after_key) AND c.name >= :prefix::text AND c.name < :end::text "
                                                          "ORDER BY c.name, c.schedule_key LIMIT :limit");
const Statement kSchedulesByStatus("schedules by status", "SELECT " + kScheduleColumns + kScheduleTables +
                                                              "WHERE c.tenant_key = :tenant AND c.status = :status AND (c.name, c.schedule_key) > "
                                                              "(:after::text, :after_key) AND c.name >= :prefix::text AND c.name < :end::text "
                                                              "ORDER BY c.name, c.schedule_key LIMIT :limit");
const Statement kSchedulesByLabel(
    "schedules by label", "SELECT " + kScheduleColumns +
                              " FROM schedule_labels b JOIN schedules c ON c.schedule_key = b.schedule_key "
                              "JOIN definitions d ON d.schedule_key = c.schedule_key AND d.version = c.version "
                              "JOIN schedule_state s ON s.schedule_key = c.schedule_key WHERE b.tenant_key = :tenant AND b.label = :label::text "
                              "AND b.value = :value::text AND (b.name, b.schedule_key) > (:after::text, :after_key) AND b.name >= :prefix::text "
                              "AND b.name < :end::text AND (c.status = :status OR (:status IS NULL AND c.status <> 3)) "
                              "ORDER BY b.name, b.schedule_key LIMIT :limit");

const Statement kEvents("events",
                        "SELECT sequence, type, recorded_us, payload, hash FROM events WHERE schedule_key = :key AND sequence > :after "
                        "ORDER BY sequence LIMIT :limit");
const Statement kUpcoming("upcoming",
                          "SELECT schedule_key, next_fire_us FROM schedule_state WHERE schedule_key > :after AND next_fire_us IS NOT NULL "
                          "ORDER BY schedule_key LIMIT :limit");

const Statement kNthNewestSlot("nth newest slot", "SELECT slot FROM runs WHERE schedule_key = :key ORDER BY slot DESC LIMIT 1 OFFSET :keep");
// What was skipped, and what has ended.
const Statement kDeleteRuns(
    "delete runs",
    "DELETE FROM runs WHERE schedule_key = :key AND slot IN (SELECT slot FROM runs WHERE schedule_key = :key AND slot < :before "
    "AND (dispatch = 2 OR execution >= 4) AND slot <> :spared AND slot <> :spared_too ORDER BY slot LIMIT :limit) RETURNING slot");

}  // namespace belfry::store::sql
