// Webhooks as somebody asks for them: making, changing, new secrets, trying, and what was sent. The Deliverer sends. Secrets
// are answered once, by what made them, and never again. Thread-safe.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/uuid.hpp"
#include "engine/webhook_sender.hpp"
#include "model/event.hpp"
#include "store/registry.hpp"
#include "store/store.hpp"

namespace belfry::engine {

inline constexpr std::size_t kWebhooksPerTenantMax = 100;
inline constexpr std::size_t kWebhookEventsMax = 50;
inline constexpr std::size_t kWebhookDescriptionMax = 1'000;  // bytes

// What a person decides about a webhook. In a change, what is left out stays.
struct WebhookEdit {
    std::optional<std::string> url = {};
    std::optional<std::string> description = {};
    std::optional<std::vector<std::string>> events = {};  // types, or `run.*`; empty: all
    std::optional<bool> enabled = {};
};

class Webhooks {
public:
    struct Collaborators {
        store::Store& store;
        HttpClient& http;
        Sealer& sealer;
        UuidMaker& ids;
    };
    // REQUIRES: all of them outlive it.
    explicit Webhooks(const Collaborators& with)
        : with_(with), registry_(with.store.registry()), secrets_(with.sealer), sender_(with.http, with.sealer) {}

    // With the secret that signs from now on.
    struct WithSecret {
        model::Webhook webhook;
        std::string secret;
    };
    [[nodiscard]] Result<WithSecret> create(const std::string& tenant, const WebhookEdit& wanted, const model::CommandContext& context);
    [[nodiscard]] Result<std::vector<model::Webhook>> list(const std::string& tenant) { return registry_.webhooks(tenant); }
    [[nodiscard]] Result<model::Webhook> read(const std::string& tenant, const std::string& id) { return registry_.webhook(tenant, id); }
    // With a version: conflict when it is not the stored one.
    [[nodiscard]] Result<model::Webhook> update(const std::string& tenant, const std::string& id, std::optional<std::int64_t> version,
                                                const WebhookEdit& edit);
    // The old secrets go on signing for a day, beside the new one.
    [[nodiscard]] Result<WithSecret> rotate(const std::string& tenant, const std::string& id);
    // Only the newest signs from now on.
    [[nodiscard]] Result<model::Webhook> drop_old_secrets(const std::string& tenant, const std::string& id);
    [[nodiscard]] Result<void> remove(const std::string& tenant, const std::string& id) { return registry_.remove_webhook(tenant, id); }

    // Sends a `ping` now, also to one that is switched off, and says what came of it. It is not kept among the deliveries.
    [[nodiscard]] Result<decide::DeliveryAttempt> ping(const std::string& tenant, const std::string& id);

    [[nodiscard]] Result<store::DeliveryPage> deliveries(const std::string& tenant, const std::string& id, std::int64_t before, std::size_t limit) {
        return registry_.deliveries(tenant, id, before, limit);
    }
    // Sends it again, with the same webhook-id, whatever came of it before.
    [[nodiscard]] Result<model::Delivery> redeliver(const std::string& tenant, const std::string& id, std::int64_t position);

private:
    using Change = std::function<Result<void>(model::Webhook&)>;
    // Reads, changes and writes, again when somebody else was quicker.
    [[nodiscard]] Result<model::Webhook> change(const std::string& tenant, const std::string& id, std::optional<std::int64_t> version,
                                                const Change& change);
    [[nodiscard]] Result<void> apply(const WebhookEdit& edit, model::Webhook& webhook) const;
    // Replaces the secrets by what `become` makes of those that still sign.
    [[nodiscard]] Result<model::Webhook> change_secrets(
        const std::string& tenant, const std::string& id,
        const std::function<std::vector<WebhookSecret>(std::vector<WebhookSecret>, Instant now)>& become);

    const Collaborators with_;
    store::Registry& registry_;
    WebhookSecrets secrets_;
    WebhookSender sender_;
    std::atomic<bool> testing_ = false;
};

}  // namespace belfry::engine
