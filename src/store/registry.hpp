// What is kept beside schedules and runs, and what no decision looks at: API keys, the feed of what happened, webhooks and
// their deliveries. Implementations beside those of Store; thread-safe; errors as in store.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "model/access.hpp"
#include "model/webhook.hpp"

namespace belfry::store {

inline constexpr std::size_t kFeedPageMax = 1'000;

struct DeliveryPage {
    std::vector<model::Delivery> items;  // newest first
    std::int64_t next_before = 0;        // position to go on before; 0: that was all
    friend bool operator==(const DeliveryPage&, const DeliveryPage&) = default;
};

using OwnedDelivery = std::pair<std::string, model::Delivery>;  // with the tenant

// What is new in the feeds of all tenants.
struct FeedNews {
    std::vector<std::string> tenants = {};  // by name, each once
    std::int64_t up_to = 0;                 // position to go on after
    bool more = false;                      // than was looked at
    friend bool operator==(const FeedNews&, const FeedNews&) = default;
};

// Of some webhooks those that have something to do, as (tenant, id).
struct WebhooksWithWork {
    using Refs = std::vector<std::pair<std::string, std::string>>;
    Refs behind = {};                             // they may have something to take
    Refs due = {};                                // a delivery is due
    std::optional<std::int64_t> next_after = {};  // key to go on after; nothing: those were all
    friend bool operator==(const WebhooksWithWork&, const WebhooksWithWork&) = default;
};

class Registry {
public:
    virtual ~Registry() = default;

    // -- API keys. already_exists when the id, or the name of one that is not revoked, is taken.
    virtual Result<void> add_key(const model::ApiKey& key) = 0;
    virtual Result<model::ApiKey> key(const std::string& id) = 0;  // revoked and expired ones, too
    virtual Result<std::vector<model::ApiKey>> keys() = 0;         // oldest first
    // Again is fine: the first time counts.
    virtual Result<model::ApiKey> revoke_key(const std::string& id, Instant now) = 0;
    // Forgets those that were revoked, or ran out, before. Returns how many.
    virtual Result<std::int64_t> prune_keys(Instant before, std::size_t limit) = 0;

    // -- Webhooks of a tenant. `version` must be one more than what is stored, or 1 for a new one; who made it and when stays
    // as it was. One that is new, or enabled again, gets what happens from now on.
    virtual Result<void> put_webhook(const std::string& tenant, const model::Webhook& webhook) = 0;
    virtual Result<void> remove_webhook(const std::string& tenant, const std::string& id) = 0;  // with its deliveries
    virtual Result<model::Webhook> webhook(const std::string& tenant, const std::string& id) = 0;
    virtual Result<std::vector<model::Webhook>> webhooks(const std::string& tenant) = 0;  // oldest first
    // Looks at the next `limit` webhooks of all tenants after a key (nothing: from the first on), enabled ones alone count.
    virtual Result<WebhooksWithWork> webhooks_with_work(Instant now, std::optional<std::int64_t> after, std::size_t limit) = 0;

    // -- The feed. Written by whatever changes a schedule or a run, in the same transaction, while somebody follows it: an
    // enabled webhook, or a reader who said so until `until`. A reader who has said so for longer is not cut short. Whatever is
    // committed after `follow`, or the webhook's `put_webhook`, has returned is in the feed.
    virtual Result<void> follow(const std::string& tenant, Instant until) = 0;
    // Items after a position, oldest first, at most kFeedPageMax. Only what is settled: nothing can still appear before an
    // item that was answered, so whoever remembers the last position misses nothing.
    virtual Result<std::vector<model::FeedItem>> feed(const std::string& tenant, std::int64_t after, std::size_t limit) = 0;
    // The positions of the tenant's newest settled item and of the oldest that is still kept; 0 and 0 when there is none.
    virtual Result<std::pair<std::int64_t, std::int64_t>> feed_bounds(const std::string& tenant) = 0;
    // The position up to which all feeds are settled. Looks, too, whether positions still go on after all that were given, and sees to it:
    // data may have been moved without what counts them.
    virtual Result<std::int64_t> feed_end() = 0;
    // Looks at the settled items of all tenants after a position, at most `limit`.
    virtual Result<FeedNews> feed_news(std::int64_t after, std::size_t limit) = 0;
    // Forgets items that happened before, oldest first, but none that an enabled webhook has not taken. Returns how many.
    virtual Result<std::int64_t> prune_feed(Instant before, std::size_t limit) = 0;

    // -- Deliveries.
    // Makes deliveries of the items that the webhook has not taken yet (at most `limit` items, those that its `events` let
    // through), due at `now`, and moves its cursor, in one transaction. Returns how many items it went past; none while the
    // webhook is disabled.
    virtual Result<std::int64_t> take_deliveries(const std::string& tenant, const std::string& webhook_id, Instant now, std::size_t limit) = 0;
    // Those that are pending and due, longest due first, at most kFeedPageMax; none while the webhook is disabled or gone.
    virtual Result<std::vector<model::Delivery>> due_deliveries(const std::string& tenant, const std::string& webhook_id, Instant now,
                                                                std::size_t limit) = 0;
    // How an attempt went: replaces the row of (webhook, position), but for the item. A pending one needs its next try.
    virtual Result<void> put_delivery(const std::string& tenant, const model::Delivery& delivery) = 0;
    // The same for many in one transaction; those that are gone are passed over.
    virtual Result<void> put_deliveries(std::span<const OwnedDelivery> deliveries) = 0;
    // Before a position; 0: from the newest on.
    virtual Result<DeliveryPage> deliveries(const std::string& tenant, const std::string& webhook_id, std::int64_t before, std::size_t limit) = 0;
    // Forgets those that are over and whose item happened before, and those that have been due since before: nobody sends them, because
    // their webhook is disabled. Returns how many.
    virtual Result<std::int64_t> prune_deliveries(Instant before, std::size_t limit) = 0;
};

}  // namespace belfry::store
