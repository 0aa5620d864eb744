#include "store/sql/schema/steps.hpp"

namespace belfry::store::sql {

// Assignees and their limits. A run holds a reservation while it is in flight. Credits are in millionths.
const std::string_view kSchemaStep7 = R"(
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

}  // namespace belfry::store::sql
