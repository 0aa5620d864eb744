#include "store/sql/schema/steps.hpp"

namespace belfry::store::sql {

const std::string_view kSchemaStep10 = R"(
ALTER TABLE tenants ADD COLUMN stored_bytes_max BIGINT;
CREATE TABLE tenant_usage (
    tenant_key   {key},
    stored_bytes BIGINT NOT NULL,
    measured_us  BIGINT NOT NULL
);
)";

}  // namespace belfry::store::sql
