#include "store/sql/schema/steps.hpp"

namespace belfry::store::sql {

// docs/internals/store.md explains the layout. In short: a fire changes one narrow row without an index on any
// changed column. Firing only adds runs and events. Ready tasks and leases have their own tables, so a claim never
// rewrites a run.
//
// Keys are numbers that are computed from ids and names (model/identity.hpp). Instants are microseconds since 1970;
// their columns end in `_us`.
const std::string_view kSchemaStep1 = R"(
CREATE TABLE tenants (
    tenant_key       {key},
    name             TEXT {bytewise} NOT NULL UNIQUE,
    description      TEXT NOT NULL,
    dispatch_enabled SMALLINT NOT NULL,
    schedules_max    BIGINT,
    runs_per_day     BIGINT,
    created_us       BIGINT NOT NULL,
    version          BIGINT NOT NULL
);

CREATE TABLE tenant_days (
    tenant_key BIGINT NOT NULL,
    day        BIGINT NOT NULL,
    runs       BIGINT NOT NULL,
    PRIMARY KEY (tenant_key, day)
) {clustered};

CREATE TABLE calendars (
    tenant_key BIGINT NOT NULL,
    name       TEXT {bytewise} NOT NULL,
    body       TEXT NOT NULL,
    version    BIGINT NOT NULL,
    PRIMARY KEY (tenant_key, name)
) {clustered};

CREATE TABLE schedules (
    schedule_key {key},
    id           TEXT NOT NULL,
    tenant_key   BIGINT NOT NULL,
    name         TEXT {bytewise} NOT NULL,
    status       SMALLINT NOT NULL,
    version      BIGINT NOT NULL
);
CREATE UNIQUE INDEX schedules_by_name ON schedules (tenant_key, name) WHERE status <> 3;
CREATE INDEX schedules_by_status ON schedules (tenant_key, status, name, schedule_key);

CREATE TABLE definitions (
    schedule_key BIGINT NOT NULL,
    version      BIGINT NOT NULL,
    body         TEXT NOT NULL,
    PRIMARY KEY (schedule_key, version)
) {clustered};

CREATE TABLE schedule_labels (
    tenant_key   BIGINT NOT NULL,
    label        TEXT {bytewise} NOT NULL,
    value        TEXT {bytewise} NOT NULL,
    name         TEXT {bytewise} NOT NULL,
    schedule_key BIGINT NOT NULL,
    PRIMARY KEY (tenant_key, label, value, name, schedule_key)
) {clustered};
CREATE INDEX schedule_labels_by_schedule ON schedule_labels (schedule_key);

CREATE TABLE schedule_calendars (
    tenant_key   BIGINT NOT NULL,
    calendar     TEXT {bytewise} NOT NULL,
    schedule_key BIGINT NOT NULL,
    PRIMARY KEY (tenant_key, calendar, schedule_key)
) {clustered};
CREATE INDEX schedule_calendars_by_schedule ON schedule_calendars (schedule_key);

CREATE TABLE schedule_state (
    schedule_key         {key},
    stamp                BIGINT NOT NULL,
    revision             BIGINT NOT NULL,
    status               SMALLINT NOT NULL,
    next_occurrence_us   BIGINT,
    next_fire_us         BIGINT,
    newest_decided_us    BIGINT,
    runs                 BIGINT NOT NULL,
    skips                BIGINT NOT NULL,
    failures             BIGINT NOT NULL,
    consecutive_failures BIGINT NOT NULL,
    in_flight            BIGINT NOT NULL CHECK (in_flight >= 0),
    buffered             BIGINT NOT NULL CHECK (buffered >= 0),
    remaining_actions    BIGINT CHECK (remaining_actions >= 0),
    rotation_index       BIGINT NOT NULL,
    last_fired_us        BIGINT,
    last_skipped_us      BIGINT,
    last_completed_us    BIGINT,
    last_error_us        BIGINT,
    last_skip_reason     TEXT NOT NULL,
    last_error           TEXT NOT NULL,
    last_run_slot        BIGINT,
    last_completed_slot  BIGINT,
    paused_us            BIGINT,
    paused_until_us      BIGINT,
    pause_reason         TEXT NOT NULL,
    deleted_us           BIGINT,
    events               BIGINT NOT NULL,
    chain                {bytes} NOT NULL
) {roomy};

CREATE TABLE runs (
    schedule_key   BIGINT NOT NULL,
    slot           BIGINT NOT NULL,
    tenant_key     BIGINT NOT NULL,
    version        BIGINT NOT NULL,
    fire_us        BIGINT NOT NULL,
    decided_us     BIGINT NOT NULL,
    dispatch       SMALLINT NOT NULL,
    execution      SMALLINT NOT NULL,
    standing       SMALLINT,
    reason         SMALLINT,
    detail         TEXT,
    input          TEXT,
    trigger_number BIGINT NOT NULL,
    rotation_index BIGINT,
    overlap        SMALLINT NOT NULL,
    range_last_us  BIGINT,
    range_count    BIGINT,
    range_at_least SMALLINT,
    completed_us   BIGINT,
    started_us     BIGINT,
    attempts       SMALLINT NOT NULL DEFAULT 0,
    result         TEXT,
    error          TEXT,
    PRIMARY KEY (schedule_key, slot)
) {some room};
CREATE INDEX runs_by_time ON runs (tenant_key, slot, schedule_key);
CREATE INDEX runs_standing ON runs (schedule_key, standing, slot) WHERE standing IS NOT NULL;
CREATE INDEX runs_standing_of_tenant ON runs (tenant_key, standing, slot, schedule_key) WHERE standing IS NOT NULL;

CREATE TABLE events (
    schedule_key BIGINT NOT NULL,
    sequence     BIGINT NOT NULL CHECK (sequence >= 1),
    type         SMALLINT NOT NULL,
    recorded_us  BIGINT NOT NULL,
    payload      TEXT NOT NULL,
    hash         {bytes} NOT NULL,
    PRIMARY KEY (schedule_key, sequence)
) {wide clustered};
{append only}

CREATE TABLE ready_tasks (
    queue_key    BIGINT NOT NULL,
    rank         BIGINT NOT NULL,
    ready_us     BIGINT NOT NULL,
    schedule_key BIGINT NOT NULL,
    slot         BIGINT NOT NULL,
    attempt      BIGINT NOT NULL,
    PRIMARY KEY (queue_key, rank, ready_us, schedule_key, slot)
) {clustered};

CREATE TABLE delayed_tasks (
    ready_us     BIGINT NOT NULL,
    schedule_key BIGINT NOT NULL,
    slot         BIGINT NOT NULL,
    queue_key    BIGINT NOT NULL,
    rank         BIGINT NOT NULL,
    attempt      BIGINT NOT NULL,
    PRIMARY KEY (ready_us, schedule_key, slot)
) {clustered};

CREATE TABLE leases (
    schedule_key BIGINT NOT NULL,
    slot         BIGINT NOT NULL,
    attempt      BIGINT NOT NULL,
    worker       TEXT NOT NULL,
    since_us     BIGINT NOT NULL,
    until_us     BIGINT NOT NULL,
    PRIMARY KEY (schedule_key, slot)
) {clustered};

CREATE TABLE backfills (
    backfill_key {key},
    id           TEXT NOT NULL,
    schedule_key BIGINT NOT NULL,
    from_us      BIGINT NOT NULL,
    to_us        BIGINT NOT NULL,
    overlap      SMALLINT,
    status       SMALLINT NOT NULL,
    next_from_us BIGINT,
    dispatched   BIGINT NOT NULL,
    skipped      BIGINT NOT NULL,
    error        TEXT NOT NULL,
    created_by   TEXT NOT NULL,
    created_us   BIGINT NOT NULL,
    updated_us   BIGINT NOT NULL,
    version      BIGINT NOT NULL
);
CREATE INDEX backfills_of_schedule ON backfills (schedule_key, created_us);
CREATE UNIQUE INDEX backfills_not_over ON backfills (schedule_key) WHERE status < 2;
CREATE INDEX backfills_running ON backfills (created_us) WHERE status = 0;
)";

}  // namespace belfry::store::sql
