#include <array>

#include "store/sql/migrations.hpp"

namespace belfry::store::sql {

namespace {

// The layout, and why it is so, is told in docs/internals/store.md. In short: what a fire changes is one narrow row without
// an index on anything that changes; runs and events are only ever added at the fire; ready tasks and leases have tables of
// their own, so that claiming work never rewrites a run.
//
// Keys are numbers made from ids and names (model/identity.hpp). Instants are microseconds since 1970, and say so.
constexpr std::string_view kFirst = R"(
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

// One role and one row, which everybody who attends locks: with a row there is no race for making it.
constexpr std::string_view kSecond = R"(
CREATE TABLE servers (
    id       TEXT {bytewise} NOT NULL PRIMARY KEY,
    since_us BIGINT NOT NULL,
    until_us BIGINT NOT NULL
) {clustered};

CREATE TABLE leadership (
    role     TEXT NOT NULL PRIMARY KEY,
    holder   TEXT NOT NULL,
    term     BIGINT NOT NULL CHECK (term >= 0),
    seen_us  BIGINT NOT NULL,
    until_us BIGINT NOT NULL CHECK (until_us >= seen_us)
) {clustered};
INSERT INTO leadership (role, holder, term, seen_us, until_us) VALUES ('engine', '', 0, 0, 0);
)";

// What a list of schedules filters by without reading the definitions; how many schedules a tenant has, so that nobody counts
// them at every creation; the keys of requests, so that one that is repeated does nothing twice; and whose queue a leased
// task came from.
constexpr std::string_view kThird = R"(
ALTER TABLE schedules ADD COLUMN target_type SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE schedules ADD COLUMN target_kind TEXT {bytewise} NOT NULL DEFAULT '';
UPDATE schedules SET
    target_type = (SELECT CASE {target type} WHEN 'task' THEN 1 ELSE 0 END FROM definitions d
                    WHERE d.schedule_key = schedules.schedule_key AND d.version = schedules.version),
    target_kind = (SELECT {target kind} FROM definitions d
                    WHERE d.schedule_key = schedules.schedule_key AND d.version = schedules.version);
CREATE INDEX schedules_by_target ON schedules (tenant_key, target_kind, name, schedule_key);

CREATE TABLE tenant_counts (
    tenant_key {key},
    schedules  BIGINT NOT NULL CHECK (schedules >= 0)
) {roomy};
INSERT INTO tenant_counts (tenant_key, schedules)
    SELECT tenant_key, count(*) FROM schedules WHERE status <> 3 GROUP BY tenant_key;

CREATE TABLE requests (
    tenant_key   BIGINT NOT NULL,
    key          TEXT {bytewise} NOT NULL,
    fingerprint  TEXT NOT NULL,
    schedule_key BIGINT NOT NULL,
    slot         BIGINT,
    backfill_key BIGINT,
    created_us   BIGINT NOT NULL,
    PRIMARY KEY (tenant_key, key)
) {clustered};
CREATE INDEX requests_by_age ON requests (created_us);

ALTER TABLE leases ADD COLUMN queue_key BIGINT NOT NULL DEFAULT 0;
)";

// A tenant's own row says whether anybody follows it, so that a decision learns it with what it reads anyway.
constexpr std::string_view kFourth = R"(
CREATE TABLE api_keys (
    id         TEXT {bytewise} NOT NULL PRIMARY KEY,
    name       TEXT {bytewise} NOT NULL,
    hash       TEXT NOT NULL,
    roles      TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_us BIGINT NOT NULL,
    expires_us BIGINT,
    revoked_us BIGINT
) {clustered};
CREATE UNIQUE INDEX api_keys_by_name ON api_keys (name) WHERE revoked_us IS NULL;

ALTER TABLE tenants ADD COLUMN followed_us BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tenants ADD COLUMN webhooks BIGINT NOT NULL DEFAULT 0;

CREATE TABLE feed (
    position     {ascending key},
    tenant_key   BIGINT NOT NULL,
    type         TEXT NOT NULL,
    at_us        BIGINT NOT NULL,
    schedule_key BIGINT NOT NULL,
    slot         BIGINT,
    body         TEXT NOT NULL
);
CREATE INDEX feed_of_tenant ON feed (tenant_key, position);
CREATE INDEX feed_by_time ON feed (at_us, position);

