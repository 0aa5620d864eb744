#include "store/sql/schema/steps.hpp"

namespace belfry::store::sql {

// A single row for leadership, which every renewal locks. The migration inserts it, so there is no race to create it.
const std::string_view kSchemaStep2 = R"(
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

}  // namespace belfry::store::sql
