// The feed: who follows it, what is in it, and what of it is forgotten. It is written by PlanWriter.
//
// A reader only remembers the last position, so nothing may ever appear before one that it was told. On SQLite writers take
// turns, and the next number is the next position. On PostgreSQL transactions commit in any order: a position begins with the
// id of its transaction, and a reader sees only what is below the oldest transaction that was not over when its own snapshot
// was taken. All those below are committed, and visible, or will never be; all that are still to come have a higher id.
#include "model/identity.hpp"
#include "store/plan_rows.hpp"
#include "store/sql/registry_rows.hpp"
#include "store/sql/sql_registry.hpp"
#include "store/sql/statements.hpp"

namespace belfry::store::sql {

using model::key_of;

Result<void> SqlRegistry::follow(const std::string& tenant, Instant until) {
    return commit_repeatable(database_, [&](Session& session) -> Result<void> {
        auto done = session.run(kFollow, {epoch_us(until), model::tenant_key(tenant)});
        if (!done) return done.error();
        if (*done == 0) return tenant_not_found(tenant);
        return {};
    });
}

Result<std::vector<model::FeedItem>> SqlRegistry::feed(const std::string& tenant, std::int64_t after, std::size_t limit) {
    std::vector<model::FeedItem> items;
    auto done = database_.read([&](Session& session) -> Result<void> {
        if (auto found = require_tenant(session, tenant, kTenant); !found) return found;
        const auto most = static_cast<std::int64_t>(std::min(limit, kFeedPageMax));
        auto rows = read_rows(session, kFeed, {model::tenant_key(tenant), after, most}, read_feed_item);
        if (!rows) return rows.error();
        items = std::move(*rows);
        return {};
    });
    if (!done) return done.error();
    return items;
}

Result<std::pair<std::int64_t, std::int64_t>> SqlRegistry::feed_bounds(const std::string& tenant) {
    std::pair<std::int64_t, std::int64_t> bounds;
    auto done = database_.read([&](Session& session) -> Result<void> {
        if (auto found = require_tenant(session, tenant, kTenant); !found) return found;
        auto read = session.run(kFeedBounds, {model::tenant_key(tenant)}, [&bounds](const Row& row) { bounds = {row.integer(0), row.integer(1)}; });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    return bounds;
}

Result<std::int64_t> SqlRegistry::prune_feed(Instant before, std::size_t limit) {
    std::int64_t removed = 0;
    std::optional<std::int64_t> one;  // whose absence tells for all
    const auto work = [&](Session& session) -> Result<void> {
        auto done = session.run(kPruneFeed, {epoch_us(before), static_cast<std::int64_t>(limit)}, [&](const Row& row) {
            ++removed;
            one = row.integer(0);
        });
        if (!done) return done.error();
        return {};
    };
    auto done = commit(database_, work, [&](Session& session) -> Result<Happened> {
        bool exists = false;
        if (!one) return Happened::yes;
        auto read = session.run(kLockFeedItem, {*one}, [&exists](const Row&) { exists = true; });
        if (!read) return read.error();
        return exists ? Happened::no : Happened::yes;
    });
    if (!done) return done.error();
    return removed;
}

Result<void> heal_feed(Database& database) {
    if (!database.dialect().locks_rows) return {};  // where writers take turns, positions are counted
    return commit_repeatable(database, [](Session& session) -> Result<void> {
        if (auto done = session.run(kHealFeedBase, {}); !done) return done.error();
        return {};
    });
}

}  // namespace belfry::store::sql
