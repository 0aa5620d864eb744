// The registry on a database. Changes of a tenant's webhooks first lock the tenant's row, then the webhook's; changes
// of API keys lock the row of the default tenant. Files: sql_keys.cpp, sql_webhooks.cpp, sql_feed.cpp.
#pragma once

#include "store/registry.hpp"
#include "store/sql/write/committing.hpp"

namespace belfry::store::sql {

class SqlRegistry final : public Registry {
public:
    // REQUIRES: the database outlives this object.
    explicit SqlRegistry(Database& database) : database_(database) {}

    Result<void> add_key(const model::ApiKey& key) override;
    Result<model::ApiKey> key(const std::string& id) override;
    Result<std::vector<model::ApiKey>> keys() override;
    Result<model::ApiKey> revoke_key(const std::string& id, Instant now) override;
    Result<std::int64_t> prune_keys(Instant before, std::size_t limit) override;

    Result<void> put_webhook(const std::string& tenant, const model::Webhook& webhook) override;
    Result<void> remove_webhook(const std::string& tenant, const std::string& id) override;
    Result<model::Webhook> webhook(const std::string& tenant, const std::string& id) override;
    Result<std::vector<model::Webhook>> webhooks(const std::string& tenant) override;
    Result<WebhooksWithWork> webhooks_with_work(Instant now, std::optional<std::int64_t> after,
                                                std::size_t limit) override;

    Result<void> follow(const std::string& tenant, Instant until) override;
    Result<std::vector<model::FeedItem>> feed(const std::string& tenant, std::int64_t after,
                                              std::size_t limit) override;
    Result<std::pair<std::int64_t, std::int64_t>> feed_bounds(const std::string& tenant) override;
    Result<std::int64_t> feed_end() override;
    Result<FeedNews> feed_news(std::int64_t after, std::size_t limit) override;
    Result<std::int64_t> prune_feed(Instant before, std::size_t limit) override;
    Result<FeedSizes> feed_sizes(std::int64_t after, std::size_t limit) override;
    Result<std::int64_t> prune_feed_to(std::int64_t tenant_key, std::int64_t position, std::size_t limit) override;

    Result<std::int64_t> take_deliveries(const std::string& tenant, const std::string& webhook_id, Instant now,
                                         std::size_t limit) override;
    Result<std::vector<model::Delivery>> due_deliveries(const std::string& tenant, const std::string& webhook_id,
                                                        Instant now, std::size_t limit) override;
    Result<void> put_delivery(const std::string& tenant, const model::Delivery& delivery) override;
    Result<void> put_deliveries(std::span<const OwnedDelivery> deliveries) override;
    Result<DeliveryPage> deliveries(const std::string& tenant, const std::string& webhook_id, std::int64_t before,
                                    std::size_t limit) override;
    Result<std::int64_t> prune_deliveries(Instant before, std::size_t limit) override;

private:
    Result<std::int64_t> remove_items(const Query<std::int64_t>& query, const Batch& parameters);
    // Returns when all decisions in progress have ended.
    [[nodiscard]] Result<void> await_deciders();
    // The position up to which the feed is settled, for a later read.
    [[nodiscard]] Result<std::int64_t> settled_end();
    [[nodiscard]] Result<bool> has_grown(const std::string& tenant, std::int64_t after);

    Database& database_;
};

// The position up to which the feed is settled. REQUIRES: later statements of the session see the data committed by
// then.
[[nodiscard]] Result<std::int64_t> read_feed_end(Session& session);

}  // namespace belfry::store::sql
