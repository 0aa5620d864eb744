// Measures another registry, like ObservedStore measures a store.
#pragma once

#include "store/registry.hpp"
#include "store/store_observer.hpp"

namespace belfry::store {

class ObservedRegistry final : public Registry {
public:
    // REQUIRES: both outlive this object.
    ObservedRegistry(Registry& registry, StoreObserver& observer) : registry_(registry), observer_(observer) {}

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
    Registry& registry_;
    StoreObserver& observer_;
};

}  // namespace belfry::store
