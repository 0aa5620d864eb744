#include "store/sql/statements/statements_retention.hpp"

namespace belfry::store::sql {

namespace {

PrunableSchedule read_prunable(Columns& row) {
    return {row.integer(), row.optional_integer(), row.optional_integer(), row.integer(), row.optional_integer()};
}

}  // namespace

const Query<std::int64_t> kNthNewestSlot(
    "nth newest slot", "SELECT slot FROM runs WHERE schedule_key = :key ORDER BY slot DESC LIMIT 1 OFFSET :keep",
    read_integer);
// For each schedule: the oldest run that may be removed, if any, and the newest run beyond those to keep.
const std::string kOldestHistory =
    "(SELECT h.slot FROM runs h WHERE h.schedule_key = s.schedule_key AND (h.dispatch = 2 OR h.execution >= 4) "
    "AND h.slot <> COALESCE(s.last_run_slot, -1) AND h.slot <> COALESCE(s.last_completed_slot, -1) "
    "AND NOT EXISTS (SELECT 1 FROM dead_letters l WHERE l.schedule_key = h.schedule_key AND l.slot = h.slot AND "
    "l.failed_us >= :letters) "
    "ORDER BY h.slot LIMIT 1)";
// Also whether its definition has a version before the current one.
const std::string kPageOfSchedules =
    ", c.version, (SELECT d.version FROM definitions d WHERE d.schedule_key = s.schedule_key ORDER BY d.version LIMIT "
    "1) "
    "FROM schedule_state s JOIN schedules c ON c.schedule_key = s.schedule_key WHERE s.schedule_key > :after "
    "ORDER BY s.schedule_key LIMIT :schedules";
const Query<PrunableSchedule> kPrunable("prunable schedules",
                                        "SELECT s.schedule_key, " + kOldestHistory + ", NULL" + kPageOfSchedules,
                                        read_prunable);
const Query<PrunableSchedule> kPrunableBeyond(
    "prunable schedules beyond the newest",
    "SELECT s.schedule_key, " + kOldestHistory +
        ", (SELECT n.slot FROM runs n WHERE n.schedule_key = s.schedule_key ORDER BY n.slot DESC LIMIT 1 "
        "OFFSET :keep)" +
        kPageOfSchedules,
    read_prunable);
// Skipped and ended runs.
const Query<std::int64_t> kDeleteRuns(
    "delete runs",
    "DELETE FROM runs WHERE schedule_key = :key AND slot IN (SELECT slot FROM runs WHERE "
    "schedule_key = :key AND slot < :before "
    "AND (dispatch = 2 OR execution >= 4) AND slot <> :spared AND slot <> :spared_too "
    "AND NOT EXISTS (SELECT 1 FROM dead_letters l WHERE l.schedule_key = :key AND l.slot = "
    "runs.slot AND l.failed_us >= :letters) "
    "ORDER BY slot LIMIT :limit) RETURNING slot",
    read_integer);

const Statement kAnyRun("any run", "SELECT slot FROM runs WHERE schedule_key = :key LIMIT 1");
// The oldest runs use the oldest versions, so a needed version is found immediately.
const Statement kRunOfVersion(
    "run of a version", "SELECT slot FROM runs WHERE schedule_key = :key AND version = :version ORDER BY slot LIMIT 1");
const Query<VersionUse> kVersionsOfRuns(
    "versions of runs",
    "SELECT r_.version, count(*) FROM (SELECT version FROM runs WHERE schedule_key = :key "
    "LIMIT :most) r_ GROUP BY r_.version",
    [](Columns& row) {
        return VersionUse{row.integer(), row.integer()};
    });
const Query<std::int64_t> kOldVersions(
    "old versions",
    "SELECT d.version FROM definitions d JOIN schedules c ON c.schedule_key = d.schedule_key "
    "WHERE d.schedule_key = :key AND d.version < c.version ORDER BY d.version",
    read_integer);
const Statement kDeleteVersions(
    "delete versions",
    "DELETE FROM definitions {using rows} WHERE definitions.schedule_key = :key AND definitions.version = :version "
    "{any definitions.schedule_key = :key}");

const Query<EndedPlace> kEndedSchedules(
    "ended schedules",
    "SELECT ended_us, schedule_key FROM schedules WHERE (ended_us, schedule_key) > (:after, :after_key) "
    "AND ended_us < :before ORDER BY ended_us, schedule_key LIMIT :limit",
    [](Columns& row) {
        return EndedPlace{row.instant(), row.integer()};
    });
const Query<EndOfSchedule> kEndedByKey(
    "ends of schedules",
    "SELECT s.schedule_key, s.ended_us, s.tenant_key, s.status FROM schedules s {, rows} WHERE s.schedule_key = :key",
    [](Columns& row) {
        return EndOfSchedule{row.integer(), row.optional_instant(), row.integer(), row.as<model::ScheduleStatus>()};
    });
const Statement kArchiveSchedule("archive schedule",
                                 "INSERT INTO removed_schedules (schedule_key, id, tenant_key, name, ended_us, events, "
                                 "chain) SELECT c.schedule_key, c.id, c.tenant_key, c.name, c.ended_us, s.events, "
                                 "s.chain FROM schedules c JOIN schedule_state s ON s.schedule_key = c.schedule_key {, "
                                 "rows} WHERE c.schedule_key = :key");
const Query<std::int64_t> kArchived(
    "archived schedule",
    "SELECT schedule_key FROM removed_schedules WHERE schedule_key = :key AND tenant_key = :tenant AND id = :id::text",
    read_integer);
const Query<std::int64_t> kOldArchives(
    "old archives",
    "SELECT schedule_key FROM removed_schedules WHERE ended_us < :before ORDER BY ended_us, schedule_key LIMIT :limit",
    read_integer);
const Statement kDeleteArchive("delete archive", "DELETE FROM removed_schedules WHERE schedule_key = :key");
const Statement kForgetEvents("forget events",
                              "DELETE FROM events WHERE schedule_key = :key AND sequence IN "
                              "(SELECT sequence FROM events WHERE schedule_key = :key ORDER BY sequence LIMIT :limit)");
const Statement kForgetDefinitions(
    "forget definitions",
    "DELETE FROM definitions {using rows} WHERE definitions.schedule_key = :key {any definitions.schedule_key = :key}");
const Statement kForgetBackfills(
    "forget backfills",
    "DELETE FROM backfills {using rows} WHERE backfills.schedule_key = :key {any backfills.schedule_key = :key}");
const Statement kForgetRequests(
    "forget requests",
    "DELETE FROM requests {using rows} WHERE requests.schedule_key = :key {any requests.schedule_key = :key}");
const Statement kForgetState("forget state",
                             "DELETE FROM schedule_state {using rows} WHERE schedule_state.schedule_key = :key "
                             "{any schedule_state.schedule_key = :key}");
const Statement kForgetSchedule(
    "forget schedule",
    "DELETE FROM schedules {using rows} WHERE schedules.schedule_key = :key {any schedules.schedule_key = :key}");

const Statement kPruneLetters(
    "prune dead letters",
    "DELETE FROM dead_letters WHERE (schedule_key, slot) IN (SELECT l.schedule_key, l.slot FROM dead_letters l "
    "WHERE l.failed_us < :before ORDER BY l.failed_us, l.slot, l.schedule_key LIMIT :limit)");
// Only on SQLite. A step moves at most 1,000 pages, 4 MB.
const Query<FilePages> kFilePages("pages of the file",
                                  "SELECT page_count, freelist_count FROM pragma_page_count, pragma_freelist_count",
                                  [](Columns& row) {
                                      return FilePages{row.integer(), row.integer()};
                                  });
const Statement kShrinkFile("shrink file", "PRAGMA incremental_vacuum(1000)");
const Statement kPruneBackfills(
    "prune backfills",
    "DELETE FROM backfills WHERE backfill_key IN (SELECT b.backfill_key FROM backfills b "
    "WHERE b.status >= 2 AND b.updated_us < :before ORDER BY b.updated_us, b.id LIMIT :limit)");
const Statement kPruneTenantDays(
    "prune days of tenants",
    "DELETE FROM tenant_days WHERE (tenant_key, day) IN (SELECT t.tenant_key, t.day FROM tenant_days t "
    "WHERE t.day < :before ORDER BY t.day, t.tenant_key LIMIT :limit)");

const Query<PrunableWorkflow> kPrunableWorkflows(
    "prunable workflows",
    "SELECT w.workflow_key, w.tenant_key, w.name, w.newest, (SELECT v.version FROM workflow_versions v "
    "WHERE v.workflow_key = w.workflow_key ORDER BY v.version LIMIT 1) FROM workflows w "
    "WHERE w.workflow_key > :after ORDER BY w.workflow_key LIMIT :limit",
    [](Columns& row) {
        return PrunableWorkflow{row.integer(), row.integer(), row.text(), row.integer(), row.optional_integer()};
    });
const Statement kPruneWorkflowVersions(
    "prune workflow versions",
    "DELETE FROM workflow_versions WHERE workflow_key = :key AND version <= :last AND NOT EXISTS (SELECT 1 FROM walks "
    "k "
    "WHERE k.workflow_key = :key AND k.version = workflow_versions.version) AND NOT EXISTS (SELECT 1 FROM schedules c "
    "JOIN definitions d "
    "ON d.schedule_key = c.schedule_key AND d.version = c.version WHERE c.tenant_key = :tenant AND c.target_kind = "
    ":name::text "
    "AND c.status <> 3 AND {target version} = workflow_versions.version) AND NOT EXISTS (SELECT 1 FROM approvals p "
    "WHERE p.tenant_key = :tenant AND p.status = 0 AND p.workflow_version = workflow_versions.version)");

}  // namespace belfry::store::sql
