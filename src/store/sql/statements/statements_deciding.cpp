#include "store/sql/statements/statements_deciding.hpp"

namespace belfry::store::sql {

namespace {

StateRow read_for_plan(Columns& row) {
    StateRow read{row.integer(), row.integer(), {}, {}};
    read.state.revision = row.integer();
    read.state.status = row.as<model::ScheduleStatus>();
    read.state.next_fire = row.optional_instant();
    read.state.events = row.integer();
    read.chain = row.text();
    return read;
}

ScheduleTotal read_total(Columns& row) { return {row.integer(), row.integer()}; }

}  // namespace

const Query<StateRow> kLockStates("lock states",
                                  "SELECT " + kStateColumns +
                                      " FROM schedule_state s {, rows} WHERE s.schedule_key = :key {skip locked}",
                                  read_state);
const Query<StateRow> kLockStatesWait("lock states",
                                      "SELECT " + kStateColumns +
                                          " FROM schedule_state s {, rows} WHERE s.schedule_key = :key {for update}",
                                      read_state);
// Only the columns that applying a finished plan compares or continues.
const Query<StateRow> kLockForPlans(
    "lock for plans",
    "SELECT s.schedule_key, s.stamp, s.revision, s.status, s.next_fire_us, s.events, s.chain "
    "FROM schedule_state s {, rows} "
    "WHERE s.schedule_key = :key {for update}",
    read_for_plan);
const Query<StateRow> kLockDueStates("lock due states",
                                     "SELECT " + kStateColumns +
                                         " FROM schedule_state s WHERE s.next_fire_us <= :now ORDER BY s.schedule_key "
                                         "LIMIT :limit {skip locked}",
                                     read_state);

const Query<std::int64_t> kFindByName(
    "find by name",
    "SELECT schedule_key FROM schedules WHERE tenant_key = :tenant AND name = :name::text AND status <> 3 " +
        of_tenant_named("schedules"),
    read_integer);
const Query<std::int64_t> kFindById(
    "find by id",
    "SELECT schedule_key FROM schedules WHERE schedule_key = :key AND tenant_key = :tenant AND id = :id::text " +
        of_tenant_named("schedules"),
    read_integer);

// Each name has a lookup of its own: a plan that was made for an empty table would read all schedules for all names.
const Query<NamedSchedule> kFindNames(
    "find names",
    "SELECT found.schedule_key, found.tenant, found.name {each of rows} "
    "SELECT c.schedule_key, t.name AS tenant, c.name FROM schedules c JOIN tenants t ON t.tenant_key = c.tenant_key "
    "WHERE c.tenant_key = :tenant AND c.name = :name::text AND c.status <> 3 LIMIT 1) found",
    [](Columns& row) {
        return NamedSchedule{row.integer(), row.text(), row.text()};
    });

// Also finds removed schedules, because the events of a removed id must not be mixed with those of another schedule.
const Query<std::int64_t> kUsedKeys(
    "used keys",
    "SELECT c.schedule_key FROM schedules c {, rows} WHERE c.schedule_key = :key {any c.schedule_key = :key} UNION ALL "
    "SELECT g.schedule_key FROM removed_schedules g {, rows} WHERE g.schedule_key = :key {any g.schedule_key = :key}",
    read_integer);

const Query<DefinitionRow> kDefinitions(
    "definitions",
    "SELECT d.schedule_key, c.id, d.body FROM schedules c JOIN definitions d "
    "ON d.schedule_key = c.schedule_key AND d.version = c.version {, rows} WHERE c.schedule_key = :key",
    [](Columns& row) {
        return DefinitionRow{row.integer(), row.text(), row.view()};
    });
const Query<DefinitionVersion> kDefinitionVersions(
    "versions of definitions",
    "SELECT s.schedule_key, s.version, s.body FROM definitions s {, rows} WHERE "
    "s.schedule_key = :key AND s.version = :version",
    [](Columns& row) {
        return DefinitionVersion{{row.integer(), row.integer()}, row.view()};
    });
const Query<KnownSchedule> kKnownOfSchedules(
    "known of schedules",
    "SELECT c.schedule_key, c.id, t.name, c.name, c.version, c.target_type, c.target_kind FROM schedules c "
    "JOIN tenants t ON t.tenant_key = c.tenant_key {, rows} WHERE c.schedule_key = :key",
    [](Columns& row) {
        return KnownSchedule{
            row.integer(), row.text(), row.text(), row.text(), row.integer(), row.as<model::TargetType>(), row.text()};
    });
const Query<CalendarOfSchedule> kCalendarsOf(
    "calendars of schedules",
    "SELECT u.schedule_key, c.body FROM schedule_calendars u JOIN calendars c "
    "ON c.tenant_key = u.tenant_key AND c.name = u.calendar {, rows} WHERE u.schedule_key = :key",
    [](Columns& row) {
        return CalendarOfSchedule{row.integer(), row.view()};
    });

const Query<TakenSlot> kTakenSlots(
    "taken slots",
    "SELECT r_.schedule_key, r_.slot, r_.dispatch, r_.execution FROM runs r_ {, rows} "
    "WHERE r_.schedule_key = :key AND r_.slot >= :from AND r_.slot <= :to",
    [](Columns& row) {
        return TakenSlot{row.run_key(), row.as<model::DispatchStatus>(), row.as<model::ExecutionStatus>()};
    });
const Query<BufferedInput> kBufferedRuns(
    "buffered runs",
    "SELECT s.schedule_key, s.slot, s.input FROM runs s {, rows} WHERE s.schedule_key = :key "
    "AND s.standing = :buffered",
    [](Columns& row) {
        return BufferedInput{row.run_key(), row.view()};
    });
// Newest first, limited to the known number: runs in flight are rarely far from the end.
const Query<std::int64_t> kInFlightRuns(
    "runs in flight",
    "SELECT slot FROM runs WHERE schedule_key = :key AND execution IN (1, 2, 3) ORDER BY slot DESC LIMIT :count",
    read_integer);
const Query<TenantFacts> kTenantFacts(
    "tenant facts",
    "SELECT s.tenant_key, s.dispatch_enabled, s.runs_per_day, s.followed_us, s.webhooks, "
    "CASE WHEN EXISTS (SELECT 1 FROM watched_targets w WHERE w.tenant_key = s.tenant_key) THEN 1 ELSE 0 END "
    "FROM tenants s {, rows} WHERE s.tenant_key = :key",
    [](Columns& row) {
        return TenantFacts{row.integer(), row.flag(), row.optional_integer(), read_followed(row), row.flag()};
    });
const Query<std::int64_t> kTenantDay("runs of a tenant's day",
                                     "SELECT runs FROM tenant_days WHERE tenant_key = :tenant AND day = :day",
                                     read_integer);
const Statement kAddTenantDay(
    "count a tenant's runs",
    "INSERT INTO tenant_days (tenant_key, day, runs) {values} :tenant, :day, :runs {end values, rows} "
    "ON CONFLICT (tenant_key, day) DO UPDATE SET runs = tenant_days.runs + excluded.runs");

const Statement kUpdateState(
    "update state", "UPDATE schedule_state SET " + kStateAssignments +
                        " {rows} WHERE schedule_state.schedule_key = :key AND schedule_state.revision = :before "
                        "AND schedule_state.stamp = :stamp");
// Only the columns that the end of a run changes, if nothing else was decided.
const Statement kUpdateStateAtEnd(
    "update state at the end of a run",
    "UPDATE schedule_state SET revision = :revision, failures = :failures, "
    "consecutive_failures = :consecutive_failures, breaker_opened_us = :breaker_opened, in_flight = :in_flight, "
    "last_completed_us = :last_completed, last_error_us = :last_error_us, last_error = :last_error::text, "
    "last_completed_slot = :last_completed_slot {rows} WHERE schedule_state.schedule_key = :key "
    "AND schedule_state.revision = :before AND schedule_state.stamp = :stamp");
const Statement kInsertState("insert state", "INSERT INTO schedule_state (schedule_key, stamp, " + kStateNames +
                                                 ") {values} :key, :stamp, " + kStateParameters +
                                                 " {end values, rows}");
const Statement kInsertRun(
    "insert run",
    "INSERT INTO runs (schedule_key, slot, tenant_key, version, fire_us, decided_us, dispatch, execution, standing, "
    "reason, "
    "detail, input, trigger_number, rotation_index, overlap, range_last_us, range_count, range_at_least, completed_us) "
    "{values} :key, :slot, :tenant, :version, :fire, :decided, :dispatch, :execution, :standing, :reason, "
    ":detail::text, "
    ":input::text, :trigger, :rotation, :overlap, :range_last, :range_count, :at_least, :completed {end values, rows}");
const Statement kReleaseRun(
    "release run",
    "UPDATE runs SET version = :version, fire_us = :fire, decided_us = :decided, dispatch = :dispatch, "
    "execution = :execution, standing = :standing, reason = :reason, detail = :detail::text, input = :input::text, "
    "trigger_number = :trigger, rotation_index = :rotation, overlap = :overlap, completed_us = :completed "
    "{rows} WHERE runs.schedule_key = :key AND runs.slot = :slot AND runs.dispatch = :before");
const Statement kStartRun("start run",
                          "UPDATE runs SET execution = 2, standing = NULL {rows} "
                          "WHERE runs.schedule_key = :key AND runs.slot = :slot AND runs.execution = 1");
const Statement kEndRun(
    "end run",
    "UPDATE runs SET execution = :execution, standing = :standing, result = :result::text, error = :error::text, "
    "completed_us = :completed, (attempts, started_us) = (SELECT COALESCE(max(l.attempt), runs.attempts), "
    "COALESCE(max(l.since_us), runs.started_us) FROM leases l "
    "WHERE l.schedule_key = runs.schedule_key AND l.slot = runs.slot AND l.node = '') "
    "{rows} WHERE runs.schedule_key = :key AND runs.slot = :slot AND runs.execution IN (1, 2, 3)");
// The lease is known: the transaction has taken it.
const Statement kEndAttempt(
    "end run with its attempt",
    "UPDATE runs SET execution = :execution, standing = :standing, result = :result::text, error = :error::text, "
    "completed_us = :completed, attempts = :attempts, started_us = :started "
    "{rows} WHERE runs.schedule_key = :key AND runs.slot = :slot AND runs.execution IN (1, 2, 3)");
const Statement kRetryRun("retry run",
                          "UPDATE runs SET attempts = :attempts, started_us = :started, error = :error::text "
                          "{rows} WHERE runs.schedule_key = :key AND runs.slot = :slot AND runs.execution = 2");
const Statement kInsertEvent(
    "insert event",
    "INSERT{or fail} INTO events (schedule_key, sequence, type, recorded_us, payload, hash) "
    "{values} :key, :sequence, :type, :recorded, :payload::text, :hash::bytea {end values, rows}");
const Statement kInsertReady(
    "insert ready task",
    "INSERT INTO ready_tasks (queue_key, rank, ready_us, schedule_key, slot, node, attempt, timeout_us) "
    "{values} :queue, :rank, :ready, :key, :slot, :node::text, :attempt, :timeout {end values, rows}");
const Statement kInsertDelayed(
    "insert delayed task",
    "INSERT INTO delayed_tasks (queue_key, rank, ready_us, schedule_key, slot, node, attempt, timeout_us) "
    "{values} :queue, :rank, :ready, :key, :slot, :node::text, :attempt, :timeout {end values, rows}");
const Statement kInsertSchedule("insert schedule",
                                "INSERT INTO schedules (schedule_key, id, tenant_key, name, status, version, "
                                "target_type, target_kind, assignment, ended_us) "
                                "{values} :key, :id::text, :tenant, :name::text, :status, :version, :type, "
                                ":kind::text, :assignment::text, :ended {end values, rows}");
const Statement kUpdateSchedule(
    "update schedule",
    "UPDATE schedules SET name = COALESCE(:name::text, schedules.name), status = :status, "
    "version = COALESCE(:version, schedules.version), target_type = COALESCE(:type, schedules.target_type), "
    "target_kind = COALESCE(:kind::text, schedules.target_kind), "
    "assignment = COALESCE(:assignment::text, schedules.assignment), ended_us = :ended {rows} WHERE "
    "schedules.schedule_key = :key");
const Statement kInsertDefinition(
    "insert definition",
    "INSERT INTO definitions (schedule_key, version, body) {values} :key, :version, :body::text {end values, rows}");
const Statement kDeleteLabels("delete labels",
                              "DELETE FROM schedule_labels {using rows} WHERE schedule_labels.schedule_key = :key");
const Statement kInsertLabel("insert label",
                             "INSERT INTO schedule_labels (tenant_key, label, value, name, schedule_key) "
                             "{values} :tenant, :label::text, :value::text, :name::text, :key {end values, rows}");
const Statement kDeleteCalendarUses(
    "delete calendar uses", "DELETE FROM schedule_calendars {using rows} WHERE schedule_calendars.schedule_key = :key");
const Statement kInsertCalendarUse("insert calendar use",
                                   "INSERT INTO schedule_calendars (tenant_key, calendar, schedule_key) "
                                   "{values} :tenant, :calendar::text, :key {end values, rows} ON CONFLICT DO NOTHING");
const Statement kStamp("stamp",
                       "UPDATE schedule_state SET stamp = :stamp {rows} WHERE schedule_state.schedule_key = :key");
const Statement kStampUsers(
    "stamp users of a calendar",
    "UPDATE schedule_state SET stamp = :stamp WHERE schedule_key IN "
    "(SELECT schedule_key FROM schedule_calendars WHERE tenant_key = :tenant AND calendar = :calendar::text)");
const Query<ScheduleTotal> kScheduleTotals(
    "count of schedules", "SELECT s.tenant_key, s.schedules FROM tenant_counts s {, rows} WHERE s.tenant_key = :tenant",
    read_total);
const Query<ScheduleTotal> kAddSchedules(
    "count more schedules",
    "INSERT INTO tenant_counts (tenant_key, schedules) {values} :tenant, :more {end values, rows} "
    "ON CONFLICT (tenant_key) DO UPDATE SET schedules = tenant_counts.schedules + excluded.schedules "
    "RETURNING tenant_key, schedules",
    read_total);
const Statement kSubtractSchedules("count fewer schedules",
                                   "UPDATE tenant_counts SET schedules = tenant_counts.schedules - :fewer {rows} "
                                   "WHERE tenant_counts.tenant_key = :tenant");
const Statement kInsertRequest(
    "insert request",
    "INSERT INTO requests (tenant_key, key, fingerprint, schedule_key, slot, backfill_key, created_us) "
    "{values} :tenant, :request::text, :fingerprint::text, :schedule, :slot, :backfill, :created {end values, rows} "
    "ON CONFLICT DO NOTHING");

const Query<std::string_view> kEventHash(
    "event hash", "SELECT s.hash FROM events s {, rows} WHERE s.schedule_key = :key AND s.sequence = :sequence",
    [](Columns& row) { return row.view(); });
const Query<RunProgress> kRunEnd(
    "end of a run",
    "SELECT s.schedule_key, s.slot, s.execution, s.completed_us, s.attempts FROM runs s {, rows} "
    "WHERE s.schedule_key = :key AND s.slot = :slot",
    [](Columns& row) {
        return RunProgress{row.run_key(), row.as<model::ExecutionStatus>(), row.optional_instant(), row.small()};
    });

}  // namespace belfry::store::sql