CREATE TABLE feed_base (
    name TEXT NOT NULL PRIMARY KEY,
    base BIGINT NOT NULL
) {clustered};
INSERT INTO feed_base (name, base) VALUES ('feed', 0);

CREATE TABLE webhooks (
    webhook_key    {key},
    id             TEXT {bytewise} NOT NULL,
    tenant_key     BIGINT NOT NULL,
    url            TEXT NOT NULL,
    description    TEXT NOT NULL,
    events         TEXT NOT NULL,
    secrets        TEXT NOT NULL,
    enabled        SMALLINT NOT NULL,
    created_by     TEXT NOT NULL,
    created_us     BIGINT NOT NULL,
    version        BIGINT NOT NULL,
    taken_position BIGINT NOT NULL
);
CREATE INDEX webhooks_of_tenant ON webhooks (tenant_key, created_us);

CREATE TABLE deliveries (
    webhook_key  BIGINT NOT NULL,
    position     BIGINT NOT NULL,
    status       SMALLINT NOT NULL,
    attempts     BIGINT NOT NULL,
    next_us      BIGINT,
    last_us      BIGINT,
    http_status  BIGINT,
    error        TEXT NOT NULL,
    type         TEXT NOT NULL,
    at_us        BIGINT NOT NULL,
    schedule_key BIGINT NOT NULL,
    slot         BIGINT,
    body         TEXT NOT NULL,
    PRIMARY KEY (webhook_key, position)
) {wide clustered};
CREATE INDEX deliveries_due ON deliveries (next_us, position) WHERE status = 0;
CREATE INDEX deliveries_over ON deliveries (at_us, position) WHERE status <> 0;
)";

// Workflows, and the runs that walk them. A task belongs to a node now, and brings its timeout along, so that a claim need not
// read what the task is about. A walk has a deadline for as long as it goes on: that is how those are found. Tables are made anew
// rather than renamed, so that their indexes are called as everywhere else.
constexpr std::string_view kFifth = R"(
CREATE TABLE workflows (
    workflow_key {key},
    tenant_key   BIGINT NOT NULL,
    name         TEXT {bytewise} NOT NULL,
    newest       BIGINT NOT NULL,
    removed_us   BIGINT
);
CREATE UNIQUE INDEX workflows_by_name ON workflows (tenant_key, name);

CREATE TABLE workflow_versions (
    workflow_key BIGINT NOT NULL,
    version      BIGINT NOT NULL,
    body         TEXT NOT NULL,
    PRIMARY KEY (workflow_key, version)
) {wide clustered};

CREATE TABLE walks (
    schedule_key BIGINT NOT NULL,
    slot         BIGINT NOT NULL,
    workflow_key BIGINT NOT NULL,
    version      BIGINT NOT NULL,
    events       BIGINT NOT NULL,
    deadline_us  BIGINT,
    PRIMARY KEY (schedule_key, slot)
) {clustered};
CREATE INDEX walks_under_way ON walks (deadline_us) WHERE deadline_us IS NOT NULL;

CREATE TABLE run_nodes (
    schedule_key    BIGINT NOT NULL,
    slot            BIGINT NOT NULL,
    node            TEXT {bytewise} NOT NULL,
    status          SMALLINT NOT NULL,
    attempts        BIGINT NOT NULL,
    attempts_before BIGINT NOT NULL,
    queue           TEXT NOT NULL,
    assignee        TEXT NOT NULL,
    ready_us        BIGINT NOT NULL,
    timeout_us      BIGINT,
    started_us      BIGINT,
    completed_us    BIGINT,
    input           TEXT,
    result          TEXT,
    error           TEXT,
    category        SMALLINT,
    PRIMARY KEY (schedule_key, slot, node)
) {wide clustered};

CREATE TABLE run_events (
    schedule_key BIGINT NOT NULL,
    slot         BIGINT NOT NULL,
    sequence     BIGINT NOT NULL,
    type         TEXT NOT NULL,
    at_us        BIGINT NOT NULL,
    node         TEXT NOT NULL,
    payload      TEXT NOT NULL,
    PRIMARY KEY (schedule_key, slot, sequence)
) {wide clustered};

