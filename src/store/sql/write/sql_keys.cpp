// API keys.
#include "model/tenant/tenant.hpp"
#include "store/registry_rules.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/tenant_rows.hpp"
#include "store/sql/statements/statements_registry.hpp"
#include "store/sql/statements/statements_tenants.hpp"
#include "store/sql/values.hpp"
#include "store/sql/write/sql_registry.hpp"

namespace belfry::store::sql {

Result<void> SqlRegistry::add_key(const model::ApiKey& key) {
    // A new key has no row to lock, so additions lock the row of the default tenant.
    const auto alone = [](Session& session) { return require_tenant(session, model::kDefaultTenant, kLockTenant); };
    const auto work = [&](Session& session) -> Result<void> {
        if (auto locked = alone(session); !locked) return locked;
        bool taken = false;
        const auto note = [&taken](const Row&) { taken = true; };
        auto read = session.run(kKey, {key.id}, note);
        if (!read) return read.error();
        if (taken) return key_id_taken(key.id);
        if (!key.revoked_at) read = session.run(kKeyNamed, {key.name}, note);
        if (!read) return read.error();
        if (taken) return key_name_taken(key.name);
        auto done =
            session.run(kInsertKey, {key.id, key.name, key.hash, roles_text(key.roles), key.created_by,
                                     epoch_us(key.created_at), null_or(key.expires_at), null_or(key.revoked_at)});
        if (!done) return done.error();
        return {};
    };
    return commit(database_, work, [&](Session& session) -> Result<CommitOutcome> {
        if (auto locked = alone(session); !locked) return locked.error();
        auto stored = read_all(session, kKey, {key.id});
        if (!stored) return stored.error();
        if (stored->empty()) return CommitOutcome::no;
        auto& found = stored->front();
        found.revoked_at = key.revoked_at;  // it may have been revoked since
        return found == key ? CommitOutcome::yes : CommitOutcome::no;
    });
}

Result<model::ApiKey> SqlRegistry::key(const std::string& id) {
    auto found = read_all(database_, kKey, {id});
    if (!found) return found.error();
    if (found->empty()) return key_not_found(id);
    return std::move(found->front());
}

Result<std::vector<model::ApiKey>> SqlRegistry::keys() { return read_all(database_, kKeys, {}); }

Result<model::ApiKey> SqlRegistry::revoke_key(const std::string& id, Instant now) {
    std::optional<model::ApiKey> revoked;
    const auto work = [&](Session& session) -> Result<void> {
        auto stored = read_all(session, kLockKey, {id});
        if (!stored) return stored.error();
        if (stored->empty()) return key_not_found(id);
        revoked = std::move(stored->front());
        if (revoked->revoked_at) return {};
        revoked->revoked_at = now;
        auto done = session.run(kRevokeKey, {epoch_us(now), id});
        if (!done) return done.error();
        return {};
    };
    if (auto done = commit_repeatable(database_, work); !done) return done.error();
    return std::move(*revoked);
}

Result<std::int64_t> SqlRegistry::prune_keys(Instant before, std::size_t limit) {
    std::int64_t removed = 0;
    const auto work = [&](Session& session) -> Result<void> {
        auto done = session.run(kPruneKeys, {epoch_us(before), static_cast<std::int64_t>(limit)});
        if (!done) return done.error();
        removed = *done;
        return {};
    };
    if (auto done = commit_repeatable(database_, work); !done) return done.error();
    return removed;
}

}  // namespace belfry::store::sql
