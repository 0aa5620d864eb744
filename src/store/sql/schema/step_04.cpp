#include "store/sql/schema/steps.hpp"

namespace belfry::store::sql {

// The tenant's row shows whether it has followers, so that a decision reads that together with the rest.
const std::string_view kSchemaStep4 = R"(
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

}  // namespace belfry::store::sql
