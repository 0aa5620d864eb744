// Records that no decision needs: API keys, the feed, webhooks and their deliveries. Each Store has an
// implementation. Thread-safe; errors as in store.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "model/tenant/access.hpp"
#include "model/tenant/webhook.hpp"

namespace belfry::store {

inline constexpr std::size_t kFeedPageMax = 1'000;

struct DeliveryPage {
    std::vector<model::Delivery> items;  // newest first
    std::int64_t next_before = 0;        // continue before this position; 0: the list has ended
    friend bool operator==(const DeliveryPage&, const DeliveryPage&) = default;
};

using OwnedDelivery = std::pair<std::string, model::Delivery>;  // with the tenant

// How much of the feed belongs to each tenant.
struct FeedPart {
    std::int64_t tenant_key = 0;
    std::int64_t bytes = 0;  // of the items' JSON
    std::int64_t last = 0;   // the position of the newest item
    friend bool operator==(const FeedPart&, const FeedPart&) = default;
};
struct FeedSizes {
    std::vector<FeedPart> parts = {};             // one for each tenant, by key
    std::optional<std::int64_t> next_after = {};  // where to continue; empty: all items were measured
    friend bool operator==(const FeedSizes&, const FeedSizes&) = default;
};

// Tenants with new items in their feeds.
struct FeedNews {
    std::vector<std::string> tenants = {};  // by name, without duplicates
    std::int64_t up_to = 0;                 // continue after this position
    bool more = false;                      // there are items after `up_to`
    friend bool operator==(const FeedNews&, const FeedNews&) = default;
};

// The webhooks of a page that have work, as (tenant, id).
struct WebhooksWithWork {
    using Refs = std::vector<std::pair<std::string, std::string>>;
    Refs behind = {};                             // the feed may have new items for them
    Refs due = {};                                // a delivery is due
    std::optional<std::int64_t> next_after = {};  // continue after this key; empty: the list has ended
    friend bool operator==(const WebhooksWithWork&, const WebhooksWithWork&) = default;
};

class Registry {
public:
    virtual ~Registry() = default;

    // -- API keys. already_exists if the id is taken, or the name by a key that is not revoked.
    virtual Result<void> add_key(const model::ApiKey& key) = 0;
    virtual Result<model::ApiKey> key(const std::string& id) = 0;  // including revoked and expired ones
    virtual Result<std::vector<model::ApiKey>> keys() = 0;         // oldest first
    // Idempotent: keeps the time of the first call.
    virtual Result<model::ApiKey> revoke_key(const std::string& id, Instant now) = 0;
    // Removes keys that were revoked or expired before `before`. Returns their number.
    virtual Result<std::int64_t> prune_keys(Instant before, std::size_t limit) = 0;

    // -- Webhooks of a tenant. `version` must be the stored version plus one, or 1 for a new webhook. An update does
    // not change its creator and creation time. A new or newly enabled webhook gets the events from then on.
    virtual Result<void> put_webhook(const std::string& tenant, const model::Webhook& webhook) = 0;
    virtual Result<void> remove_webhook(const std::string& tenant, const std::string& id) = 0;  // with its deliveries
    virtual Result<model::Webhook> webhook(const std::string& tenant, const std::string& id) = 0;
    virtual Result<std::vector<model::Webhook>> webhooks(const std::string& tenant) = 0;  // oldest first
    // Examines the next `limit` webhooks of all tenants after a key (empty: from the first). Returns only enabled
    // ones.
    virtual Result<WebhooksWithWork> webhooks_with_work(Instant now, std::optional<std::int64_t> after,
                                                        std::size_t limit) = 0;

    // -- The feed. Every transaction that changes a schedule or a run also writes to the feed, but only while the
    // tenant has a follower: an enabled webhook, or a reader that called `follow` with a later `until`. `follow`
    // never shortens an earlier call. The feed contains everything that is committed after `follow`, or the webhook's
    // `put_webhook`, has returned.
    virtual Result<void> follow(const std::string& tenant, Instant until) = 0;
    // Items after a position, oldest first, at most kFeedPageMax. Returns only settled items: no item can appear
    // later before a returned one, so a reader that remembers its last position misses nothing.
    virtual Result<std::vector<model::FeedItem>> feed(const std::string& tenant, std::int64_t after,
                                                      std::size_t limit) = 0;
    // The positions of the tenant's newest settled item and of its oldest retained item; 0 and 0 if there is none.
    virtual Result<std::pair<std::int64_t, std::int64_t>> feed_bounds(const std::string& tenant) = 0;
    // The position up to which all feeds are settled. Also ensures that the next position is greater than all
    // existing ones: a data import may not have included the counter.
    virtual Result<std::int64_t> feed_end() = 0;
    // Examines the settled items of all tenants after a position, at most `limit`.
    virtual Result<FeedNews> feed_news(std::int64_t after, std::size_t limit) = 0;
    // Removes items before `before`, oldest first, except those that an enabled webhook has not taken. Returns their
    // number.
    virtual Result<std::int64_t> prune_feed(Instant before, std::size_t limit) = 0;
    // Measures the next `limit` items of all tenants after a position.
    virtual Result<FeedSizes> feed_sizes(std::int64_t after, std::size_t limit) = 0;
    // Removes the tenant's items up to a position, with the same order and exception.
    virtual Result<std::int64_t> prune_feed_to(std::int64_t tenant_key, std::int64_t position, std::size_t limit) = 0;

    // -- Deliveries.
    // Creates deliveries, due at `now`, for the items that the webhook has not taken yet (at most `limit` items,
    // filtered by its `events`) and advances its cursor, in one transaction. Returns the number of items that it
    // passed; none while the webhook is disabled.
    virtual Result<std::int64_t> take_deliveries(const std::string& tenant, const std::string& webhook_id, Instant now,
                                                 std::size_t limit) = 0;
    // Pending deliveries that are due, longest due first, at most kFeedPageMax. None if the webhook is disabled or
    // removed.
    virtual Result<std::vector<model::Delivery>> due_deliveries(const std::string& tenant,
                                                                const std::string& webhook_id, Instant now,
                                                                std::size_t limit) = 0;
    // Records an attempt: replaces the row of (webhook, position), except the item. A pending delivery needs its next
    // attempt's time.
    virtual Result<void> put_delivery(const std::string& tenant, const model::Delivery& delivery) = 0;
    // The same for many deliveries in one transaction. Ignores removed ones.
    virtual Result<void> put_deliveries(std::span<const OwnedDelivery> deliveries) = 0;
    // Deliveries before a position; 0: from the newest.
    virtual Result<DeliveryPage> deliveries(const std::string& tenant, const std::string& webhook_id,
                                            std::int64_t before, std::size_t limit) = 0;
    // Removes ended deliveries whose item is older than `before`, and pending ones that have been due since before
    // then: their webhook is disabled, so they are never sent. Returns their number.
    virtual Result<std::int64_t> prune_deliveries(Instant before, std::size_t limit) = 0;
};

}  // namespace belfry::store
