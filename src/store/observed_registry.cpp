#include "store/observed_registry.hpp"

namespace belfry::store {

Result<void> ObservedRegistry::add_key(const model::ApiKey& key) {
    return observed(observer_, "add_key", [&] { return registry_.add_key(key); });
}
Result<model::ApiKey> ObservedRegistry::key(const std::string& id) {
    return observed(observer_, "key", [&] { return registry_.key(id); });
}
Result<std::vector<model::ApiKey>> ObservedRegistry::keys() {
    return observed(observer_, "keys", [&] { return registry_.keys(); });
}
Result<model::ApiKey> ObservedRegistry::revoke_key(const std::string& id, Instant now) {
    return observed(observer_, "revoke_key", [&] { return registry_.revoke_key(id, now); });
}
Result<std::int64_t> ObservedRegistry::prune_keys(Instant before, std::size_t limit) {
    return observed(observer_, "prune_keys", [&] { return registry_.prune_keys(before, limit); });
}
Result<void> ObservedRegistry::put_webhook(const std::string& tenant, const model::Webhook& webhook) {
    return observed(observer_, "put_webhook", [&] { return registry_.put_webhook(tenant, webhook); });
}
Result<void> ObservedRegistry::remove_webhook(const std::string& tenant, const std::string& id) {
    return observed(observer_, "remove_webhook", [&] { return registry_.remove_webhook(tenant, id); });
}
Result<model::Webhook> ObservedRegistry::webhook(const std::string& tenant, const std::string& id) {
    return observed(observer_, "webhook", [&] { return registry_.webhook(tenant, id); });
}
Result<std::vector<model::Webhook>> ObservedRegistry::webhooks(const std::string& tenant) {
    return observed(observer_, "webhooks", [&] { return registry_.webhooks(tenant); });
}
Result<WebhooksWithWork> ObservedRegistry::webhooks_with_work(Instant now, std::optional<std::int64_t> after,
                                                              std::size_t limit) {
    return observed(observer_, "webhooks_with_work", [&] { return registry_.webhooks_with_work(now, after, limit); });
}
Result<void> ObservedRegistry::follow(const std::string& tenant, Instant until) {
    return observed(observer_, "follow", [&] { return registry_.follow(tenant, until); });
}
Result<std::vector<model::FeedItem>> ObservedRegistry::feed(const std::string& tenant, std::int64_t after,
                                                            std::size_t limit) {
    return observed(observer_, "feed", [&] { return registry_.feed(tenant, after, limit); });
}
Result<std::pair<std::int64_t, std::int64_t>> ObservedRegistry::feed_bounds(const std::string& tenant) {
    return observed(observer_, "feed_bounds", [&] { return registry_.feed_bounds(tenant); });
}
Result<std::int64_t> ObservedRegistry::feed_end() {
    return observed(observer_, "feed_end", [&] { return registry_.feed_end(); });
}
Result<FeedNews> ObservedRegistry::feed_news(std::int64_t after, std::size_t limit) {
    return observed(observer_, "feed_news", [&] { return registry_.feed_news(after, limit); });
}
Result<std::int64_t> ObservedRegistry::prune_feed(Instant before, std::size_t limit) {
    return observed(observer_, "prune_feed", [&] { return registry_.prune_feed(before, limit); });
}
Result<FeedSizes> ObservedRegistry::feed_sizes(std::int64_t after, std::size_t limit) {
    return observed(observer_, "feed_sizes", [&] { return registry_.feed_sizes(after, limit); });
}
Result<std::int64_t> ObservedRegistry::prune_feed_to(std::int64_t tenant_key, std::int64_t position,
                                                     std::size_t limit) {
    return observed(observer_, "prune_feed_to", [&] { return registry_.prune_feed_to(tenant_key, position, limit); });
}
Result<std::int64_t> ObservedRegistry::take_deliveries(const std::string& tenant, const std::string& webhook_id,
                                                       Instant now, std::size_t limit) {
    return observed(observer_, "take_deliveries",
                    [&] { return registry_.take_deliveries(tenant, webhook_id, now, limit); });
}
Result<std::vector<model::Delivery>> ObservedRegistry::due_deliveries(const std::string& tenant,
                                                                      const std::string& webhook_id, Instant now,
                                                                      std::size_t limit) {
    return observed(observer_, "due_deliveries",
                    [&] { return registry_.due_deliveries(tenant, webhook_id, now, limit); });
}
Result<void> ObservedRegistry::put_delivery(const std::string& tenant, const model::Delivery& delivery) {
    return observed(observer_, "put_delivery", [&] { return registry_.put_delivery(tenant, delivery); });
}
Result<void> ObservedRegistry::put_deliveries(std::span<const OwnedDelivery> deliveries) {
    return observed(observer_, "put_deliveries", [&] { return registry_.put_deliveries(deliveries); });
}
Result<DeliveryPage> ObservedRegistry::deliveries(const std::string& tenant, const std::string& webhook_id,
                                                  std::int64_t before, std::size_t limit) {
    return observed(observer_, "deliveries", [&] { return registry_.deliveries(tenant, webhook_id, before, limit); });
}
Result<std::int64_t> ObservedRegistry::prune_deliveries(Instant before, std::size_t limit) {
    return observed(observer_, "prune_deliveries", [&] { return registry_.prune_deliveries(before, limit); });
}

}  // namespace belfry::store