CREATE TABLE dead_letters (
    tenant_key   BIGINT NOT NULL,
    failed_us    BIGINT NOT NULL,
    slot         BIGINT NOT NULL,
    schedule_key BIGINT NOT NULL,
    PRIMARY KEY (tenant_key, failed_us, slot, schedule_key)
) {clustered};
CREATE UNIQUE INDEX dead_letters_by_run ON dead_letters (schedule_key, slot);

CREATE TABLE ready_tasks_before AS SELECT * FROM ready_tasks;
DROP TABLE ready_tasks;
CREATE TABLE ready_tasks (
    queue_key    BIGINT NOT NULL,
    rank         BIGINT NOT NULL,
    ready_us     BIGINT NOT NULL,
    schedule_key BIGINT NOT NULL,
    slot         BIGINT NOT NULL,
    node         TEXT {bytewise} NOT NULL,
    attempt      BIGINT NOT NULL,
    timeout_us   BIGINT,
    PRIMARY KEY (queue_key, rank, ready_us, schedule_key, slot, node)
) {clustered};
INSERT INTO ready_tasks (queue_key, rank, ready_us, schedule_key, slot, node, attempt)
    SELECT queue_key, rank, ready_us, schedule_key, slot, '', attempt FROM ready_tasks_before;
DROP TABLE ready_tasks_before;

CREATE TABLE delayed_tasks_before AS SELECT * FROM delayed_tasks;
DROP TABLE delayed_tasks;
CREATE TABLE delayed_tasks (
    ready_us     BIGINT NOT NULL,
    schedule_key BIGINT NOT NULL,
    slot         BIGINT NOT NULL,
    node         TEXT {bytewise} NOT NULL,
    queue_key    BIGINT NOT NULL,
    rank         BIGINT NOT NULL,
    attempt      BIGINT NOT NULL,
    timeout_us   BIGINT,
    PRIMARY KEY (ready_us, schedule_key, slot, node)
) {clustered};
INSERT INTO delayed_tasks (ready_us, schedule_key, slot, node, queue_key, rank, attempt)
    SELECT ready_us, schedule_key, slot, '', queue_key, rank, attempt FROM delayed_tasks_before;
DROP TABLE delayed_tasks_before;

CREATE TABLE leases_before AS SELECT * FROM leases;
DROP TABLE leases;
CREATE TABLE leases (
    schedule_key BIGINT NOT NULL,
    slot         BIGINT NOT NULL,
    node         TEXT {bytewise} NOT NULL,
    attempt      BIGINT NOT NULL,
    worker       TEXT NOT NULL,
    since_us     BIGINT NOT NULL,
    until_us     BIGINT NOT NULL,
    deadline_us  BIGINT,
    queue_key    BIGINT NOT NULL,
    PRIMARY KEY (schedule_key, slot, node)
) {clustered};
INSERT INTO leases (schedule_key, slot, node, attempt, worker, since_us, until_us, queue_key)
    SELECT schedule_key, slot, '', attempt, worker, since_us, until_us, queue_key FROM leases_before;
DROP TABLE leases_before;
)";

// Who was asked for consent, and what they said. A run that waits already waits a day from when it was decided.
constexpr std::string_view kSixth = R"(
CREATE TABLE approvals (
    schedule_key BIGINT NOT NULL,
    slot         BIGINT NOT NULL,
    node         TEXT {bytewise} NOT NULL,
    attempts     BIGINT NOT NULL,
    tenant_key   BIGINT NOT NULL,
    action       TEXT NOT NULL,
    why          SMALLINT NOT NULL,
    status       SMALLINT NOT NULL,
    requested_us BIGINT NOT NULL,
    expires_us   BIGINT NOT NULL,
    decided_us   BIGINT,
    decided_by   TEXT NOT NULL,
    comment      TEXT NOT NULL,
    PRIMARY KEY (schedule_key, slot, node, attempts)
) {clustered};
CREATE INDEX approvals_by_status ON approvals (tenant_key, status, requested_us, schedule_key, slot, node, attempts);
CREATE INDEX approvals_pending ON approvals (expires_us) WHERE status = 0;
INSERT INTO approvals (schedule_key, slot, node, attempts, tenant_key, action, why, status, requested_us, expires_us, decided_by, comment)
    SELECT schedule_key, slot, '', 0, tenant_key, '', 0, 0, decided_us, decided_us + 86400000000, '', '' FROM runs WHERE execution = 1;
)";

