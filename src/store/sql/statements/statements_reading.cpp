#include "store/sql/statements/statements_reading.hpp"

#include "base/crypto/sha256.hpp"
#include "store/sql/values.hpp"

namespace belfry::store::sql {

namespace {

const std::string kRunsFrom = "SELECT " + kRunColumns + " FROM runs r_" + kLeaseOfRun + "WHERE ";
const std::string kOfSchedule = "r_.schedule_key = :schedule AND r_.slot < :before AND r_.slot >= :from ";
const std::string kNewestFirst = "ORDER BY r_.slot DESC LIMIT :limit";
const std::string kOfTenant =
    "r_.tenant_key = :tenant AND (r_.slot, r_.schedule_key) < (:before, :before_key) AND r_.slot >= :from ";
const std::string kNewestOfAllFirst = "ORDER BY r_.slot DESC, r_.schedule_key DESC LIMIT :limit";

Result<EventRecord> read_event(Columns& row) {
    EventRecord record{{row.integer(), row.as<model::EventType>(), row.instant()}, {}};
    auto payload = parse_stored(row.view());
    if (!payload) return payload.error();
    record.event.payload = std::move(*payload);
    record.hash = to_hex(row.view());
    return record;
}

Upcoming read_upcoming(Columns& row) { return {row.integer(), row.optional_instant(), row.integer(), row.flag()}; }

}  // namespace

const Query<RunRow> kRunsByKey("runs",
                               "SELECT " + kRunColumns + " FROM runs r_" + kLeaseOfRun +
                                   "{, rows} WHERE r_.schedule_key = :key AND r_.slot = :slot",
                               read_run);
const Query<RunRow> kRunsAlone("runs without leases",
                               "SELECT " + kRunColumnsAlone +
                                   " FROM runs r_ {, rows} WHERE r_.schedule_key = :key AND r_.slot = :slot",
                               read_run);
const Query<RunRow> kRunsOfSchedule("runs of a schedule", kRunsFrom + kOfSchedule + kNewestFirst, read_run);
const Query<RunRow> kRunsOfScheduleStanding("runs of a schedule by state",
                                            kRunsFrom + kOfSchedule + "AND r_.standing = :standing " + kNewestFirst,
                                            read_run);
const Query<RunRow> kRunsOfScheduleSucceeded("succeeded runs of a schedule",
                                             kRunsFrom + kOfSchedule + "AND r_.execution = 4 " + kNewestFirst,
                                             read_run);
const Query<RunRow> kRunsOfTenant("runs of a tenant", kRunsFrom + kOfTenant + kNewestOfAllFirst, read_run);
const Query<RunRow> kRunsOfTenantStanding("runs of a tenant by state",
                                          kRunsFrom + kOfTenant + "AND r_.standing = :standing " + kNewestOfAllFirst,
                                          read_run);
const Query<RunRow> kRunsOfTenantSucceeded("succeeded runs of a tenant",
                                           kRunsFrom + kOfTenant + "AND r_.execution = 4 " + kNewestOfAllFirst,
                                           read_run);

// Finds runs in flight from the small task tables, not from the large table of runs: the plus signs prevent the use
// of its index by time. A workflow run itself records that it has started; before that, all its nodes may wait for
// approval.
const std::string kUnderWay =
    "+r_.tenant_key = :tenant AND (+r_.slot, +r_.schedule_key) < (:before, :before_key) AND +r_.slot >= :from "
    "AND (:schedule IS NULL OR r_.schedule_key = :schedule) ";
const std::string kFromTasks =
    ") q JOIN runs r_ ON r_.schedule_key = q.schedule_key AND r_.slot = q.slot" + kLeaseOfRun + "WHERE " + kUnderWay;
const Query<RunRow> kRunsRunning("running runs",
                                 "SELECT " + kRunColumns +
                                     " FROM (SELECT schedule_key, slot FROM leases WHERE node = '' UNION ALL "
                                     "SELECT schedule_key, slot FROM walks WHERE deadline_us IS NOT NULL" +
                                     kFromTasks +
                                     "AND (r_.execution = 3 OR (r_.execution = 2 AND l.attempt IS NOT NULL)) " +
                                     kNewestOfAllFirst,
                                 read_run);
const Query<RunRow> kRunsQueued(
    "queued runs",
    "SELECT " + kRunColumns +
        " FROM (SELECT schedule_key, slot FROM ready_tasks UNION SELECT schedule_key, slot FROM delayed_tasks "
        "UNION SELECT schedule_key, slot FROM approvals WHERE status = 0" +
        kFromTasks + "AND r_.execution = 2 " + kNewestOfAllFirst,
    read_run);

const Query<Result<EventRecord>> kEvents(
    "events",
    "SELECT sequence, type, recorded_us, payload, hash FROM events WHERE schedule_key = :key AND sequence > :after "
    "ORDER BY sequence LIMIT :limit",
    read_event);
// The same condition as waits_for_release.
const std::string kWaits = "(s.buffered > 0 AND s.in_flight = 0 AND s.status IN (0, 2))";
// Reads only schedules that may fire: only their index has this order, so no plan reads the ended ones.
const Query<Upcoming> kUpcoming(
    "upcoming",
    "SELECT s.schedule_key, s.next_fire_us, c.tenant_key, CASE WHEN " + kWaits +
        " THEN 1 ELSE 0 END FROM schedules c JOIN schedule_state s "
        "ON s.schedule_key = c.schedule_key WHERE (c.ended_us, c.schedule_key) > (0, :after) AND c.ended_us <= 0 "
        "AND (s.next_fire_us IS NOT NULL OR " +
        kWaits + ") ORDER BY c.ended_us, c.schedule_key LIMIT :limit",
    read_upcoming);
const Query<Upcoming> kLook("look",
                            "SELECT s.schedule_key, s.next_fire_us, c.tenant_key, CASE WHEN " + kWaits +
                                " THEN 1 ELSE 0 END FROM schedule_state s JOIN schedules c "
                                "ON c.schedule_key = s.schedule_key {, rows} WHERE s.schedule_key = :key",
                            read_upcoming);

}  // namespace belfry::store::sql
