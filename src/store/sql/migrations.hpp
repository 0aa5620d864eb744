// The schema, as numbered steps that are the same for both databases. A step that has been applied is never changed: its
// checksum is stored with it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.hpp"
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
    int known = 0;  // the newest step that this program has
    [[nodiscard]] int version() const { return applied.empty() ? 0 : applied.back().number; }
};
[[nodiscard]] Result<SchemaStatus> schema_status(Database& database);

// Nothing when the schema is the one that this program works with. Otherwise what is wrong and what to do: an older schema
// needs `belfry migrate up`, a newer one a newer program, and one that was tampered with needs a person.
[[nodiscard]] std::optional<Error> check_schema(const SchemaStatus& status);

// Applies what is missing, each step in its own transaction. Two that start at once do not disturb each other. Returns how
// many were applied.
[[nodiscard]] Result<int> migrate_up(Database& database, Instant now);

}  // namespace belfry::store::sql
