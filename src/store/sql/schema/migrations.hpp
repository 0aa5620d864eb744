// The schema as numbered steps, the same for both databases. An applied step never changes: its checksum is stored
// with it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time/instant.hpp"
#include "store/sql/database.hpp"

namespace belfry::store::sql {

struct Migration {
    int number = 0;  // 1, 2, 3…
    std::string_view name;
    std::string_view text;
};
[[nodiscard]] std::span<const Migration> migrations();

struct AppliedMigration {
    int number = 0;
    std::string name;
    std::string checksum;
    Instant applied_at = {};
};

struct SchemaStatus {
    std::vector<AppliedMigration> applied = {};
    int known = 0;  // the newest step of this program
    [[nodiscard]] int version() const { return applied.empty() ? 0 : applied.back().number; }
};
[[nodiscard]] Result<SchemaStatus> schema_status(Database& database);

// Empty if the schema is the one that this program needs. Otherwise the error names the fix: an older schema needs
// `belfry migrate up`, a newer one a newer program, and a modified one needs an operator.
[[nodiscard]] std::optional<Error> check_schema(const SchemaStatus& status);

// Applies the missing steps, each in its own transaction. Concurrent calls are safe. Returns the number of applied
// steps.
[[nodiscard]] Result<int> migrate_up(Database& database, Instant now);

}  // namespace belfry::store::sql
