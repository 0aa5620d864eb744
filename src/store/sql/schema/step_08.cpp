#include "store/sql/schema/steps.hpp"

namespace belfry::store::sql {

// Schedule lists by age, because a key starts with its creation time. Workflow assignments, and the schedules that
// use them.
const std::string_view kSchemaStep8 = R"(
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

}  // namespace belfry::store::sql
