#include "store/sql/schema/migrations.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/crypto/sha256.hpp"
#include "model/identity.hpp"
#include "model/tenant/tenant.hpp"
#include "store/sql/read/read_all.hpp"

namespace belfry::store::sql {

namespace {

constexpr std::string_view kLedger = R"(
CREATE TABLE IF NOT EXISTS schema_migrations (
    number     {key},
    name       TEXT NOT NULL,
    checksum   TEXT NOT NULL,
    applied_us BIGINT NOT NULL
))";

const Query<std::int64_t> kLedgerExists("ledger exists",
                                        "SELECT count(*) FROM {tables} WHERE {table name} = 'schema_migrations'",
                                        read_integer);
const Query<AppliedMigration> kApplied(
    "applied migrations", "SELECT number, name, checksum, applied_us FROM schema_migrations ORDER BY number",
    [](Columns& row) {
        return AppliedMigration{row.small(), row.text(), row.text(), row.instant()};
    });
const Statement kRecord("record migration",
                        "INSERT INTO schema_migrations (number, name, checksum, applied_us) VALUES (:number, "
                        ":name::text, :checksum::text, :now)");
const Statement kAddDefaultTenant(
    "add default tenant",
    "INSERT INTO tenants (tenant_key, name, description, dispatch_enabled, created_us, version) "
    "VALUES (:key, :name::text, '', 1, 0, 1)");

std::string checksum_of(const Migration& migration) { return sha256_hex(migration.text); }

// The tables with a tenant's key, as of step 9.
constexpr std::array kTablesOfTenants{"tenants",
                                      "tenant_days",
                                      "tenant_counts",
                                      "calendars",
                                      "schedules",
                                      "schedule_labels",
                                      "schedule_calendars",
                                      "runs",
                                      "requests",
                                      "feed",
                                      "webhooks",
                                      "workflows",
                                      "dead_letters",
                                      "approvals",
                                      "assignees",
                                      "budget_days",
                                      "assignments",
                                      "watched_targets",
                                      "target_ends",
                                      "team_runs"};
struct TenantName {
    std::int64_t key = 0;
    std::string name;
};
const Query<TenantName> kTenantNames("names of tenants", "SELECT tenant_key, name FROM tenants ORDER BY name",
                                     [](Columns& row) {
                                         return TenantName{row.integer(), row.text()};
                                     });

// Before step 9, the key of a tenant whose name is a version 7 UUID came from the part that such names share. Correct
// keys stay.
Result<void> rekey_tenants(Session& session) {
    std::vector<std::pair<std::int64_t, std::int64_t>> wrong;
    auto read = session.run(kTenantNames, {}, [&wrong](const TenantName& tenant) {
        const auto key = model::tenant_key(tenant.name);
        if (tenant.key != key) wrong.emplace_back(tenant.key, key);
    });
    if (!read) return read.error();
    for (const auto& [from, to] : wrong) {
        const auto where =
            " SET tenant_key = " + std::to_string(to) + " WHERE tenant_key = " + std::to_string(from) + ";";
        std::string script;
        for (const auto* const table : kTablesOfTenants) script += "UPDATE " + std::string(table) + where;
        if (auto done = session.script(script); !done) return done;
    }
    return {};
}

Result<void> apply_step(Session& session, const Dialect& dialect, const Migration& step, Instant now) {
    if (auto made = session.script(render(step.text, dialect).text); !made) return made;
    if (step.number == 1) {
        auto added = session.run(kAddDefaultTenant,
                                 {model::tenant_key(model::kDefaultTenant), std::string(model::kDefaultTenant)});
        if (!added) return added.error();
    }
    if (step.number == 9) {
        if (auto rekeyed = rekey_tenants(session); !rekeyed) return rekeyed;
    }
    const auto recorded =
        session.run(kRecord, {std::int64_t{step.number}, std::string(step.name), checksum_of(step), epoch_us(now)});
    if (!recorded) return recorded.error();
    return {};
}

// Applies the next step in its own transaction, or all steps in one if the database is empty, because no program may
// find half a schema. Locks the ledger first, so that one of two concurrent programs waits and then finds nothing to
// do.
Result<int> apply_next(Database& database, Instant now) {
    int worked = 0;
    const auto done = database.write([&](Session& session) -> Result<void> {
        if (auto made = session.script(render(kLedger, database.dialect()).text + ";" +
                                       render("{lock ledger}", database.dialect()).text);
            !made) {
            return made;
        }
        auto applied = read_all(session, kApplied, {});
        if (!applied) return applied.error();
        const SchemaStatus status{std::move(*applied), migrations().back().number};
        if (status.version() >= status.known) return {};
        const int last = status.version() == 0 ? status.known : status.version() + 1;
        for (int number = status.version() + 1; number <= last; ++number) {
            const auto& step = migrations()[static_cast<std::size_t>(number - 1)];
            if (auto applied_now = apply_step(session, database.dialect(), step, now); !applied_now) return applied_now;
        }
        worked = last - status.version();
        return {};
    });
    if (!done) return done.error();
    return worked;
}

}  // namespace

Result<SchemaStatus> schema_status(Database& database) {
    SchemaStatus status;
    status.known = migrations().back().number;
    const auto done = database.read([&](Session& session) -> Result<void> {
        bool exists = false;
        auto looked = session.run(kLedgerExists, {}, [&exists](std::int64_t tables) { exists = tables > 0; });
        if (!looked) return looked.error();
        if (!exists) return {};
        auto applied = read_all(session, kApplied, {});
        if (!applied) return applied.error();
        status.applied = std::move(*applied);
        return {};
    });
    if (!done) return done.error();
    return status;
}

namespace {

// An error if the applied steps cannot be trusted, even if steps are missing.
std::optional<Error> check_applied(const SchemaStatus& status) {
    int number = 0;
    for (const auto& applied : status.applied) {
        if (applied.number > status.known) {
            return Error{ErrorCode::corrupt, "the database has schema version " + std::to_string(status.version()) +
                                                 " and this program knows " + std::to_string(status.known) +
                                                 ": use a newer belfry"};
        }
        if (applied.number != ++number)
            return Error{ErrorCode::corrupt,
                         "the database's record of its schema lacks step " + std::to_string(number)};
        if (applied.checksum != checksum_of(migrations()[static_cast<std::size_t>(number - 1)])) {
            return Error{ErrorCode::corrupt,
                         "step " + std::to_string(number) + " of the database's schema differs from this program's"};
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Error> check_schema(const SchemaStatus& status) {
    if (auto error = check_applied(status)) return error;
    if (status.version() < status.known) {
        return Error{ErrorCode::corrupt, "the database has schema version " + std::to_string(status.version()) +
                                             " and this program needs " + std::to_string(status.known) +
                                             ": run `belfry migrate up`"};
    }
    return std::nullopt;
}

Result<int> migrate_up(Database& database, Instant now) {
    auto status = schema_status(database);
    if (!status) return status.error();
    if (auto error = check_applied(*status)) return *error;
    int count = 0;
    bool collided = false;
    while (true) {
        const auto worked = apply_next(database, now);
        // Two programs that create the ledger at the same time collide on its name, once.
        if (!worked && worked.error().code == ErrorCode::conflict && !collided) {
            collided = true;
            continue;
        }
        if (!worked) return worked.error();
        if (*worked == 0) return count;
        count += *worked;
    }
}

}  // namespace belfry::store::sql
