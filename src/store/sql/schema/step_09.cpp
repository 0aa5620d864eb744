#include "store/sql/schema/steps.hpp"

namespace belfry::store::sql {

// Retention. `ended_us` is the time from which a schedule may be removed: 0 while it may fire, null if it is
// completed and stays until it is deleted. It also keeps ended schedules out of the index of active ones. Of a
// removed schedule, only its events and their owner remain. A claim finds only the delayed tasks of its own queue.
//
// Feed positions are counted on both databases. Pending deliveries are found by webhook.
//
// The time of each lease's last renewal, and the newest time at which a leader renewed: a value in the future was
// written before the clock was set back.
//
// The targets that conditions use, and the results of their runs; the schedules that wait for an event; the runs of
// teams.
//
// Afterwards, tenants whose names are version 7 UUIDs get distinct keys: rekey_tenants in migrations.cpp.
const std::string_view kSchemaStep9 = R"(
ALTER TABLE schedules ADD COLUMN ended_us BIGINT DEFAULT 0;
UPDATE schedules SET ended_us = (SELECT COALESCE(s.deleted_us, 1) FROM schedule_state s WHERE s.schedule_key = schedules.schedule_key)
    WHERE status = 3;
UPDATE schedules SET ended_us = (SELECT COALESCE(s.last_skipped_us, 1) FROM schedule_state s WHERE s.schedule_key = schedules.schedule_key
    AND EXISTS (SELECT 1 FROM schedule_labels l WHERE l.schedule_key = s.schedule_key AND l.label = 'belfry.immediate'))
    WHERE status = 2;
CREATE INDEX schedules_by_end ON schedules (ended_us, schedule_key);

CREATE TABLE removed_schedules (
    schedule_key {key},
    id           TEXT NOT NULL,
    tenant_key   BIGINT NOT NULL,
    name         TEXT {bytewise} NOT NULL,
    ended_us     BIGINT NOT NULL
);
CREATE INDEX removed_schedules_by_end ON removed_schedules (ended_us, schedule_key);
{append only until removed}

CREATE INDEX requests_by_schedule ON requests (schedule_key);
CREATE INDEX backfills_over ON backfills (updated_us) WHERE status >= 2;
CREATE INDEX dead_letters_by_age ON dead_letters (failed_us);
CREATE INDEX tenant_days_by_day ON tenant_days (day);
CREATE INDEX budget_days_by_day ON budget_days (day);
CREATE INDEX walks_of_workflow ON walks (workflow_key, version);
CREATE INDEX leases_by_end ON leases (until_us);

CREATE TABLE delayed_tasks_before AS SELECT * FROM delayed_tasks;
DROP TABLE delayed_tasks;
CREATE TABLE delayed_tasks (
    queue_key    BIGINT NOT NULL,
    ready_us     BIGINT NOT NULL,
    schedule_key BIGINT NOT NULL,
    slot         BIGINT NOT NULL,
    node         TEXT {bytewise} NOT NULL,
    rank         BIGINT NOT NULL,
    attempt      BIGINT NOT NULL,
    timeout_us   BIGINT,
    PRIMARY KEY (queue_key, ready_us, schedule_key, slot, node)
) {clustered};
INSERT INTO delayed_tasks (queue_key, ready_us, schedule_key, slot, node, rank, attempt, timeout_us)
    SELECT queue_key, ready_us, schedule_key, slot, node, rank, attempt, timeout_us FROM delayed_tasks_before;
DROP TABLE delayed_tasks_before;

DROP TABLE feed_base;
{feed positions}
DROP INDEX deliveries_due;
CREATE INDEX deliveries_due ON deliveries (webhook_key, next_us, position) WHERE status = 0;

ALTER TABLE leases ADD COLUMN renewed_us BIGINT NOT NULL DEFAULT 0;
UPDATE leases SET renewed_us = since_us;
CREATE INDEX leases_by_renewal ON leases (renewed_us);

ALTER TABLE leadership ADD COLUMN newest_us BIGINT NOT NULL DEFAULT 0;
UPDATE leadership SET newest_us = seen_us;

ALTER TABLE approvals ADD COLUMN workflow_version BIGINT;
UPDATE approvals SET workflow_version = (
    SELECT coalesce({target version}, w.newest) FROM schedules c
        JOIN definitions d ON d.schedule_key = c.schedule_key AND d.version = c.version
        JOIN workflows w ON w.tenant_key = c.tenant_key AND w.name = c.target_kind
        WHERE c.schedule_key = approvals.schedule_key AND c.target_type = 0 AND w.removed_us IS NULL)
    WHERE status = 0 AND node = '';
ALTER TABLE schedule_state ADD COLUMN spread_until_us BIGINT;
ALTER TABLE schedule_state ADD COLUMN breaker_opened_us BIGINT;
ALTER TABLE run_nodes ADD COLUMN redeliveries BIGINT NOT NULL DEFAULT 0;
ALTER TABLE backfills ADD COLUMN concurrency BIGINT;
ALTER TABLE backfills ADD COLUMN rerun SMALLINT NOT NULL DEFAULT 0;
CREATE TABLE watched_targets (
    schedule_key {key},
    tenant_key   BIGINT NOT NULL,
    target_kind  TEXT {bytewise} NOT NULL,
    target_type  SMALLINT NOT NULL
);
CREATE INDEX watched_targets_by_target ON watched_targets (tenant_key, target_kind, target_type);
INSERT INTO watched_targets (schedule_key, tenant_key, target_kind, target_type)
    SELECT c.schedule_key, c.tenant_key, c.target_kind, c.target_type FROM schedules c
    JOIN definitions d ON d.schedule_key = c.schedule_key AND d.version = c.version WHERE c.status <> 3 AND {condition} IS NOT NULL;

CREATE TABLE target_ends (
    tenant_key   BIGINT NOT NULL,
    target_kind  TEXT {bytewise} NOT NULL,
    target_type  SMALLINT NOT NULL,
    ended_us     BIGINT NOT NULL,
    slot         BIGINT NOT NULL,
    schedule_key BIGINT NOT NULL,
    execution    SMALLINT NOT NULL,
    PRIMARY KEY (tenant_key, target_kind, target_type, ended_us, slot, schedule_key)
) {clustered};
CREATE INDEX target_ends_by_age ON target_ends (ended_us);
INSERT INTO target_ends (tenant_key, target_kind, target_type, ended_us, slot, schedule_key, execution)
    SELECT c.tenant_key, c.target_kind, c.target_type, h.completed_us, h.slot, h.schedule_key, h.execution FROM schedules c
    JOIN schedule_state s ON s.schedule_key = c.schedule_key JOIN runs h ON h.schedule_key = c.schedule_key
    WHERE h.completed_us IS NOT NULL AND h.execution >= 4
    AND (h.slot = s.last_completed_slot OR h.completed_us > (SELECT max(completed_us) FROM runs) - 86400000000)
    AND EXISTS (SELECT 1 FROM watched_targets w WHERE w.tenant_key = c.tenant_key AND w.target_kind = c.target_kind
                AND w.target_type = c.target_type);

CREATE TABLE event_subscriptions (
    tenant_key   BIGINT NOT NULL,
    event        TEXT {bytewise} NOT NULL,
    schedule_key BIGINT NOT NULL,
    PRIMARY KEY (tenant_key, event, schedule_key)
) {clustered};
CREATE INDEX event_subscriptions_by_schedule ON event_subscriptions (schedule_key);

CREATE TABLE team_runs (
    tenant_key   BIGINT NOT NULL,
    team         TEXT {bytewise} NOT NULL,
    slot         BIGINT NOT NULL,
    schedule_key BIGINT NOT NULL,
    PRIMARY KEY (tenant_key, team, slot, schedule_key)
) {clustered};
CREATE INDEX team_runs_by_run ON team_runs (schedule_key, slot);
INSERT INTO team_runs (tenant_key, team, slot, schedule_key)
    SELECT h.tenant_key, {assignee}, h.slot, h.schedule_key FROM runs h
    JOIN definitions d ON d.schedule_key = h.schedule_key AND d.version = h.version WHERE h.dispatch = 1 AND {assignee type} = 'team';
)";

}  // namespace belfry::store::sql
