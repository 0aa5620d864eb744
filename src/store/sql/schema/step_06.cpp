#include "store/sql/schema/steps.hpp"

namespace belfry::store::sql {

// Approvals. A run that already waits gets a day from its decision.
const std::string_view kSchemaStep6 = R"(
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

}  // namespace belfry::store::sql
