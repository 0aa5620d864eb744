// The feed: its followers, its items and their retention. PlanWriter writes it.
//
// A reader remembers only the last position, so no item may ever appear before a position that was already returned.
// On SQLite, writers run one at a time, and the next number is the next position. On PostgreSQL, transactions commit
// in any order. There, positions come from a sequence, and a transaction takes an advisory lock before it takes
// positions. The lock names the newest position at that moment and ends with the transaction. A reader first
// determines the settled end: the newest position, or the smallest one that such a lock names. Only then does it read
// the rows. Transactions of other programs have no influence.
//
// A new follower waits for the decisions in progress that may have checked for followers before: they hold locks,
// too.
#include <set>

#include "model/identity.hpp"
#include "store/errors.hpp"
#include "store/sql/read/page_reader.hpp"
#include "store/sql/read/read_all.hpp"
#include "store/sql/read/tenant_rows.hpp"
#include "store/sql/statements/statements_registry.hpp"
#include "store/sql/statements/statements_tenants.hpp"
#include "store/sql/write/sql_registry.hpp"

namespace belfry::store::sql {

using model::key_of;

Result<void> SqlRegistry::follow(const std::string& tenant, Instant until) {
    auto followed = commit_repeatable(database_, [&](Session& session) -> Result<void> {
        auto done = session.run(kFollow, {epoch_us(until), model::tenant_key(tenant)});
        if (!done) return done.error();
        if (*done == 0) return tenant_not_found(tenant);
        return {};
    });
    return followed ? await_deciders() : followed;
}

// Runs after a commit: if it fails, items of this moment may be missing from the feed.
Result<void> SqlRegistry::await_deciders() {
    constexpr int kTriesMax = 5;
    if (!database_.dialect().locks_rows) return {};  // writers run one at a time, so none is in progress
    Result<void> over;
    for (int i = 0; i < kTriesMax; ++i) {
        over = database_.read([](Session& session) -> Result<void> {
            if (auto done = session.run(kAwaitDeciders, {}); !done) return done.error();
            return {};
        });
        if (over) return {};
    }
    return from_database(ErrorCode::unknown,
                         "the feed is followed, but events of this moment may be missing: " + over.error().message);
}

Result<std::int64_t> read_feed_end(Session& session) {
    const auto end = read_one(session, kFeedEnd, {});
    if (!end) return end.error();
    return end->value_or(0);
}

// In its own transaction, because the next read needs a later snapshot.
Result<std::int64_t> SqlRegistry::settled_end() {
    std::int64_t end = 0;
    auto done = database_.read([&end](Session& session) -> Result<void> {
        auto read = read_feed_end(session);
        if (!read) return read.error();
        end = *read;
        return {};
    });
    if (!done) return done.error();
    return end;
}

Result<std::int64_t> SqlRegistry::feed_end() {
    if (database_.dialect().locks_rows) {  // the other database has nothing to heal
        auto healed = commit_repeatable(database_, [](Session& session) -> Result<void> {
            if (auto done = session.run(kHealFeed, {}); !done) return done.error();
            return {};
        });
        if (!healed) return healed.error();
    }
    return settled_end();
}

Result<FeedNews> SqlRegistry::feed_news(std::int64_t after, std::size_t limit) {
    const auto end = settled_end();
    if (!end) return end.error();
    FeedNews news{.up_to = after};
    const auto most = std::min(limit, kFeedPageMax);
    std::set<std::string> tenants;
    std::size_t seen = 0;
    auto done = database_.read([&](Session& session) -> Result<void> {
        auto read = session.run(kFeedNews, {after, *end, static_cast<std::int64_t>(most)}, [&](FeedNewsRow row) {
            ++seen;
            news.up_to = row.position;
            tenants.insert(std::move(row.tenant));
        });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    news.tenants.assign(tenants.begin(), tenants.end());
    news.more = seen == most;
    return news;
}

// Most calls find nothing new, and this check is cheap.
Result<bool> SqlRegistry::has_grown(const std::string& tenant, std::int64_t after) {
    bool grown = false;
    auto done = database_.read([&](Session& session) -> Result<void> {
        if (auto found = require_tenant(session, tenant, kTenant); !found) return found;
        auto read = session.run(kFeedGrown, {model::tenant_key(tenant), after}, [&grown](const Row&) { grown = true; });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    return grown;
}

Result<std::vector<model::FeedItem>> SqlRegistry::feed(const std::string& tenant, std::int64_t after,
                                                       std::size_t limit) {
    const auto grown = has_grown(tenant, after);
    if (!grown) return grown.error();
    std::vector<model::FeedItem> items;
    if (!*grown) return items;
    const auto end = settled_end();
    if (!end) return end.error();
    const auto most = std::min(limit, kFeedPageMax);
    auto done = database_.read([&](Session& session) -> Result<void> {
        auto page = read_page<model::FeedItem>(
            session, kFeed, {model::tenant_key(tenant), after, *end, static_cast<std::int64_t>(most)},
            PageBudget(most, kPageBytesMax), &feed_item);
        if (!page) return page.error();
        items = std::move(page->items);
        return {};
    });
    if (!done) return done.error();
    return items;
}

Result<std::pair<std::int64_t, std::int64_t>> SqlRegistry::feed_bounds(const std::string& tenant) {
    const auto end = settled_end();
    if (!end) return end.error();
    std::pair<std::int64_t, std::int64_t> bounds;
    auto done = database_.read([&](Session& session) -> Result<void> {
        if (auto found = require_tenant(session, tenant, kTenant); !found) return found;
        auto read = session.run(kFeedBounds, {model::tenant_key(tenant), *end}, [&bounds](const FeedBounds& row) {
            bounds = {row.newest, row.oldest};
        });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    return bounds;
}

// The query returns the positions of removed items.
Result<std::int64_t> SqlRegistry::remove_items(const Query<std::int64_t>& query, const Batch& parameters) {
    std::int64_t removed = 0;
    std::optional<std::int64_t> one;  // if this item is gone, all are
    const auto work = [&](Session& session) -> Result<void> {
        auto done = session.run(query, parameters, [&](std::int64_t position) {
            ++removed;
            one = position;
        });
        if (!done) return done.error();
        return {};
    };
    auto done = commit(database_, work, [&](Session& session) -> Result<CommitOutcome> {
        bool exists = false;
        if (!one) return CommitOutcome::yes;
        auto read = session.run(kLockFeedItem, {*one}, [&exists](const Row&) { exists = true; });
        if (!read) return read.error();
        return exists ? CommitOutcome::no : CommitOutcome::yes;
    });
    if (!done) return done.error();
    return removed;
}

Result<std::int64_t> SqlRegistry::prune_feed(Instant before, std::size_t limit) {
    return remove_items(kPruneFeed, {epoch_us(before), static_cast<std::int64_t>(limit)});
}

Result<std::int64_t> SqlRegistry::prune_feed_to(std::int64_t tenant_key, std::int64_t position, std::size_t limit) {
    return remove_items(kPruneFeedTo, {tenant_key, position, static_cast<std::int64_t>(limit)});
}

Result<FeedSizes> SqlRegistry::feed_sizes(std::int64_t after, std::size_t limit) {
    FeedSizes sizes;
    std::int64_t items = 0;
    auto last = after;
    auto done = database_.read([&](Session& session) -> Result<void> {
        auto read = session.run(kFeedSizes, {after, static_cast<std::int64_t>(limit)}, [&](const FeedSizeRow& row) {
            sizes.parts.push_back(row.part);
            items += row.items;
            last = std::max(last, row.part.last);
        });
        if (!read) return read.error();
        return {};
    });
    if (!done) return done.error();
    if (std::cmp_equal(items, limit)) sizes.next_after = last;
    return sizes;
}

}  // namespace belfry::store::sql