// Assignees and what they may use. A run holds a reservation while it is in flight; credits are millionths.
constexpr std::string_view kSeventh = R"(
CREATE TABLE assignees (
    tenant_key      BIGINT NOT NULL,
    id              TEXT {bytewise} NOT NULL,
    type            SMALLINT NOT NULL,
    display_name    TEXT NOT NULL,
    spending_limit  BIGINT,
    credits_per_day BIGINT,
    runs_per_day    BIGINT,
    tokens_max      BIGINT,
    tool_calls_max  BIGINT,
    allow_tools     TEXT,
    created_us      BIGINT NOT NULL,
    version         BIGINT NOT NULL,
    PRIMARY KEY (tenant_key, id)
) {clustered};

CREATE TABLE budget_days (
    tenant_key BIGINT NOT NULL,
    assignee   TEXT {bytewise} NOT NULL,
    day        BIGINT NOT NULL,
    runs       BIGINT NOT NULL,
    reserved   BIGINT NOT NULL,
    spent      BIGINT NOT NULL,
    PRIMARY KEY (tenant_key, assignee, day)
) {clustered};

CREATE TABLE reservations (
    schedule_key BIGINT NOT NULL,
    slot         BIGINT NOT NULL,
    assignee     TEXT NOT NULL,
    day          BIGINT NOT NULL,
    cap          BIGINT,
    PRIMARY KEY (schedule_key, slot)
) {clustered};

CREATE TABLE run_usage (
    schedule_key BIGINT NOT NULL,
    slot         BIGINT NOT NULL,
    node         TEXT {bytewise} NOT NULL,
    attempt      BIGINT NOT NULL,
    credits      BIGINT NOT NULL,
    tokens       BIGINT NOT NULL,
    tool_calls   BIGINT NOT NULL,
    tools        TEXT NOT NULL,
    PRIMARY KEY (schedule_key, slot, node, attempt)
) {clustered};
)";

// Lists of schedules by age: a key begins with the time of its making. And workflow assignments, with the schedules that name them.
constexpr std::string_view kEighth = R"(
CREATE INDEX schedules_by_age ON schedules (tenant_key, schedule_key);

CREATE TABLE assignments (
    tenant_key BIGINT NOT NULL,
    id         TEXT {bytewise} NOT NULL,
    body       TEXT NOT NULL,
    PRIMARY KEY (tenant_key, id)
) {clustered};

ALTER TABLE schedules ADD COLUMN assignment TEXT {bytewise} NOT NULL DEFAULT '';
CREATE INDEX schedules_by_assignment ON schedules (tenant_key, assignment) WHERE assignment <> '';
)";

// Retention. `ended_us` says since when a schedule may be removed: 0 while it may fire, null when it is completed and stays until it is
// deleted. It also keeps the dead out of the way of those who read the living. What is left of a removed schedule is its events and whose
// they are. A claim finds the delayed tasks of its own lane only.
//
// Positions of the feed are counted on both databases. What waits for a webhook is found by the webhook.
//
// When a lease was given or prolonged last, and the newest time at which a leader attended: what is later than it is now was written before the
// clock was put back.
//
// Which targets the conditions look at, and how the runs of those ended; which schedules wait for an event; the runs of teams.
//
// Afterwards tenants whose names are UUIDs of version 7 get keys that tell them apart: rekey_tenants in migrations.cpp.
constexpr std::string_view kNinth = R"(
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

constexpr std::array kMigrations{
    Migration{1, "schedules, runs, events, tasks, calendars, tenants, backfills", kFirst},
    Migration{2, "servers, leadership", kSecond},
    Migration{3, "requests, targets", kThird},
    Migration{4, "API keys, feed, webhooks, deliveries", kFourth},
    Migration{5, "workflows, nodes, dead letters", kFifth},
    Migration{6, "approvals", kSixth},
    Migration{7, "assignees, budgets, usage", kSeventh},
    Migration{8, "schedules by age, workflow assignments", kEighth},
    Migration{9, "retention, positions of the feed, deliveries by webhook, steps of the clock, keys of tenants, ends by target, events, teams",
              kNinth}};

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }

}  // namespace belfry::store::sql
