// Webhooks for clients: create, change, rotate secrets, test, list deliveries. The Deliverer sends. A secret is
// returned once, by the call that creates it. Thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/concurrency/fair_share.hpp"
#include "base/crypto/uuid.hpp"
#include "engine/jobs/task_pool.hpp"
#include "engine/outgoing/webhook_sender.hpp"
#include "engine/usecases/webhook_test.hpp"
#include "model/run/event.hpp"
#include "store/registry.hpp"
#include "store/store.hpp"

namespace belfry::engine {

inline constexpr std::size_t kWebhooksPerTenantMax = 100;
inline constexpr std::size_t kWebhookEventsMax = 50;
inline constexpr std::size_t kWebhookDescriptionMax = 1'000;  // bytes
inline constexpr std::size_t kWebhookTestsMax = 16;           // concurrent; tenants share them

// What a client sets on a webhook. In an update, absent fields stay unchanged.
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
    [[nodiscard]] Result<WithSecret> create(const std::string& tenant, const WebhookEdit& wanted,
                                            const model::CommandContext& context);
    [[nodiscard]] Result<std::vector<model::Webhook>> list(const std::string& tenant) {
        return registry_.webhooks(tenant);
    }
    [[nodiscard]] Result<model::Webhook> read(const std::string& tenant, const std::string& id) {
        return registry_.webhook(tenant, id);
    }
    // With a version, returns a conflict if the stored version differs.
    [[nodiscard]] Result<model::Webhook> update(const std::string& tenant, const std::string& id,
                                                std::optional<std::int64_t> version, const WebhookEdit& edit);
    // The old secrets also sign for one more day, beside the new one.
    [[nodiscard]] Result<WithSecret> rotate(const std::string& tenant, const std::string& id);
    [[nodiscard]] Result<void> remove(const std::string& tenant, const std::string& id) {
        return registry_.remove_webhook(tenant, id);
    }

    // Sends a `ping` now, even to a disabled webhook, without waiting for the receiver. It is not listed among the
    // deliveries.
    [[nodiscard]] Result<std::shared_ptr<WebhookTest>> test(const std::string& tenant, const std::string& id);

    [[nodiscard]] Result<store::DeliveryPage> deliveries(const std::string& tenant, const std::string& id,
                                                         std::int64_t before, std::size_t limit) {
        return registry_.deliveries(tenant, id, before, limit);
    }
    // Sends the delivery again, with the same webhook-id, whatever its result was.
    [[nodiscard]] Result<model::Delivery> redeliver(const std::string& tenant, const std::string& id,
                                                    std::int64_t position);

private:
    using Change = std::function<Result<void>(model::Webhook&)>;
    // Reads, changes and writes; repeats after a lost race.
    [[nodiscard]] Result<model::Webhook> change(const std::string& tenant, const std::string& id,
                                                std::optional<std::int64_t> version, const Change& change);
    [[nodiscard]] Result<void> apply(const WebhookEdit& edit, model::Webhook& webhook) const;
    // Replaces the secrets that still sign by the result of `become`.
    [[nodiscard]] Result<model::Webhook> change_secrets(
        const std::string& tenant, const std::string& id,
        const std::function<std::vector<WebhookSecret>(std::vector<WebhookSecret>, Instant now)>& become);

    const Collaborators with_;
    store::Registry& registry_;
    WebhookSecrets secrets_;
    WebhookSender sender_;
    FairPlaces tests_{kWebhookTestsMax};
    TaskPool testing_{kWebhookTestsMax, "webhook test"};  // last member: its threads use the others
};

}  // namespace belfry::engine
