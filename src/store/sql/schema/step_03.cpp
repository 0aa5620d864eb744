#include "store/sql/schema/steps.hpp"

namespace belfry::store::sql {

// Columns for filters of schedule lists, so that lists need not read definitions; the number of schedules per tenant,
// so that a creation need not count them; request keys, so that a repeated request takes effect once; and the queue
// of a leased task.
const std::string_view kSchemaStep3 = R"(
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

}  // namespace belfry::store::sql
