#include "store/sql/schema/steps.hpp"

namespace belfry::store::sql {

// Workflows and their runs. A task now belongs to a node and has its own timeout, so that a claim need not read more.
// A workflow run has a deadline while it is in flight, which is how it is found. Tables are created anew, not
// renamed, so that their indexes have the usual names.
const std::string_view kSchemaStep5 = R"(
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

}  // namespace belfry::store::sql
