#include "store/sql/schema/steps.hpp"

namespace belfry::store::sql {

// Archived events. A checkpoint names the last event of a chain that is in an archive. The database removes only what a
// checkpoint covers. Of a removed schedule, the end of its chain stays.
const std::string_view kSchemaStep12 = R"(
CREATE TABLE event_checkpoints (
    schedule_key {key},
    sequence     BIGINT NOT NULL,
    hash         {bytes} NOT NULL
);
{append only until archived}

ALTER TABLE removed_schedules ADD COLUMN events BIGINT;
ALTER TABLE removed_schedules ADD COLUMN chain {bytes};
CREATE INDEX removed_schedules_of_tenant ON removed_schedules (tenant_key, schedule_key);
)";

}  // namespace belfry::store::sql
