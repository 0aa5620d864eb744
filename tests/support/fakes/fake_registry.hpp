// A registry that keeps API keys and nothing else, and that can be away.
#pragma once

#include <algorithm>

#include "store/registry.hpp"

namespace belfry::test {

class FakeRegistry final : public store::Registry {
public:
    bool away = false;
    int reads = 0;
    std::vector<model::ApiKey> kept = {};

    Result<void> add_key(const model::ApiKey& key) override {
        const auto taken = [&](const model::ApiKey& other) {
            return other.id == key.id || (other.name == key.name && !other.revoked_at);
        };
        if (std::ranges::any_of(kept, taken)) return Error{ErrorCode::already_exists, "taken"};
        kept.push_back(key);
        return {};
    }
    Result<model::ApiKey> key(const std::string& id) override {
        ++reads;
        if (away) return gone();
        const auto found = std::ranges::find(kept, id, &model::ApiKey::id);
        if (found == kept.end()) return Error{ErrorCode::not_found, "no key"};
        return *found;
    }
    Result<std::vector<model::ApiKey>> keys() override {
        ++reads;
        if (away) return gone();
        return kept;
    }
    Result<model::ApiKey> revoke_key(const std::string& id, Instant now) override {
        const auto found = std::ranges::find(kept, id, &model::ApiKey::id);
        if (found == kept.end()) return Error{ErrorCode::not_found, "no key"};
        if (!found->revoked_at) found->revoked_at = now;
        return *found;
    }

    Result<std::int64_t> prune_keys(Instant, std::size_t) override { return gone(); }
    Result<void> put_webhook(const std::string&, const model::Webhook&) override { return gone(); }
    Result<void> remove_webhook(const std::string&, const std::string&) override { return gone(); }
    Result<model::Webhook> webhook(const std::string&, const std::string&) override { return gone(); }
    Result<std::vector<model::Webhook>> webhooks(const std::string&) override { return gone(); }
    Result<store::WebhooksWithWork> webhooks_with_work(Instant, std::optional<std::int64_t>, std::size_t) override {
        return gone();
    }
    Result<std::int64_t> feed_end() override { return gone(); }
    Result<store::FeedNews> feed_news(std::int64_t, std::size_t) override { return gone(); }
    Result<void> follow(const std::string&, Instant) override { return gone(); }
    Result<std::vector<model::FeedItem>> feed(const std::string&, std::int64_t, std::size_t) override { return gone(); }
    Result<std::pair<std::int64_t, std::int64_t>> feed_bounds(const std::string&) override { return gone(); }
    Result<std::int64_t> prune_feed(Instant, std::size_t) override { return gone(); }
    Result<store::FeedSizes> feed_sizes(std::int64_t, std::size_t) override { return gone(); }
    Result<std::int64_t> prune_feed_to(std::int64_t, std::int64_t, std::size_t) override { return gone(); }
    Result<std::int64_t> take_deliveries(const std::string&, const std::string&, Instant, std::size_t) override {
        return gone();
    }
    Result<std::vector<model::Delivery>> due_deliveries(const std::string&, const std::string&, Instant,
                                                        std::size_t) override {
        return gone();
    }
    Result<void> put_deliveries(std::span<const store::OwnedDelivery>) override { return gone(); }
    Result<void> put_delivery(const std::string&, const model::Delivery&) override { return gone(); }
    Result<store::DeliveryPage> deliveries(const std::string&, const std::string&, std::int64_t, std::size_t) override {
        return gone();
    }
    Result<std::int64_t> prune_deliveries(Instant, std::size_t) override { return gone(); }

private:
    static Error gone() { return {ErrorCode::unavailable, "the store is away"}; }
};

}  // namespace belfry::test
